/**
 * Calls that wait for a person, read from the ledger. Pure, linear, and content with events that carry no results,
 * since the store asks these questions inside a transaction.
 */
import type { PlannedCall, RunEvent, ToolHeld, ToolStart } from "./event.ts";
import { isKnownEvent } from "./event.ts";

/** The last step whose held calls were not finished. */
export interface HeldStep {
  /** Held calls without a start, a done or a block of their own since, in the model's order. */
  readonly calls: readonly PlannedCall[];
  /** seqs of the starts whose entries calls of this step have claimed already: those claims stay made. */
  readonly claimed: readonly number[];
  /** Every call of the step: an entry never answers a call of its own step. */
  readonly callIds: readonly string[];
}

/** Finds the step that the next attempt has to finish before it asks the model. */
export function heldStepOf(events: readonly RunEvent[]): HeldStep | undefined {
  const planned = lastPlan(events);
  if (!planned) return undefined;
  const callIds = new Set(planned.map(({ callId }) => callId));
  const held = new Set<string>();
  const claimed: number[] = [];
  for (const event of events) {
    if (!isKnownEvent(event) || !("callId" in event) || !callIds.has(event.callId)) continue;
    if (event.type === "tool_held") held.add(event.callId);
    else if (event.type !== "tool_resolved") held.delete(event.callId);
    if (event.type === "tool_start" || event.type === "tool_blocked") {
      if (event.originalSeq !== undefined) claimed.push(event.originalSeq);
    }
  }
  if (held.size === 0) return undefined;
  const calls = planned.filter(({ callId }) => held.has(callId));
  return { calls, claimed, callIds: [...callIds] };
}

function lastPlan(events: readonly RunEvent[]): readonly PlannedCall[] | undefined {
  const finished = events.findLast((event) => event.type === "step_finished");
  if (!finished || !isKnownEvent(finished) || finished.type !== "step_finished") return undefined;
  return finished.calls;
}

/** What the ledger says about one call. */
export interface CallFacts {
  /** The open call's start; undefined for a call that was held without one. */
  readonly start: ToolStart | undefined;
  /** The held call that claimed it, first of several. */
  readonly held: ToolHeld | undefined;
  /** `known`: it has an outcome of its own. `settled`: a person or a verifier answered for it. */
  readonly state: "open" | "settled" | "known";
  /** seq of the newest event about either of the two. */
  readonly lastSeq: number;
}

/** Looks a call up by the id of the open or of the held call. undefined: it was never started or held. */
export function findCall(events: readonly RunEvent[], callId: string): CallFacts | undefined {
  const starts = events.filter((event): event is ToolStart => event.type === "tool_start");
  const helds = events.filter((event): event is ToolHeld => event.type === "tool_held");
  const named = starts.findLast((start) => start.callId === callId);
  const asked = helds.findLast((event) => event.callId === callId);
  const start = named ?? (asked && starts.find((event) => event.seq === asked.originalSeq));
  if (!start && !asked) return undefined;
  const claims = start ? helds.filter((held) => held.originalSeq === start.seq) : [];
  const held = claims.find((claim) => claim.behind === undefined) ?? asked;
  const ids = [start?.callId, held?.callId];
  const about = events.filter((event) => "callId" in event && ids.includes(event.callId as string));
  const from = start?.seq ?? held?.seq ?? 0;
  return { start, held, state: stateFrom(about, from), lastSeq: about.at(-1)?.seq ?? from };
}

/** Which of the held calls still wait: those whose claimed entry is open. */
export function openHeldEntries(
  events: readonly RunEvent[],
  heldCallIds: readonly string[],
): string[] {
  const helds = events.filter((event): event is ToolHeld => event.type === "tool_held");
  const starts = events.filter((event): event is ToolStart => event.type === "tool_start");
  return heldCallIds.filter((callId) => {
    const asked = helds.findLast((held) => held.callId === callId);
    const entry = starts.find((start) => start.seq === asked?.originalSeq);
    return findCall(events, entry?.callId ?? callId)?.state === "open";
  });
}

function stateFrom(about: readonly RunEvent[], fromSeq: number): CallFacts["state"] {
  let settled = false;
  for (const event of about) {
    if (event.seq <= fromSeq || !isKnownEvent(event)) continue;
    if (event.type === "tool_resolved") settled = true;
    if (event.type === "tool_done" && event.outcome !== "unknown") return "known";
  }
  return settled ? "settled" : "open";
}
