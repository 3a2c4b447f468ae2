/** Hand-made ledgers of whole runs, one per story, for tests of what a reader sees. Times are 100 ms apart. */
import type { NewEvent, PlannedCall, RunEvent } from "../core/event.ts";

/** An event without a place; `after` = milliseconds since the one before, 100 if not given. */
export type Step = NewEvent & { readonly after?: number };

const BASE_MS = Date.UTC(2026, 2, 3, 14, 2, 0);

/** Numbers the events and gives them times. */
export function ledgerOf(...steps: readonly Step[]): RunEvent[] {
  let ms = BASE_MS;
  return steps.map(({ after = 100, ...event }, index) => {
    ms += after;
    return { ...event, seq: index + 1, at: new Date(ms).toISOString() } as RunEvent;
  });
}

export const MAIL = {
  to: "ada@example.com",
  subject: "March report",
  body: "Dear Ada, here it is.",
};
export const CHARGE = { customer: "42", amount: 20, currency: "EUR", purpose: "March" };

export const runStarted = (text = "Email ada@example.com the March report"): Step => ({
  type: "run_started",
  attempt: 0,
  input: { kind: "message", text },
});

type Started = Extract<NewEvent, { type: "attempt_started" }>;

export const attemptStarted = (attempt: number, more: Partial<Started> = {}): Step => ({
  type: "attempt_started",
  attempt,
  owner: `host-${attempt}`,
  fence: attempt,
  reason: attempt === 1 ? "first" : "process_lost",
  note: attempt === 1 ? null : "Completed before the cut: send_email.",
  ...more,
});

export const stepStarted = (attempt: number, step = 1): Step => ({
  type: "step_started",
  attempt,
  step,
  model: "demo",
});

export const textDelta = (attempt: number, text: string): Step => ({ type: "text", attempt, text });

export const planned = (callId: string, tool: string, input: unknown): PlannedCall => ({
  callId,
  providerCallId: `p_${callId}`,
  tool,
  input,
});

export const stepFinished = (attempt: number, calls: readonly PlannedCall[], step = 1): Step => ({
  type: "step_finished",
  attempt,
  step,
  finishReason: calls.length > 0 ? "tool-calls" : "stop",
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  calls,
});

type Start = Extract<NewEvent, { type: "tool_start" }>;

export const toolStart = (
  attempt: number,
  { callId, tool, input }: PlannedCall,
  more: Partial<Start> = {},
): Step => ({
  type: "tool_start",
  attempt,
  callId,
  tool,
  input,
  kind: "write",
  signature: `sig ${tool} ${JSON.stringify(input)}`,
  idempotencyKey: `run_1:${callId}`,
  ...more,
});

export const toolDone = (
  attempt: number,
  { callId, tool }: PlannedCall,
  more: Partial<Extract<NewEvent, { type: "tool_done" }>> = {},
): Step => ({
  type: "tool_done",
  attempt,
  callId,
  tool,
  outcome: "ok",
  result: { id: `${tool}_1` },
  ...more,
});

export const toolBlocked = (
  attempt: number,
  { callId, tool, input }: PlannedCall,
  originalSeq: number,
): Step => ({
  type: "tool_blocked",
  attempt,
  callId,
  tool,
  input,
  signature: `sig ${tool} ${JSON.stringify(input)}`,
  originalSeq,
  result: { id: `${tool}_1` },
  reason: "Already completed in an earlier attempt with the same arguments.",
});

export const toolHeld = (
  attempt: number,
  { callId, tool, input }: PlannedCall,
  originalSeq: number,
  behind?: string,
): Step => ({
  type: "tool_held",
  attempt,
  callId,
  tool,
  input,
  signature: `sig ${tool} ${JSON.stringify(input)}`,
  originalSeq,
  ...(behind !== undefined && { behind }),
  reason: "Did the first one happen? Its outcome was never stored.",
});

export const toolResolved = (
  attempt: number,
  callId: string,
  outcome: "landed" | "absent" | "again",
  heldCallId?: string,
): Step => ({
  type: "tool_resolved",
  attempt,
  callId,
  ...(heldCallId !== undefined && { heldCallId }),
  by: "person",
  outcome,
  reason: "Ada has it.",
  ...(outcome === "landed" && { result: { id: "send_email_1" } }),
});

type CutReason = Extract<NewEvent, { type: "attempt_ended" }>["reason"];

export const attemptEnded = (attempt: number, reason: CutReason, detail = "It was cut."): Step => ({
  type: "attempt_ended",
  attempt,
  reason,
  detail,
});

export const runWaiting = (attempt: number, ...heldCallIds: readonly string[]): Step => ({
  type: "run_waiting",
  attempt,
  heldCallIds,
});

export const runDone = (attempt: number): Step => ({ type: "run_done", attempt, usage: {} });

