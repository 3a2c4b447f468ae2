/**
 * What a call adds up to: its share of the run's counts and, with its repeats, the state of its row. The counts of
 * a run are the sum of its calls' shares, so that they can't drift from what the rows show.
 */
import type { CallState, CallView, Counts } from "./run-view.ts";

export const NO_COUNTS: Counts = { asked: 0, effects: 0, prevented: 0, unknown: 0, needsYou: 0 };

/** A started write without a proven outcome that nobody has settled. */
export function isOpen(call: CallView): boolean {
  return call.startSeq !== undefined && OPEN_STATES[call.state];
}

/** Tells whether a write has happened for sure. */
export function isProven(call: CallView): boolean {
  return (
    call.startSeq !== undefined &&
    call.kind !== "read" &&
    (call.state === "completed" || call.state === "settled_landed")
  );
}

/** Asks a person something: a held call that waits for itself and not behind another. */
export function needsPerson(call: CallView): boolean {
  return call.state === "held" && call.behind === undefined;
}

/** The counts after `before` (absent for a new call) became `after`. */
export function recount(counts: Counts, before: CallView | undefined, after: CallView): Counts {
  const old = before === undefined ? NO_COUNTS : shareOf(before);
  const fresh = shareOf(after);
  return {
    asked: counts.asked - old.asked + fresh.asked,
    effects: counts.effects - old.effects + fresh.effects,
    prevented: counts.prevented - old.prevented + fresh.prevented,
    unknown: counts.unknown - old.unknown + fresh.unknown,
    needsYou: counts.needsYou - old.needsYou + fresh.needsYou,
  };
}

/** What is known about a row: the most urgent of its calls, where a proof outweighs what came of the repeats. */
export function intentStateOf(calls: readonly CallView[]): CallState {
  let state: CallState = "not_started";
  let rank = Infinity;
  for (const call of calls) {
    if (RANK[call.state] < rank) {
      rank = RANK[call.state];
      state = call.state;
    }
  }
  return state;
}

function shareOf(call: CallView): Counts {
  return {
    asked: Number(call.kind !== "read"),
    // Starts under one key that one outcome proves are one effect: the call with the outcome is counted.
    effects: Number(isProven(call) && call.provenBy === undefined),
    prevented: Number(call.state === "blocked"),
    unknown: Number(call.state === "interrupted"),
    needsYou: Number(needsPerson(call)),
  };
}

const OPEN_STATES: Record<CallState, boolean> = {
  not_started: false,
  running: true,
  completed: false,
  failed: false,
  interrupted: true,
  blocked: false,
  held: false,
  verifying: true,
  settled_landed: false,
  settled_absent: false,
  discarded: false,
};

/** Lower is more urgent. An open start outweighs a completed repeat: what it did is not known. */
const RANK: Record<CallState, number> = {
  held: 0,
  running: 1,
  verifying: 2,
  interrupted: 3,
  completed: 4,
  settled_landed: 5,
  failed: 6,
  settled_absent: 7,
  blocked: 8,
  not_started: 9,
  discarded: 10,
};
