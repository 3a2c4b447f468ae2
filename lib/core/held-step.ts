/**
 * Calls that wait for a person, read from the ledger. Pure, linear, and content with events that carry no results,
 * since the store asks these questions inside a transaction.
 */
import type {
  PlannedCall,
  RunEvent,
  ToolBlocked,
  ToolHeld,
  ToolResolved,
  ToolStart,
} from "./event.ts";
import { isKnownEvent } from "./event.ts";

/** What was answered about a held call itself. */
export interface HeldAnswers {
  /** About the start it is nearly equal to, with that start's seq. */
  readonly near?: { readonly isSame: boolean; readonly startSeq: number };
  readonly approval?: "approved" | "denied";
}

/** The last step whose held calls were not finished. */
export interface HeldStep {
  /** Held calls without a start, a done, a block or a refusal of their own since, in the model's order. */
  readonly calls: readonly PlannedCall[];
  /** What was answered about them, by callId. */
  readonly answers: ReadonlyMap<string, HeldAnswers>;
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
  const held = new Map<string, ToolHeld>();
  const answers = new Map<string, HeldAnswers>();
  const claimed: number[] = [];
  for (const event of events) {
    if (!isKnownEvent(event) || !("callId" in event)) continue;
    if (event.type === "tool_resolved") {
      const about = held.get(event.heldCallId ?? event.callId);
      if (about) answers.set(about.callId, withAnswer(answers.get(about.callId), about, event));
    } else if (callIds.has(event.callId)) {
      if (event.type === "tool_held") held.set(event.callId, event);
      else held.delete(event.callId);
      const { originalSeq } = event as ToolStart | ToolBlocked;
      if (event.type !== "tool_held" && originalSeq !== undefined) claimed.push(originalSeq);
    }
  }
  const calls = planned.filter(
    ({ callId }) => held.has(callId) && answers.get(callId)?.approval !== "denied",
  );
  return calls.length === 0 ? undefined : { calls, answers, claimed, callIds: [...callIds] };
}

function withAnswer(
  known: HeldAnswers | undefined,
  { question, nearOf }: ToolHeld,
  { outcome }: ToolResolved,
): HeldAnswers {
  if (question === "approval") {
    return { ...known, approval: outcome === "approved" ? "approved" : "denied" };
  }
  if (question !== "near" || nearOf === undefined) return known ?? {};
  return { ...known, near: { isSame: outcome === "landed", startSeq: nearOf } };
}

function lastPlan(events: readonly RunEvent[]): readonly PlannedCall[] | undefined {
  const finished = events.findLast((event) => event.type === "step_finished");
  if (!finished || !isKnownEvent(finished) || finished.type !== "step_finished") return undefined;
  return finished.calls;
}

/** What the ledger says about one call. */
export interface CallFacts {
  /** The open call's start; undefined for a call that is held on its own account. */
  readonly start: ToolStart | undefined;
  /** The held call that asks about it, first of several. */
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
  const start = named ?? (asked && openStartOf(asked, starts, events));
  if (!start && !asked) return undefined;
  const claims = start ? helds.filter((held) => held.originalSeq === start.seq) : [];
  const held = start ? claims.find((claim) => claim.behind === undefined) : asked;
  const ids = [start?.callId, (held ?? asked)?.callId];
  const about = events.filter((event) => "callId" in event && ids.includes(event.callId as string));
  const from = start?.seq ?? asked?.seq ?? 0;
  const state = start ? stateOfStart(start, starts, events) : stateOfHeld(asked, events);
  return { start, held: held ?? asked, state, lastSeq: about.at(-1)?.seq ?? from };
}

/** The start that a held call asks about; a near one only while it is open, because else it is no question. */
function openStartOf(
  asked: ToolHeld,
  starts: readonly ToolStart[],
  events: readonly RunEvent[],
): ToolStart | undefined {
  const start = starts.find(({ seq }) => seq === asked.originalSeq);
  if (!start || asked.question !== "near") return start;
  const wasOpen = stateOfStart(start, starts, before(events, asked.seq)) === "open";
  return wasOpen ? start : undefined;
}

/** Which of the held calls still wait: for an answer of their own, or because the start they ask for is open. */
export function openHeldEntries(
  events: readonly RunEvent[],
  heldCallIds: readonly string[],
): string[] {
  const helds = events.filter((event): event is ToolHeld => event.type === "tool_held");
  const starts = events.filter((event): event is ToolStart => event.type === "tool_start");
  const waits = (callId: string): boolean => {
    const asked = helds.findLast((held) => held.callId === callId);
    if (!asked) return false;
    // It waits for as long as the one before it does; ids are minted in order, so this ends.
    if (asked.behind !== undefined && asked.behind !== callId) return waits(asked.behind);
    if (isOwnQuestion(asked)) return stateOfHeld(asked, events) === "open";
    const start = starts.find(({ seq }) => seq === asked.originalSeq);
    return start === undefined || stateOfStart(start, starts, events) === "open";
  };
  return heldCallIds.filter(waits);
}

/** Waits for an answer about itself, whatever becomes of a start. */
function isOwnQuestion({ question, originalSeq }: ToolHeld): boolean {
  return question === "near" || question === "approval" || originalSeq === undefined;
}

function stateOfHeld(asked: ToolHeld | undefined, events: readonly RunEvent[]): "open" | "settled" {
  const isAnswer = (event: RunEvent) =>
    event.type === "tool_resolved" &&
    event.seq > (asked?.seq ?? 0) &&
    ((event as ToolResolved).heldCallId ?? (event as ToolResolved).callId) === asked?.callId;
  return events.some(isAnswer) ? "settled" : "open";
}

/** One key is one effect: what proves a start of the same tool under the same key proves this one. */
function stateOfStart(
  start: ToolStart,
  starts: readonly ToolStart[],
  events: readonly RunEvent[],
): CallFacts["state"] {
  const siblings = starts.filter(
    ({ tool, idempotencyKey }) => tool === start.tool && idempotencyKey === start.idempotencyKey,
  );
  const proofIds = new Set(siblings.map(({ callId }) => callId));
  let isSettled = false;
  let isProven = false;
  for (const event of events) {
    if (!isKnownEvent(event) || !("callId" in event)) continue;
    const isOwn = event.callId === start.callId && event.seq > start.seq;
    if (event.type === "tool_resolved" && event.outcome !== "approved") {
      isSettled ||= isOwn;
      isProven ||= event.outcome === "landed" && proofIds.has(event.callId);
    }
    if (event.type !== "tool_done" || event.outcome === "unknown") continue;
    if (isOwn) return "known";
    isProven ||= event.outcome !== "failed" && proofIds.has(event.callId);
  }
  // A settled start whose own outcome is still to come may contradict what was said: that is worth storing.
  if (isSettled) return "settled";
  return isProven ? "known" : "open";
}

function before(events: readonly RunEvent[], seq: number): readonly RunEvent[] {
  return events.filter((event) => event.seq < seq);
}
