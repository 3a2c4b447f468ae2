/** What the ledger says about one call, and which held calls still wait. */
import type { RunEvent, ToolHeld, ToolStart } from "../core/event.ts";
import { isKnownEvent } from "../core/event.ts";

export interface CallFacts {
  readonly start: ToolStart | undefined;
  readonly held: ToolHeld | undefined;
  /** `known`: it has an outcome of its own. `settled`: a person or a verifier answered for it. */
  readonly state: "open" | "settled" | "known";
  /** seq of the newest event about either of the two. */
  readonly lastSeq: number;
}

export function findCall(events: readonly RunEvent[], callId: string): CallFacts | undefined {
  const starts = events.filter((event): event is ToolStart => event.type === "tool_start");
  const helds = events.filter((event): event is ToolHeld => event.type === "tool_held");
  const named = starts.findLast((start) => start.callId === callId);
  const claims = named ? helds.filter((held) => held.originalSeq === named.seq) : [];
  const held = named
    ? claims.find((claim) => claim.behind === undefined)
    : helds.findLast((event) => event.callId === callId);
  const start = named ?? (held && starts.find((event) => event.seq === held.originalSeq));
  if (!start && !held) return undefined;
  const ids = [start?.callId, held?.callId];
  const about = events.filter((event) => "callId" in event && ids.includes(event.callId as string));
  const from = start?.seq ?? held?.seq ?? 0;
  return { start, held, state: stateFrom(about, from), lastSeq: about.at(-1)?.seq ?? from };
}

export function openHeldEntries(
  events: readonly RunEvent[],
  heldCallIds: readonly string[],
): string[] {
  return heldCallIds.filter((callId) => findCall(events, callId)?.state === "open");
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
