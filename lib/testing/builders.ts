/** Short builders for events: what a test does not name gets a plain default. */
import type { EventType, KnownEvent, NewEvent } from "../core/event.ts";

type EventOf<T extends EventType> = Extract<KnownEvent, { type: T }>;

/** An event with its type and whatever the test cares about. */
export type Sketch<T extends EventType = EventType> = T extends EventType
  ? { readonly type: T } & Partial<Omit<EventOf<T>, "type">>
  : never;

/** Makes an event; without more it is the first of its run, of attempt 1. */
export function anEvent<T extends EventType>(sketch: Sketch<T>): EventOf<T> {
  const place = { seq: 1, at: timeOf(1), attempt: 1 };
  return { ...place, ...defaultsOf(sketch), ...sketch } as unknown as EventOf<T>;
}

/** Makes an event that has no place in a ledger yet. */
export function aNewEvent<T extends EventType>(sketch: Sketch<T>): Extract<NewEvent, { type: T }> {
  const { seq: _seq, at: _at, ...event } = anEvent(sketch);
  return event as unknown as Extract<NewEvent, { type: T }>;
}

/**
 * Makes a ledger: seqs from 1, a second between events, attempts counted by `attempt_started`. Whatever a sketch
 * names itself is kept.
 */
export function aLedger(sketches: readonly Sketch[]): KnownEvent[] {
  let attempt = 0;
  return sketches.map((sketch, index) => {
    if (sketch.type === "attempt_started") attempt += 1;
    attempt = sketch.attempt ?? attempt;
    const place = { seq: index + 1, at: timeOf(index + 1), attempt };
    return { ...place, ...defaultsOf(sketch), ...sketch } as unknown as KnownEvent;
  });
}

function timeOf(seq: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
}

/** A start's key follows from its call. */
function defaultsOf(sketch: Sketch): Readonly<Record<string, unknown>> {
  const defaults = DEFAULTS[sketch.type];
  if (sketch.type !== "tool_start") return defaults;
  const callId = sketch.callId ?? CALL.callId;
  return { ...defaults, idempotencyKey: `run_test:${callId}` };
}

const CALL = { callId: "call_1_1_0", tool: "send_email" };
const INPUT = { to: "ada@example.com", subject: "Report" };

const DEFAULTS: { readonly [T in EventType]: Readonly<Record<string, unknown>> } = {
  run_started: { attempt: 0, input: { kind: "message", text: "Email Ada the report" } },
  attempt_started: { owner: "worker-1", fence: 1, reason: "first", note: null },
  step_started: { step: 1, model: "demo" },
  text: { text: "Hello" },
  reasoning: { text: "Let me think" },
  step_finished: { step: 1, finishReason: "stop", usage: {}, calls: [] },
  tool_start: { ...CALL, input: INPUT, kind: "write", signature: null },
  tool_done: { ...CALL, outcome: "ok", result: { id: "mail_1" } },
  tool_blocked: {
    ...CALL,
    input: INPUT,
    signature: null,
    originalSeq: 1,
    result: { id: "mail_1" },
    reason: "completed in an earlier attempt",
  },
  tool_held: { ...CALL, input: INPUT, signature: null, reason: "Was the mail sent?" },
  tool_resolved: { callId: CALL.callId, by: "person", outcome: "landed" },
  clear: {},
  tripwire: { processor: "budget", reason: "too much" },
  attempt_ended: { reason: "transport_error", detail: "The connection was reset." },
  run_waiting: { heldCallIds: [] },
  run_done: { usage: {} },
  run_failed: { code: "model-unavailable", message: "The model is away.", resumable: true },
  run_cancelled: { by: "local" },
};
