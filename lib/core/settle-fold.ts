/**
 * What settling does: an answer closes the open start, and every call that was held because of it is held no
 * longer. The next attempt decides those anew; until then they say what was answered.
 */
import { isOpen } from "./call-state.ts";
import type { Resolution } from "./event.ts";
import type { Fact } from "./event-fields.ts";
import { someText } from "./event-fields.ts";
import { findCall, putCall } from "./intent-rows.ts";
import type { CallState, CallView, RunState, SettlementView } from "./run-view.ts";

const RESOLUTIONS: Record<Resolution, CallState> = {
  landed: "settled_landed",
  absent: "settled_absent",
  again: "settled_absent",
  approved: "not_started",
  denied: "settled_absent",
};

export function foldResolved(state: RunState, fact: Fact): RunState {
  const outcome = resolutionOf(fact.fields["outcome"]);
  const call = findCall(state, someText(fact.fields["callId"]) ?? "");
  if (outcome === undefined || call === undefined) return state;
  const settlement = settlementOf(fact, outcome);
  if (!isOpen(call)) return settleOwn(state, fact, settlement);
  const settled: CallView = {
    ...call,
    state: RESOLUTIONS[outcome],
    resolvedSeq: fact.seq,
    endedAt: call.endedAt ?? fact.at,
    settlement,
    ...(outcome === "landed" && { result: fact.fields["result"] }),
  };
  const answered = settleOwn(putCall(state, settled), fact, settlement);
  return releaseHeld(answered, settled.callId, fact);
}

/** Frees the calls that were held because of a start, once that start is no longer open. */
export function releaseHeld(state: RunState, originalId: string, fact: Fact): RunState {
  const original = findCall(state, originalId);
  if (original?.startSeq === undefined || isOpen(original)) return state;
  const settlement =
    original.settlement ??
    settlementOf(fact, original.state === "completed" ? "landed" : "absent", "late");
  let next = state;
  for (const call of state.calls) {
    const waitsForIt = call.question === "unknown" && call.originalSeq === original.startSeq;
    if (call.state !== "held" || !waitsForIt) continue;
    next = putCall(next, released(call, settlement));
  }
  return next;
}

function released(call: CallView, settlement: SettlementView): CallView {
  // One that waited behind is no part of the answer: it is decided anew when the run goes on.
  if (call.behind !== undefined) return { ...call, state: "not_started" };
  return {
    ...call,
    state: RESOLUTIONS[settlement.outcome],
    resolvedSeq: settlement.seq,
    settlement,
  };
}

/** An answer about a call that was held on its own account: a near match, or one that needs leave. */
function settleOwn(state: RunState, fact: Fact, settlement: SettlementView): RunState {
  const heldId = someText(fact.fields["heldCallId"]) ?? someText(fact.fields["callId"]) ?? "";
  const held = findCall(state, heldId);
  if (held?.state !== "held") return state;
  return putCall(state, released(held, settlement));
}

function settlementOf(
  fact: Fact,
  outcome: Resolution,
  by: SettlementView["by"] = fact.fields["by"] === "verify" ? "verify" : "person",
): SettlementView {
  const reason = by === "late" ? undefined : someText(fact.fields["reason"]);
  const { evidence } = fact.fields;
  return {
    by,
    outcome,
    seq: fact.seq,
    at: fact.at,
    ...(reason !== undefined && { reason }),
    ...(by !== "late" && evidence !== undefined && { evidence }),
  };
}

function resolutionOf(value: unknown): Resolution | undefined {
  return typeof value === "string" && Object.hasOwn(RESOLUTIONS, value)
    ? (value as Resolution)
    : undefined;
}
