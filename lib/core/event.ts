/**
 * The events of a run: one closed, tagged union, shared by server and browser. Types only; the schemas that
 * check untrusted input are in event-schema.ts, so that the browser does not load them.
 * Source: DESIGN, "Events". `tool_start`, `tool_done` and `clear` keep the names other ledgers use.
 */

import type { FieldDifference } from "./near.ts";

/** What every event carries. `at` is ISO 8601 in UTC, taken from the database's clock. */
export interface EventBase {
  readonly seq: number;
  readonly at: string;
  /** 0 for what happened before the first attempt, else the attempt's number from 1. */
  readonly attempt: number;
}

/** Why an attempt began. All but `first` name what ended the one before. */
export type AttemptReason = "first" | CutReason | "settled" | "manual";

/** What can end an attempt without ending its run. */
export type CutReason =
  | "soft_timeout"
  | "gateway_timeout"
  | "transport_error"
  | "process_lost"
  | "shutdown"
  | "ledger_unreadable";

/** Why an attempt ended and the run goes on: a cut, or a hold that was settled meanwhile. */
export type AttemptEndReason = CutReason | "settled";

/** What is proven about a write: it happened, it did not, or nobody knows. */
export type Outcome = "ok" | "failed" | "unknown";

/** A person's or a verifier's answer about an open call or an approval. */
export type Resolution = "landed" | "absent" | "again" | "approved" | "denied";

export type CallKind = "read" | "write";

/** Tokens as the provider counted them; a missing number was not reported. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
}

/**
 * What a held call waits for: whether the open start it asks for again took effect, whether it is the same effect
 * as one that is nearly equal, or a person's leave.
 */
export type HeldQuestion = "unknown" | "near" | "approval";

/** A verifier's answer about an open call. */
export type Verdict = "landed" | "absent" | "unknown";

/** What a verifier found out and could not settle. */
export interface Check {
  readonly callId: string;
  readonly verdict: Verdict;
  readonly evidence?: unknown;
  /** Milliseconds until an `absent` may be believed. */
  readonly againInMs?: number;
}

/** One call of a model's answer, before anything was decided about it. */
export interface PlannedCall {
  readonly callId: string;
  /** The id the provider gave it; only for display, since providers repeat theirs. */
  readonly providerCallId: string;
  readonly tool: string;
  /** As the model sent it. A text when it was not JSON. */
  readonly input: unknown;
  /** Set when the model's arguments were not complete JSON: such a call is refused. */
  readonly malformed?: string;
}

export interface RunStarted extends EventBase {
  readonly type: "run_started";
  readonly input: RunInput;
}

/** What a run was asked to do: a message to the agent, or one call without a model. */
export type RunInput =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "action"; readonly action: string; readonly input: unknown };

export interface AttemptStarted extends EventBase {
  readonly type: "attempt_started";
  /** The process that owns the attempt. */
  readonly owner: string;
  readonly fence: number;
  readonly reason: AttemptReason;
  /** The exact note given to the model, or null. */
  readonly note: string | null;
  /** Partial text of the cut attempt, handed back as context. */
  readonly prefix?: string;
  /** What verifiers answered before the attempt without settling anything. */
  readonly checks?: readonly Check[];
  /** Set when the note could not be built; the attempt goes on without it, never without the guard. */
  readonly warning?: string;
}

export interface StepStarted extends EventBase {
  readonly type: "step_started";
  /** From 1 within the attempt. */
  readonly step: number;
  readonly model: string;
}

export interface TextDelta extends EventBase {
  readonly type: "text";
  readonly text: string;
}

export interface ReasoningDelta extends EventBase {
  readonly type: "reasoning";
  readonly text: string;
}

export interface StepFinished extends EventBase {
  readonly type: "step_finished";
  readonly step: number;
  readonly finishReason: string;
  readonly usage: Usage;
  /** Every call of the answer, committed before the first is dispatched. */
  readonly calls: readonly PlannedCall[];
  readonly providerMetadata?: unknown;
}

export interface ToolStart extends EventBase {
  readonly type: "tool_start";
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly kind: CallKind;
  /** As computed when it was written; for display. null = matches nothing. */
  readonly signature: string | null;
  readonly idempotencyKey: string;
  /** seq of the start whose entry this call claimed. */
  readonly originalSeq?: number;
  /** seq of a start of the same tool that is close to this one and did not match. */
  readonly nearOf?: number;
  /** Set when that start is a near match: how this call differs from it. */
  readonly differences?: readonly FieldDifference[];
  /** Fields that differ from the claimed start's and do not count for the action's identity. */
  readonly ignored?: readonly string[];
  /** Why the guard let it run. */
  readonly reason?: string;
}

