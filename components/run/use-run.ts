"use client";
/** The one hook between a run's store and React. */
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type RunSnapshot, RunStore } from "@/lib/client/run-store.ts";
import type { RunEvent } from "@/lib/core/event.ts";

/** A run and what the server has already told of it. */
export interface KnownRun {
  readonly runId: string;
  readonly events: readonly RunEvent[];
  readonly head: number;
}

export interface LiveRun {
  readonly store: RunStore;
  readonly snapshot: RunSnapshot;
}

const subscribeToNothing = () => () => undefined;

/** Follows a run, with one event stream; null while there is none to follow. */
export function useRun(known: KnownRun | null): LiveRun | null {
  const store = useMemo(() => (known ? new RunStore(known) : null), [known]);
  useEffect(() => {
    store?.start();
    return () => store?.close();
  }, [store]);
  const read = () => store?.getSnapshot() ?? null;
  const snapshot = useSyncExternalStore(store?.subscribe ?? subscribeToNothing, read, read);
  return store && snapshot ? { store, snapshot } : null;
}
