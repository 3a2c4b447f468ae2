/**
 * The body of a transactional write: it prepares outside, then commits its effect and its outcome in one short
 * transaction of the ledger's database. Before that commit nothing has happened, after it everything is on record:
 * there is no unknown in between, and nothing to store late.
 */
import type { NewEvent } from "../core/event.ts";
import type { Commit } from "./action.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { type Dispatch, doneOf } from "./call-events.ts";
import { isLost } from "./open-ledger.ts";
import { type BodyOutcome, NOT_COMMITTED, outcomeOfError, outcomeOfValue } from "./outcome.ts";
import { reach } from "./reach.ts";
import { invoke } from "./run-body.ts";

/** Returns the outcome to be committed where nothing happened; none where it is committed with the effect. */
export async function runTransaction(
  context: AttemptContext,
  dispatch: Dispatch,
): Promise<readonly NewEvent[]> {
  const { call } = dispatch;
  const prepared = await prepare(context, dispatch);
  if (typeof prepared !== "function") return [doneOf(context, call, prepared)];
  try {
    await context.ledger.commitWith(async (tx) => [
      doneOf(context, call, outcomeOfValue(await prepared(tx))),
    ]);
  } catch (error) {
    if (isLost(error)) {
      context.attempt.lose(error);
      throw error;
    }
    // The transaction was rolled back.
    return [doneOf(context, call, failedBy(error))];
  }
  await reach(context, "after_effect", call);
  await reach(context, "after_done", call);
  return [];
}

/** What to commit, or why there is nothing. A body that is still preparing when the time is over is let go. */
async function prepare(context: AttemptContext, dispatch: Dispatch): Promise<Commit | BodyOutcome> {
  const { bodySignal } = context.attempt;
  const cut = new Promise<BodyOutcome>((resolve) => {
    const giveUp = () => resolve(NOT_COMMITTED);
    if (bodySignal.aborted) giveUp();
    else bodySignal.addEventListener("abort", giveUp, { once: true });
  });
  const prepared = invoke(context, dispatch).then(asCommit, failedBy);
  const found = await Promise.race([prepared, cut]);
  return bodySignal.aborted ? NOT_COMMITTED : found;
}

function asCommit(value: unknown): Commit | BodyOutcome {
  if (typeof value === "function") return value as Commit;
  return failedBy(new TypeError("The body of a transactional action has to return its commit."));
}

/** Before the commit every throw proves that nothing happened. */
function failedBy(error: unknown): BodyOutcome {
  const { result } = outcomeOfError("write", error);
  return { outcome: "failed", result };
}
