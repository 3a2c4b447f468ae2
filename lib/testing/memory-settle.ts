/**
 * The two appends that need no fence, in memory: a late outcome and a person's settlement. Both look at the call
 * and append in the same tick, as the database does under the run's row lock, and both wake a waiting run whose
 * last awaited call they close.
 */
import { isKnownEvent } from "../core/event.ts";
import { findCall, openHeldEntries } from "../core/held-step.ts";
import type { LateOutcome, LateStored, Settlement } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import { settlementEvent } from "../core/settlement.ts";
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
  const event = settlementEvent(state.record(row), state.eventsOf(row), settlement);
  const { firstSeq } = state.insert(row, `settle:${state.nextNumber()}`, encodeEvents([event]));
  wakeIfNothingIsHeld(state, row);
  return { seq: firstSeq, run: state.record(row) };
}

function wakeIfNothingIsHeld(state: MemoryState, row: RunRow): void {
  if (row.status !== "waiting") return;
  const events = state.eventsOf(row).filter(isKnownEvent);
  const waiting = events.findLast((event) => event.type === "run_waiting");
  if (openHeldEntries(events, waiting?.heldCallIds ?? []).length === 0) state.makeDue(row);
}
