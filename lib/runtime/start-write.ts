/**
 * Start, effect, outcome of one write.
 *
 * Invariants: the body is entered only after its `tool_start` is committed under the current fence, and not when an
 * end was asked for meanwhile; its outcome is handed back only to be committed before anyone sees it.
 */
import { fenceStale } from "../core/errors.ts";
import type { NewEvent, PlannedCall } from "../core/event.ts";
import { classifyJournal } from "../core/journal.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { type Dispatch, doneOf, lateCallOf, startOf } from "./call-events.ts";
import { commitOutcomes } from "./commit-outcomes.ts";
import { isLost } from "./open-ledger.ts";
import { NOT_ENTERED } from "./outcome.ts";
import { reach } from "./reach.ts";
import { retryStore } from "./retry-store.ts";
import { runBody } from "./run-body.ts";
import { runTransaction } from "./run-transaction.ts";

/**
 * Runs a write that may run. Returns its outcome uncommitted; none where it is committed already. When the run was
 * lost meanwhile, the outcome is stored late.
 */
export async function startWrite(
  context: AttemptContext,
  dispatch: Dispatch,
  pending: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  const { call } = dispatch;
  await commitStart(context, dispatch, pending);
  if (context.attempt.ending) return [doneOf(context, call, NOT_ENTERED)];
  if (dispatch.action.transactional) return runTransaction(context, dispatch);
  const found = await runBody(context, dispatch);
  const done = doneOf(context, call, found);
  if (found.outcome === "unknown") tellGuard(context, call);
  if (!context.boundary) return [done];
  await commitOutcomes(context, [done]);
  await reach(context, "after_done", call);
  return [];
}

/** Commits the start. Throws when the run was lost: then the body must not be entered. */
async function commitStart(
  context: AttemptContext,
  dispatch: Dispatch,
  pending: readonly NewEvent[],
): Promise<void> {
  const { clock, limits, leases } = context.deps;
  const { call, action } = dispatch;
  try {
    const start = startOf(context, dispatch);
    const { sentAt, repeated } = await commitOutcomes(context, [...pending, start]);
    await reach(context, "after_start", call);
    // An old acknowledgement may be from before a takeover: the fence is read again, and the body entered in the
    // tick of that answer.
    const isOld = repeated || clock.monotonicMs() - sentAt > limits.startFreshMs;
    if (
      isOld &&
      !(await retryStore(context.deps, "fence", () => leases.isCurrent(context.lease)))
    ) {
      const error = fenceStale(context.run.id, context.lease.fence);
      context.attempt.lose(error);
      throw error;
    }
  } catch (error) {
    // Whether or not the start is on record, the body was not entered, and that is known. Of a transactional one
    // the next owner knows it anyway.
    if (isLost(error) && !action.transactional) {
      void context.late.store(lateCallOf(context, call), NOT_ENTERED);
    }
    throw error;
  }
}

/** An unknown outcome of this attempt counts at once, so that the model can't ask for it again under a new id. */
function tellGuard(context: AttemptContext, call: PlannedCall): void {
  const { interrupted } = classifyJournal(context.ledger.events);
  const entry = interrupted.find(({ callId }) => callId === call.callId);
  if (entry) context.guard.noteUnknown(entry);
}
