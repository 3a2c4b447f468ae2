/**
 * Enters a body and waits for what it proves. From the first line of the body on, the world may have changed; a
 * body that outlives its attempt keeps its outcome for later.
 */
import type { AttemptContext } from "./attempt-context.ts";
import { type Dispatch, keyOf, kindOf, lateCallOf } from "./call-events.ts";
import { type BodyOutcome, LEFT_RUNNING, outcomeOfError, outcomeOfValue } from "./outcome.ts";

/** Never throws: whatever the body does is an outcome. */
export async function runBody(context: AttemptContext, dispatch: Dispatch): Promise<BodyOutcome> {
  const { action, call } = dispatch;
  const kind = kindOf(action);
  const body = invoke(context, dispatch).then(outcomeOfValue, (error: unknown) =>
    outcomeOfError(kind, error),
  );
  const found = await settledOrAborted(body, context.attempt.bodySignal);
  if (found !== undefined) return found;
  if (kind === "write") {
    void body.then((late) => {
      if (!context.attempt.dead) void context.late.store(lateCallOf(context, call), late);
    });
  }
  return LEFT_RUNNING;
}

/** Async, so that a body that throws at once is a rejection like any other. */
export async function invoke(context: AttemptContext, dispatch: Dispatch): Promise<unknown> {
  return dispatch.action.run(dispatch.parsed as never, {
    signal: context.attempt.bodySignal,
    idempotencyKey: keyOf(context, dispatch),
    runId: context.run.id,
    callId: dispatch.call.callId,
    attempt: context.attempt.attempt,
  });
}

/** The body's outcome, or undefined when the signal aborted and the body did not end at once. */
function settledOrAborted(
  body: Promise<BodyOutcome>,
  signal: AbortSignal,
): Promise<BodyOutcome | undefined> {
  return new Promise((resolve) => {
    // One turn of the event loop, so that a body that obeys the signal can say what it knows.
    const giveUp = () => setImmediate(() => resolve(undefined));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    void body.then((found) => {
      signal.removeEventListener("abort", giveUp);
      resolve(found);
    });
  });
}