const a1 = planned("call_1_1_0", "send_email", MAIL);
const a2 = planned("call_2_1_0", "send_email", MAIL);
const look1 = planned("call_1_1_1", "list_mail", {});

/** One read, one write, no cut. */
export const PLAIN = ledgerOf(
  runStarted(),
  attemptStarted(1),
  stepStarted(1),
  textDelta(1, "I'll send "),
  textDelta(1, "it."),
  stepFinished(1, [a1, look1]),
  toolStart(1, a1),
  toolStart(1, look1, { kind: "read" }),
  toolDone(1, look1, { result: [] }),
  toolDone(1, a1),
  stepStarted(1, 2),
  textDelta(1, "Done."),
  stepFinished(1, [], 2),
  runDone(1),
);

/** The process dies after the outcome was stored; the model forgets and asks again. */
export const BLOCKED = ledgerOf(
  runStarted(),
  attemptStarted(1),
  stepStarted(1),
  textDelta(1, "I'll send it."),
  stepFinished(1, [a1]),
  toolStart(1, a1),
  { ...toolDone(1, a1), after: 1000 },
  { ...attemptEnded(1, "process_lost", "The server process was lost."), after: 5000 },
  attemptStarted(2),
  stepStarted(2),
  textDelta(2, "I'll send it."),
  stepFinished(2, [a2]),
  toolBlocked(2, a2, 6),
  stepStarted(2, 2),
  textDelta(2, "Done."),
  stepFinished(2, [], 2),
  runDone(2),
);

/** Cut inside the body of a mail; asked again, held; the run waits for a person. */
export const HELD = ledgerOf(
  runStarted(),
  attemptStarted(1),
  stepStarted(1),
  stepFinished(1, [a1]),
  toolStart(1, a1),
  toolDone(1, a1, { outcome: "unknown", result: null }),
  attemptEnded(1, "gateway_timeout", "The gateway closed the stream."),
  attemptStarted(2, { reason: "gateway_timeout" }),
  stepStarted(2),
  stepFinished(2, [a2]),
  toolHeld(2, a2, 5),
  runWaiting(2, "call_2_1_0"),
);

const mails = (attempt: number) => [
  planned(`call_${attempt}_1_0`, "send_email", MAIL),
  planned(`call_${attempt}_1_1`, "send_email", MAIL),
  planned(`call_${attempt}_1_2`, "send_email", MAIL),
];
const [m1, n1, o1] = mails(1) as [PlannedCall, PlannedCall, PlannedCall];
const [m2, n2, o2] = mails(2) as [PlannedCall, PlannedCall, PlannedCall];
const [m3, n3, o3] = mails(3) as [PlannedCall, PlannedCall, PlannedCall];

/** Three identical mails wanted; cut inside the first; held with two behind; settled as landed; asked once more. */
export const THREE_MAILS = ledgerOf(
  runStarted("Email ada@example.com the March report three times"),
  attemptStarted(1),
  stepStarted(1),
  stepFinished(1, [m1, n1, o1]),
  toolStart(1, m1),
  attemptEnded(1, "transport_error", "The connection to the model was reset."),
  attemptStarted(2, { reason: "transport_error" }),
  stepStarted(2),
  stepFinished(2, [m2, n2, o2]),
  toolHeld(2, m2, 5),
  toolHeld(2, n2, 5, m2.callId),
  toolHeld(2, o2, 5, m2.callId),
  runWaiting(2, m2.callId, n2.callId, o2.callId),
  { ...toolResolved(2, m1.callId, "landed", m2.callId), after: 20_000 },
  attemptStarted(3, { reason: "settled" }),
  toolBlocked(3, m2, 5),
  toolStart(3, n2),
  toolDone(3, n2),
  toolStart(3, o2),
  toolDone(3, o2),
  stepStarted(3),
  stepFinished(3, [m3, n3, o3]),
  toolBlocked(3, m3, 5),
  toolBlocked(3, n3, 17),
  toolBlocked(3, o3, 19),
  runDone(3),
);

const c1 = planned("call_1_1_0", "charge_card", CHARGE);
const c2 = planned("call_2_1_0", "charge_card", CHARGE);

/** A charge cut inside its body and repeated under its own key: one outcome proves both starts. */
export const SAME_KEY = ledgerOf(
  runStarted("Charge customer 42 20 euros"),
  attemptStarted(1),
  stepStarted(1),
  stepFinished(1, [c1]),
  toolStart(1, c1, { idempotencyKey: "key" }),
  attemptEnded(1, "process_lost"),
  attemptStarted(2),
  stepStarted(2),
  stepFinished(2, [c2]),
  toolStart(2, c2, { idempotencyKey: "key", originalSeq: 5 }),
  toolDone(2, c2),
  runDone(2),
);