export interface ToolDone extends EventBase {
  readonly type: "tool_done";
  readonly callId: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly outcome: Outcome;
  readonly result: unknown;
  /** Stored after its attempt had ended, by whoever had it. */
  readonly late?: boolean;
}

export interface ToolBlocked extends EventBase {
  readonly type: "tool_blocked";
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly signature: string | null;
  /** seq of the start whose result answered the call. */
  readonly originalSeq: number;
  readonly result: unknown;
  /** Fields that differ from the original's and do not count for the action's identity. */
  readonly ignored?: readonly string[];
  readonly reason: string;
}

export interface ToolHeld extends EventBase {
  readonly type: "tool_held";
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly signature: string | null;
  /** seq of the open start this call asks for again. */
  readonly originalSeq?: number;
  /** callId of the held call that it waits behind. */
  readonly behind?: string;
  /** What it waits for; `unknown` where it is missing. */
  readonly question?: HeldQuestion;
  /** With `near`: seq of the start it is close to, and how it differs. */
  readonly nearOf?: number;
  readonly differences?: readonly FieldDifference[];
  readonly ignored?: readonly string[];
  /** What a verifier answered just before. */
  readonly check?: Check;
  /** The question a person is asked. */
  readonly reason: string;
}

export interface ToolResolved extends EventBase {
  readonly type: "tool_resolved";
  /** Always the open call; for an approval the call asked about. */
  readonly callId: string;
  readonly heldCallId?: string;
  readonly by: "verify" | "person";
  readonly outcome: Resolution;
  readonly result?: unknown;
  readonly evidence?: unknown;
  readonly reason?: string;
}

export interface Clear extends EventBase {
  readonly type: "clear";
  /** `text`: drops open reads only. Without it: drops every open start. */
  readonly scope?: "text";
}

export interface Tripwire extends EventBase {
  readonly type: "tripwire";
  readonly processor: string;
  readonly reason: string;
}

export interface AttemptEnded extends EventBase {
  readonly type: "attempt_ended";
  readonly reason: AttemptEndReason;
  /** One sentence a person understands. */
  readonly detail: string;
}

export interface RunWaiting extends EventBase {
  readonly type: "run_waiting";
  readonly heldCallIds: readonly string[];
}

export interface RunDone extends EventBase {
  readonly type: "run_done";
  readonly usage: Usage;
}

export interface RunFailed extends EventBase {
  readonly type: "run_failed";
  readonly code: string;
  /** One sentence a person understands. */
  readonly message: string;
  /** false: the ledger is closed. true: resuming goes on after it. */
  readonly resumable: boolean;
}

export interface RunCancelled extends EventBase {
  readonly type: "run_cancelled";
  readonly by: string;
}

export type KnownEvent =
  | RunStarted
  | AttemptStarted
  | StepStarted
  | TextDelta
  | ReasoningDelta
  | StepFinished
  | ToolStart
  | ToolDone
  | ToolBlocked
  | ToolHeld
  | ToolResolved
  | Clear
  | Tripwire
  | AttemptEnded
  | RunWaiting
  | RunDone
  | RunFailed
  | RunCancelled;

export type EventType = KnownEvent["type"];

/** An event of a type this version does not know: kept and shown, never dropped. */
export interface UnknownEvent extends EventBase {
  readonly type: string & { readonly unknownType?: never };
  readonly [field: string]: unknown;
}

export type RunEvent = KnownEvent | UnknownEvent;

type WithoutPlace<E> = E extends KnownEvent ? Omit<E, "seq" | "at"> : never;

/** An event before the store gives it its `seq` and time. */
export type NewEvent = WithoutPlace<KnownEvent>;

const EVENT_TYPES: Record<EventType, true> = {
  run_started: true,
  attempt_started: true,
  step_started: true,
  text: true,
  reasoning: true,
  step_finished: true,
  tool_start: true,
  tool_done: true,
  tool_blocked: true,
  tool_held: true,
  tool_resolved: true,
  clear: true,
  tripwire: true,
  attempt_ended: true,
  run_waiting: true,
  run_done: true,
  run_failed: true,
  run_cancelled: true,
};

/** Tells whether this version knows the event's type. It looks at the type alone, not at the fields. */
export function isKnownEvent(event: RunEvent): event is KnownEvent {
  return Object.hasOwn(EVENT_TYPES, event.type);
}
