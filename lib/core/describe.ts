/**
 * Sentences for people: one for every event, and one for every row of the timeline, which a screen reader gets
 * instead of the bars. Pure; a type this version does not know gets a neutral sentence.
 */
import type { AttemptEndReason, KnownEvent, RunEvent } from "./event.ts";
import { isKnownEvent } from "./event.ts";
import type { CallState, CallView, IntentView } from "./run-view.ts";

export const STATE_WORDS: Record<CallState, string> = {
  not_started: "Not started",
  running: "Running",
  completed: "Completed",
  failed: "Failed, did not happen",
  interrupted: "Outcome unknown",
  blocked: "Not run again",
  held: "Needs you",
  verifying: "Checking",
  settled_landed: "Settled: happened",
  settled_absent: "Settled: did not happen",
  discarded: "Cut off",
};

export const CAUSE_WORDS: Record<AttemptEndReason, string> = {
  soft_timeout: "time budget used up",
  gateway_timeout: "gateway time-out",
  transport_error: "connection lost",
  process_lost: "server process lost",
  shutdown: "server shut down",
  ledger_unreadable: "database not readable",
  settled: "settled meanwhile",
};

type Sentences = {
  readonly [T in KnownEvent["type"]]: (event: Extract<KnownEvent, { type: T }>) => string;
};

const SENTENCES: Sentences = {
  run_started: ({ input }) =>
    input.kind === "message" ? `Asked: ${short(input.text)}` : `Called over HTTP: ${input.action}`,
  attempt_started: ({ attempt, owner, fence, note }) =>
    `Attempt ${attempt} by ${owner}, fence ${fence}${note === null ? "" : ", with a note"}`,
  step_started: ({ step, model }) => `Step ${step}: asked ${model}`,
  text: ({ text }) => short(text),
  reasoning: ({ text }) => `Reasoning: ${short(text)}`,
  step_finished: ({ step, calls, finishReason }) =>
    calls.length === 0
      ? `Step ${step} answered (${finishReason})`
      : `Step ${step} asked for ${calls.map(({ tool }) => words(tool)).join(", ")}`,
  tool_start: ({ tool, input, originalSeq }) =>
    `Started ${words(tool)} ${identityOf(input)}${originalSeq ? `, again after event ${originalSeq}` : ""}`,
  tool_done: ({ tool, outcome, late }) =>
    `${late ? "Late: " : ""}${words(tool)} ${OUTCOME_WORDS[outcome]}`,
  tool_blocked: ({ tool, originalSeq }) =>
    `Not run again: ${words(tool)}, done at event ${originalSeq}`,
  tool_held: ({ tool, behind, question = "unknown" }) =>
    behind === undefined
      ? `Held: ${words(tool)}, ${QUESTION_WORDS[question]}`
      : `Asked again: ${words(tool)}, waits behind another`,
  tool_resolved: ({ outcome, by }) =>
    `Settled by ${by === "person" ? "a person" : "a check"}: ${RESOLUTION_WORDS[outcome]}`,
  clear: ({ scope }) => (scope === "text" ? "Partial text discarded" : "Partial output discarded"),
  tripwire: ({ processor, reason }) => `Stopped by ${processor}: ${reason}`,
  attempt_ended: ({ reason, detail }) => `Cut: ${CAUSE_WORDS[reason]}. ${detail}`,
  run_waiting: ({ heldCallIds }) =>
    `Waits for a person about ${heldCallIds.length} ${heldCallIds.length === 1 ? "call" : "calls"}`,
  run_done: () => "The run is done",
  run_failed: ({ message, resumable }) =>
    `Failed: ${message}${resumable ? "" : " It can't be resumed."}`,
  run_cancelled: () => "Cancelled",
};

const OUTCOME_WORDS = {
  ok: "completed",
  failed: "did not happen",
  unknown: "has an unknown outcome",
} as const;

const QUESTION_WORDS = {
  unknown: "did it happen?",
  near: "is it the same as before?",
  approval: "may it be done?",
} as const;

const RESOLUTION_WORDS = {
  landed: "it happened",
  absent: "it did not happen",
  again: "run it once more",
  approved: "approved",
  denied: "denied",
} as const;

/** One line about an event. Never throws. */
export function describe(event: RunEvent): string {
  if (!isKnownEvent(event)) return `An event of a type this version does not know: ${event.type}`;
  try {
    const sentence = SENTENCES[event.type] as (event: KnownEvent) => string;
    return sentence(event);
  } catch {
    return `A ${event.type} that is not complete`;
  }
}

/** One row of the timeline as a sentence. */
export function describeIntent(intent: IntentView): string {
  const first = `${words(intent.tool)} ${identityOf(intent.input)}`.trim();
  const original = (seq: number | undefined) =>
    intent.calls.find(({ startSeq }) => startSeq !== undefined && startSeq === seq);
  const calls = intent.calls.map(
    (call) => `attempt ${call.attempt}: ${callSentence(call, original(call.originalSeq))}`,
  );
  return `${first}, ${calls.join("; ")}`;
}

function callSentence(call: CallView, original: CallView | undefined): string {
  const state = STATE_WORDS[call.state].toLowerCase();
  if (call.state === "blocked" && original) {
    return `${state}, original completed in attempt ${original.attempt}`;
  }
  return call.late ? `${state}, told late` : state;
}

/** The arguments by which a person recognises a call: the first few short ones. */
export function identityOf(input: unknown): string {
  return identityParts(input).join(" · ");
}

export function identityParts(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input)
    .filter(([name, value]) => !LONG_NAMES.has(name) && ["string", "number"].includes(typeof value))
    .slice(0, 3)
    .map(([name, value]) => (name === "amount" ? `€${value}` : short(String(value), 40)));
}

const LONG_NAMES = new Set(["body", "description", "memo", "content"]);

/** `send_email` as "send email". */
export function words(tool: string): string {
  return tool.replaceAll("_", " ");
}

function short(text: string, most = 120): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}
