/** What the ledger says about one call, and which held calls still wait. */
import type { RunEvent, ToolHeld, ToolStart } from "../core/event.ts";
import { isKnownEvent } from "../core/event.ts";

export interface CallFacts {
  /** The start that is or was open; undefined for an approval, which asks about a call that has none. */
  readonly start: ToolStart | undefined;
  readonly held: ToolHeld | undefined;
  /** `known`: it has an outcome of its own. `settled`: a person or a verifier answered for it. */
  readonly state: "open" | "settled" | "known";
  /** seq of the newest event about either of the two. */
  readonly lastSeq: number;
}

/** Finds a call by the id of its start or by that of a call held because of it. */
export function factsOf(events: readonly RunEvent[], callId: string): CallFacts | undefined {
  const named = startOf(events, callId);
  const held = named ? heldFor(events, named.seq) : heldOf(events, callId);
  const start = named ?? (held && startAt(events, held.originalSeq));
  if (!start && !held) return undefined;
  const ids = [start?.callId, held?.callId];
  const about = events.filter((event) => ids.includes(idOf(event)));
  const from = start?.seq ?? held?.seq ?? 0;
  return { start, held, state: stateFrom(about, from), lastSeq: about.at(-1)?.seq ?? from };
}

/** The held calls of the last wait whose entry is still open or whose approval is undecided. */
export function stillHeld(events: readonly RunEvent[]): string[] {
  const waiting = events.findLast((event) => event.type === "run_waiting");
  if (!waiting || !isKnownEvent(waiting) || waiting.type !== "run_waiting") return [];
  return waiting.heldCallIds.filter((callId) => {
    const held = heldOf(events, callId);
    const start = held && startAt(events, held.originalSeq);
    return (start ? factsOf(events, start.callId) : factsOf(events, callId))?.state === "open";
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

function idOf(event: RunEvent): string | undefined {
  return isKnownEvent(event) && "callId" in event ? event.callId : undefined;
}

function startOf(events: readonly RunEvent[], callId: string): ToolStart | undefined {
  return starts(events).findLast((start) => start.callId === callId);
}

function startAt(events: readonly RunEvent[], seq: number | undefined): ToolStart | undefined {
  return starts(events).find((start) => start.seq === seq);
}

function starts(events: readonly RunEvent[]): ToolStart[] {
  return events.filter((event): event is ToolStart => event.type === "tool_start");
}

function heldOf(events: readonly RunEvent[], callId: string): ToolHeld | undefined {
  return helds(events).findLast((held) => held.callId === callId);
}

/** The call that claimed the open start; one that only waits behind it comes second. */
function heldFor(events: readonly RunEvent[], startSeq: number): ToolHeld | undefined {
  const all = helds(events).filter((held) => held.originalSeq === startSeq);
  return all.findLast((held) => held.behind === undefined) ?? all.at(-1);
}

function helds(events: readonly RunEvent[]): ToolHeld[] {
  return events.filter((event): event is ToolHeld => event.type === "tool_held");
}
