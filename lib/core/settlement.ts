/**
 * A person's answer about a call: whether it may be given, and the event it becomes. Pure, so that every store
 * decides alike under its own lock.
 */
import { callNotFound, callNotHeld, callSettled, runBusy } from "./errors.ts";
import type { NewEvent, RunEvent } from "./event.ts";
import { type CallFacts, findCall } from "./held-step.ts";
import type { Settlement } from "./ports.ts";
import type { RunRecord } from "./run-record.ts";

/**
 * Makes the event of an answer. `events`: the run's tool events, in order.
 * Throws `call-not-found`, `call-settled`, `run-busy` (the run is at work), `call-not-held`.
 */
export function settlementEvent(
  run: Pick<RunRecord, "id" | "status" | "attempts">,
  events: readonly RunEvent[],
  settlement: Settlement,
): NewEvent {
  const { callId, outcome, result, reason } = settlement;
  const call = findCall(events, callId);
  if (!call) throw callNotFound(callId);
  // Told before "busy": the first answer stands, whatever the run does by now.
  if (call.state !== "open") throw callSettled(callId, "The call is already settled.");
  if (run.status === "running") {
    throw runBusy("The run is working; settle the call when it waits.", { runId: run.id });
  }
  assertFits(call, settlement);
  return {
    type: "tool_resolved",
    attempt: run.attempts,
    callId: call.start?.callId ?? call.held?.callId ?? callId,
    ...(call.held && { heldCallId: call.held.callId }),
    by: "person",
    outcome,
    ...(result !== undefined && { result }),
    ...(reason !== undefined && { reason }),
  };
}

function assertFits(call: CallFacts, { callId, outcome, seenSeq }: Settlement): void {
  if (seenSeq !== undefined && call.lastSeq > seenSeq) {
    throw callSettled(callId, "Something newer is known about the call; look at it again.");
  }
  if (outcome === "again" && !call.held) {
    throw callNotHeld(callId, "No call waits to be run again.");
  }
  const isLeave = outcome === "approved" || outcome === "denied";
  const wantsLeave = call.start === undefined && call.held?.question !== "near";
  if (isLeave !== wantsLeave) {
    throw callNotHeld(callId, `"${outcome}" is no answer to what this call waits for.`);
  }
}
