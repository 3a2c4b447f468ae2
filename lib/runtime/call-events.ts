/** The events of one call, made from what the loop and the guard know. */
import type { CallKind, Check, NewEvent, PlannedCall, ToolDone } from "../core/event.ts";
import { isRead } from "../core/action-policy.ts";
import type { Decision } from "../core/guard.ts";
import { idempotencyKeyOf } from "../core/ids.ts";
import { signatureOf } from "../core/signature.ts";
import type { Action } from "./action.ts";
import type { AttemptContext } from "./attempt-context.ts";
import type { LateCall } from "./late-outcomes.ts";
import type { BodyOutcome } from "./outcome.ts";

/** A call that may run: its action, its parsed input, and what the guard said. */
export interface Dispatch {
  readonly call: PlannedCall;
  readonly action: Action;
  readonly parsed: unknown;
  readonly decision: Decision;
}

export const kindOf = (action: Action): CallKind => (isRead(action) ? "read" : "write");

/** The key that this call's body gets: that of the entry it repeats, else its own. */
export function keyOf(context: AttemptContext, { call, decision }: Dispatch): string {
  return decision.idempotencyKey ?? idempotencyKeyOf(context.run.id, call.callId);
}

function placeOf(context: AttemptContext, { call, action, decision }: Dispatch) {
  return {
    attempt: context.attempt.attempt,
    callId: call.callId,
    tool: call.tool,
    input: call.input,
    // The guard has computed it for writes; for reads it is only shown.
    signature: decision.signature ?? signatureOf(call.tool, call.input, action),
  };
}

export function startOf(context: AttemptContext, dispatch: Dispatch): NewEvent {
  const { decision, action } = dispatch;
  return {
    type: "tool_start",
    ...placeOf(context, dispatch),
    kind: kindOf(action),
    idempotencyKey: keyOf(context, dispatch),
    ...(decision.entry && { originalSeq: decision.entry.startSeq }),
    ...nearnessOf(decision),
    reason: decision.reason,
  };
}

function nearnessOf({ nearOf, differences, ignored }: Decision) {
  return {
    ...(nearOf !== undefined && { nearOf }),
    ...(differences && { differences }),
    ...(ignored && { ignored }),
  };
}

export function doneOf(
  context: AttemptContext,
  call: PlannedCall,
  found: BodyOutcome,
): Omit<ToolDone, "seq" | "at"> {
  return {
    type: "tool_done",
    attempt: context.attempt.attempt,
    callId: call.callId,
    tool: call.tool,
    ...found,
  };
}

/** A call that can't be dispatched: known not to have happened, without a start. */
export function refusalOf(context: AttemptContext, call: PlannedCall, problem: string): NewEvent {
  const done = doneOf(context, call, { outcome: "failed", result: { error: problem } });
  return { ...done, input: call.input };
}

export function blockedOf(context: AttemptContext, dispatch: Dispatch): NewEvent {
  const { entry, ignored, reason } = dispatch.decision;
  if (!entry) throw new Error("Broken invariant: a block names the entry that answers");
  return {
    type: "tool_blocked",
    ...placeOf(context, dispatch),
    originalSeq: entry.startSeq,
    result: entry.result ?? null,
    ...(ignored && { ignored }),
    reason,
  };
}

export function heldOf(
  context: AttemptContext,
  dispatch: Dispatch & { readonly check?: Check },
): NewEvent {
  const { check, decision } = dispatch;
  const { entry, behind, question = "unknown", reason } = decision;
  return {
    type: "tool_held",
    ...placeOf(context, dispatch),
    ...(entry && { originalSeq: entry.startSeq }),
    ...(behind !== undefined && { behind }),
    question,
    ...nearnessOf(decision),
    ...(check && { check }),
    reason,
  };
}

export function lateCallOf(context: AttemptContext, call: PlannedCall): LateCall {
  const { callId, tool, input } = call;
  return { runId: context.run.id, attempt: context.attempt.attempt, callId, tool, input };
}
