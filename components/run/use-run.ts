"use client";
/** The one hook between a run's store and React. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { type RunSnapshot, RunStore } from "@/lib/client/run-store.ts";
import type { RunEvent } from "@/lib/core/event.ts";

export interface LiveRun {
  readonly store: RunStore;
  readonly snapshot: RunSnapshot;
}

/** Follows a run from what the server has already told. One event stream per use. */
export function useRun(runId: string, events: readonly RunEvent[], head: number): LiveRun {
  const [store] = useState(() => new RunStore({ runId, events, head }));
  useEffect(() => {
    store.start();
    return () => store.close();
  }, [store]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
  return { store, snapshot };
}
