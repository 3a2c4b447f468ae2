/**
 * The two appends that need no fence, in memory: a late outcome and a person's settlement. Both look at the call
 * and append in the same tick, as the database does under the run's row lock, and both wake a waiting run whose
 * last awaited call they close.
 */
import { callNotFound, callNotHeld, callSettled, runBusy } from "../core/errors.ts";
import { isKnownEvent, type NewEvent } from "../core/event.ts";
import { type CallFacts, findCall, openHeldEntries } from "../core/held-step.ts";
import type { LateOutcome, LateStored, Settlement } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import type { MemoryState, RunRow } from "./memory-state.ts";
import { encodeEvents } from "./memory-state.ts";

/** Stores a late outcome; `json` is its event as it was sent. */
export function appendLate(state: MemoryState, late: LateOutcome, json: string): LateStored {
  const row = state.row(late.runId);
  const known = row.appends.get(late.appendId);
  const before = state.eventsOf(row).filter((event) => !known || event.seq < known.firstSeq);
  const facts = findCall(before, late.event.callId);
  const open = facts?.state === "open";
  if (known) return { kind: open ? "stored" : "contradiction", seq: known.firstSeq };
  if (!facts || facts.state === "known") return { kind: "known" };
  const { firstSeq } = state.insert(row, late.appendId, [json]);
  wakeIfNothingIsHeld(state, row);
  return { kind: open ? "stored" : "contradiction", seq: firstSeq };
}

/** Stores a person's answer. */
export function settle(
  state: MemoryState,
  settlement: Settlement,
): { readonly seq: number; readonly run: RunRecord } {
  const row = state.row(settlement.runId);
  if (row.status === "running") {
    throw runBusy("The run is working; settle the call when it waits.", { runId: row.id });
  }
  const facts = findCall(state.eventsOf(row), settlement.callId);
  if (!facts) throw callNotFound(settlement.callId);
  assertSettleable(facts, settlement);
  const texts = encodeEvents([resolvedEvent(row, facts, settlement)]);
  const { firstSeq } = state.insert(row, `settle:${state.nextNumber()}`, texts);
  wakeIfNothingIsHeld(state, row);
  return { seq: firstSeq, run: state.record(row) };
}

function assertSettleable(facts: CallFacts, { callId, outcome, seenSeq }: Settlement): void {
  if (facts.state !== "open") throw callSettled(callId, "The call is already settled.");
  if (seenSeq !== undefined && facts.lastSeq > seenSeq) {
    throw callSettled(callId, "Something newer is known about the call; look at it again.");
  }
  if (outcome === "again" && !facts.held) {
    throw callNotHeld(callId, "No call waits to be run again.");
  }
  const approves = outcome === "approved" || outcome === "denied";
  if (approves !== (facts.start === undefined)) {
    throw callNotHeld(callId, `"${outcome}" is no answer to what this call waits for.`);
  }
}

function resolvedEvent(row: RunRow, facts: CallFacts, settlement: Settlement): NewEvent {
  const { outcome, result, reason } = settlement;
  return {
    type: "tool_resolved",
    attempt: row.attempts,
    callId: facts.start?.callId ?? settlement.callId,
    ...(facts.held && { heldCallId: facts.held.callId }),
    by: "person",
    outcome,
    ...(result !== undefined && { result }),
    ...(reason !== undefined && { reason }),
  };
}

function wakeIfNothingIsHeld(state: MemoryState, row: RunRow): void {
  if (row.status !== "waiting") return;
  const events = state.eventsOf(row).filter(isKnownEvent);
  const waiting = events.findLast((event) => event.type === "run_waiting");
  if (openHeldEntries(events, waiting?.heldCallIds ?? []).length === 0) state.makeDue(row);
}
