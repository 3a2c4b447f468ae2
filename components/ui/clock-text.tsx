"use client";
/**
 * Times on the screen. The server does not know the reader's time zone, so the text is filled in after the
 * first paint in a box of its final width.
 */
import { useSyncExternalStore } from "react";
import { formatAge, formatClock, formatMoment } from "./time.ts";

let nowMs = 0;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for every age on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function readNow(): number {
  if (nowMs === 0 || timer === undefined) nowMs = Date.now();
  return nowMs;
}

/** The present moment, once a second; 0 on the server and during hydration. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, readNow, () => 0);
}

const never = () => () => undefined;

/** Whether the page is past hydration: what depends on the reader's machine may be shown. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

export function ClockText({ iso }: { readonly iso: string }) {
  const hydrated = useHydrated();
  return (
    <time dateTime={iso} title={hydrated ? formatMoment(iso) : undefined} className="tabular-nums">
      {hydrated ? formatClock(iso) : iso.slice(11, 19)}
    </time>
  );
}

export function AgeText({ iso }: { readonly iso: string }) {
  const now = useNow();
  const hydrated = useHydrated();
  return (
    <time dateTime={iso} title={hydrated ? formatMoment(iso) : undefined} className="tabular-nums">
      {now === 0 ? " " : formatAge(Date.parse(iso), now)}
    </time>
  );
}
