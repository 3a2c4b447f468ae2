/**
 * What a batch of events means for the row of its run. Derived in one place, so that status and terminal event
 * can't be committed apart.
 */
import type { NewEvent } from "./event.ts";
import type { RunStatus } from "./run-record.ts";

export interface RunChange {
  readonly status: RunStatus;
  /** Whether the owner gives the lease back with this commit. */
  readonly releases: boolean;
  readonly resumable: boolean;
  /** Number of the attempt that starts with this commit, if one does. */
  readonly attempts: number | null;
}

/** Folds the events of one append, in order, into the change of its run's row. */
export function runChangeOf(events: readonly NewEvent[]): RunChange {
  let change: RunChange = { status: "running", releases: false, resumable: false, attempts: null };
  for (const event of events) change = { ...change, ...changeBy(event) };
  return change;
}

function changeBy(event: NewEvent): Partial<RunChange> {
  switch (event.type) {
    case "attempt_started":
      return { attempts: event.attempt, releases: false };
    case "attempt_ended":
      return { releases: true };
    case "run_waiting":
      return { status: "waiting", releases: true };
    case "run_done":
      return { status: "done", releases: true };
    case "run_failed":
      return { status: "failed", releases: true, resumable: event.resumable };
    case "run_cancelled":
      return { status: "cancelled", releases: true };
    default:
      return {};
  }
}
