/** How an attempt ends on record, and how a run is given back when there is nothing to record. */
import type { NewEvent } from "../core/event.ts";
import type { Lease } from "../core/run-record.ts";
import type { Attempt } from "./attempt.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { Failure } from "./interruption.ts";

export interface AttemptEnd {
  /** To be committed; none when they are stored already, or the run is lost. */
  readonly events: readonly NewEvent[];
  /** Milliseconds before which the next attempt must not begin. */
  readonly nextTryInMs?: number;
}

/** The end that was asked for from outside the loop. */
export function endOf({ ending, attempt }: Attempt): AttemptEnd {
  switch (ending?.kind) {
    case "cut": {
      const { reason, detail } = ending;
      return { events: [{ type: "attempt_ended", attempt, reason, detail }] };
    }
    case "cancel":
      return { events: [cancelledOf(attempt)] };
    case "lost":
    case undefined:
      return { events: [] };
  }
}

export function cancelledOf(attempt: number): NewEvent {
  return { type: "run_cancelled", attempt, by: "person" };
}

export function failedOf(attempt: number, failure: Failure): NewEvent {
  return { type: "run_failed", attempt, ...failure };
}

/** Gives the run back, due after `dueInMs`; if that fails too, the lease runs out by itself. */
export async function releaseQuietly(
  deps: RuntimeDeps,
  lease: Lease,
  dueInMs?: number,
): Promise<void> {
  try {
    await deps.leases.release(lease, dueInMs);
  } catch (error) {
    const facts = { runId: lease.runId, error: String(error) };
    deps.log.warn(facts, "a lease could not be released");
  }
}
