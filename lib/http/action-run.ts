/** Waits for a run of one call to come to rest, and tells what became of the call. */
import type { RunEvent } from "../core/event.ts";
import { isKnownEvent } from "../core/event.ts";
import type { RunHead, Wakeups } from "../core/ports.ts";
import type { Clock } from "../core/ports.ts";
import type { RunId } from "../core/ids.ts";

/** Resolves when the run no longer works, or after `ms`. */
export function untilAtRest(
  { wakeups, clock }: { readonly wakeups: Wakeups; readonly clock: Clock },
  runId: RunId,
  ms: number,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      unwatch();
      resolve();
    };
    const cancel = clock.after(ms, finish);
    const unwatch = wakeups.watch(runId, (head: RunHead) => {
      if (head.status !== "running") finish();
    });
  });
}

/** The last outcome on record for the run's one call. */
export function outcomeOf(events: readonly RunEvent[]) {
  const told = events.findLast(
    (event) =>
      event.type === "tool_done" || event.type === "tool_blocked" || event.type === "tool_resolved",
  );
  if (!told || !isKnownEvent(told)) return { outcome: null, result: null };
  if (told.type === "tool_done") return { outcome: told.outcome, result: told.result };
  if (told.type === "tool_blocked") return { outcome: "ok", result: told.result };
  return { outcome: null, result: null };
}
