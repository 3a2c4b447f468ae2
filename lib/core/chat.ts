/**
 * Folds a run's events into the messages of a conversation. Parts keep the order of the ledger and are never taken
 * back: the text of a cut attempt stays and is marked, so that a replay shows what a live reader saw. Never throws;
 * an event that was already applied changes nothing.
 */
import { isCut } from "./attempt-fold.ts";
import type { ChatMessage, ChatPart, ChatState, CutPart, TextPart } from "./chat-view.ts";
import type { AttemptReason, CutReason, EventType, RunEvent } from "./event.ts";
import type { Fact } from "./event-fields.ts";
import { factOf, isRecord, someText, textOf, wholeNumber } from "./event-fields.ts";

export type { CallPart, ChatMessage, ChatPart, ChatState, CutPart, TextPart } from "./chat-view.ts";

const INITIAL: ChatState = {
  lastSeq: 0,
  messages: [],
  attempt: { number: 0, isOver: true, lastSeq: 0, lastAt: "" },
};

/** The state before the first event. */
export function initialChatState(): ChatState {
  return INITIAL;
}

/** Adds one event. */
export function foldChat(state: ChatState, event: RunEvent): ChatState {
  const place = { lastSeq: state.lastSeq, attempt: state.attempt.number };
  const fact = factOf(event, place);
  if (fact === undefined || fact.seq <= state.lastSeq) return state;
  const fold = Object.hasOwn(FOLDS, fact.type) ? FOLDS[fact.type as EventType] : undefined;
  const next = fold === undefined ? state : fold(state, fact);
  return { ...next, lastSeq: fact.seq, attempt: alive(next, fact) };
}

/** Adds events in order. */
export function foldChatAll(state: ChatState, events: readonly RunEvent[]): ChatState {
  return events.reduce(foldChat, state);
}

type Fold = (state: ChatState, fact: Fact) => ChatState;

const unchanged: Fold = (state) => state;

const FOLDS: Record<EventType, Fold> = {
  run_started: (state, fact) => {
    const text = requestOf(fact.fields["input"]);
    const part: ChatPart = { kind: "text", key: "request", text, attempt: 0, open: false };
    const message: ChatMessage = { key: "user", role: "user", at: fact.at, parts: [part] };
    return { ...state, messages: [message, ...state.messages.filter((m) => m.role !== "user")] };
  },
  attempt_started: foldAttemptStarted,
  step_started: (state) => closeText(state),
  text: (state, fact) => foldDelta(state, fact, "text"),
  reasoning: (state, fact) => foldDelta(state, fact, "reasoning"),
  step_finished: (state, fact) => {
    const { calls } = fact.fields;
    const planned = Array.isArray(calls) ? calls.filter(isRecord) : [];
    return planned.reduce<ChatState>(
      (next, call) => withCall(next, fact, someText(call["callId"])),
      closeText(state),
    );
  },
  tool_start: foldCall,
  tool_done: foldCall,
  tool_blocked: foldCall,
  tool_held: foldCall,
  tool_resolved: unchanged,
  // The model's stream is asked again: what it had said so far is superseded by what follows.
  clear: (state) => closeText(state, "dropped"),
  tripwire: (state, fact) =>
    withPart(closeText(state), fact, {
      kind: "stopped",
      key: `stopped-${fact.seq}`,
      processor: textOf(fact.fields["processor"]),
      reason: textOf(fact.fields["reason"]),
    }),
  attempt_ended: (state, fact) => {
    const reason = textOf(fact.fields["reason"]);
    return isCut(reason) ? cut(state, fact, reason, textOf(fact.fields["detail"])) : ended(state);
  },
  run_waiting: (state, fact) => {
    const { heldCallIds } = fact.fields;
    const ids = Array.isArray(heldCallIds)
      ? heldCallIds.filter((id): id is string => typeof id === "string")
      : [];
    return ended(
      withPart(state, fact, {
        kind: "waiting",
        key: `waiting-${fact.seq}`,
        heldCallIds: ids,
        over: false,
      }),
    );
  },
  run_done: ended,
  run_failed: (state, fact) =>
    ended(
      withPart(closeText(state, "dropped"), fact, {
        kind: "failure",
        key: `failure-${fact.seq}`,
        code: textOf(fact.fields["code"]),
        message: textOf(fact.fields["message"]),
        resumable: fact.fields["resumable"] === true,
        over: false,
      }),
    ),
  run_cancelled: (state, fact) =>
    ended(
      withPart(closeText(state, "dropped"), fact, {
        kind: "cancelled",
        key: `cancelled-${fact.seq}`,
        by: textOf(fact.fields["by"]),
      }),
    ),
};

function foldAttemptStarted(state: ChatState, fact: Fact): ChatState {
  const number = fact.attempt;
  if (number <= state.attempt.number) return state;
  const reason = textOf(fact.fields["reason"]) as AttemptReason;
  // The end of the last one may not have been stored: then its successor tells.
  const closed = state.attempt.isOver
    ? state
    : cut(state, fact, isCut(reason) ? reason : "process_lost", "");
  const prefix = textOf(fact.fields["prefix"]);
  const parts = assistantParts(closed).map((part) => resumedPart(part, fact, state, prefix));
  const isAfterCut = parts.some((part) => part.kind === "cut" && part.next?.attempt === number);
  const next = withParts(closed, fact, parts);
  const attempt = { number, isOver: false, lastSeq: fact.seq, lastAt: fact.at };
  if (number === 1 || isAfterCut) return { ...next, attempt };
  const resumed: ChatPart = {
    kind: "resumed",
    key: `resumed-${fact.seq}`,
    attempt: number,
    reason,
    at: fact.at,
  };
  return { ...withPart(next, fact, resumed), attempt };
}

/** What a part becomes when the attempt after it begins. */
function resumedPart(part: ChatPart, fact: Fact, state: ChatState, prefix: string): ChatPart {
  switch (part.kind) {
    case "cut": {
      if (part.next !== undefined || part.attempt !== state.attempt.number) return part;
      const afterMs = Date.parse(fact.at) - Date.parse(part.lastAt);
      const next = {
        attempt: fact.attempt,
        owner: textOf(fact.fields["owner"]),
        fence: wholeNumber(fact.fields["fence"]) ?? 0,
        afterMs: Number.isFinite(afterMs) ? Math.max(0, afterMs) : 0,
      };
      return { ...part, next };
    }
    case "text": {
      const goesOn =
        part.cut === "dropped" &&
        part.attempt === state.attempt.number &&
        part.text !== "" &&
        prefix.endsWith(part.text);
      return goesOn ? { ...part, cut: "continued" } : part;
    }
    case "waiting":
    case "failure":
      return part.over ? part : { ...part, over: true };
    default:
      return part;
  }
}

function foldDelta(state: ChatState, fact: Fact, kind: TextPart["kind"]): ChatState {
  const text = textOf(fact.fields["text"]);
  if (text === "") return state;
  const parts = assistantParts(state);
  const last = parts.at(-1);
  if (last?.kind === kind && last.open && last.attempt === fact.attempt) {
    return withParts(state, fact, [...parts.slice(0, -1), { ...last, text: last.text + text }]);
  }
  const key = `${kind}-${fact.seq}`;
  const part: TextPart = { kind, key, text, attempt: fact.attempt, open: true };
  return withPart(state, fact, part);
}

function foldCall(state: ChatState, fact: Fact): ChatState {
  return withCall(state, fact, someText(fact.fields["callId"]) ?? unnamedCall(fact));
}

/** A start without an id is a call of its own, named as the run's state names it. */
function unnamedCall(fact: Fact): string | undefined {
  return fact.type === "tool_done" ? undefined : `seq:${fact.seq}`;
}

function withCall(state: ChatState, fact: Fact, callId: string | undefined): ChatState {
  if (callId === undefined) return state;
  const key = `call-${callId}`;
  if (assistantParts(state).some((part) => part.key === key)) return state;
  return withPart(state, fact, { kind: "call", key, callId });
}

function cut(state: ChatState, fact: Fact, reason: CutReason, detail: string): ChatState {
  if (state.attempt.isOver) return state;
  const part: CutPart = {
    kind: "cut",
    key: `cut-${state.attempt.number}`,
    attempt: state.attempt.number,
    reason,
    detail,
    at: fact.at,
    lastSeq: state.attempt.lastSeq,
    lastAt: state.attempt.lastAt,
  };
  return ended(withPart(closeText(state, "dropped"), fact, part));
}

function ended(state: ChatState): ChatState {
  const closed = closeText(state);
  return { ...closed, attempt: { ...closed.attempt, isOver: true } };
}

/** The next delta begins a part of its own. `cut`: what was said since the step began is cut off. */
function closeText(state: ChatState, cutAs?: "dropped"): ChatState {
  const message = state.messages.at(-1);
  if (message?.role !== "assistant" || !message.parts.some(isOpenText)) return state;
  const parts = message.parts.map((part) =>
    isOpenText(part) ? { ...part, open: false, ...(cutAs && { cut: cutAs }) } : part,
  );
  return { ...state, messages: [...state.messages.slice(0, -1), { ...message, parts }] };
}

function isOpenText(part: ChatPart): part is TextPart {
  return (part.kind === "text" || part.kind === "reasoning") && part.open;
}

function alive(state: ChatState, fact: Fact): ChatState["attempt"] {
  const { attempt } = state;
  if (attempt.isOver || fact.attempt !== attempt.number) return attempt;
  return { ...attempt, lastSeq: fact.seq, lastAt: fact.at };
}

function assistantParts(state: ChatState): readonly ChatPart[] {
  const last = state.messages.at(-1);
  return last?.role === "assistant" ? last.parts : [];
}

function withPart(state: ChatState, fact: Fact, part: ChatPart): ChatState {
  return withParts(state, fact, [...assistantParts(state), part]);
}

function withParts(state: ChatState, fact: Fact, parts: readonly ChatPart[]): ChatState {
  const last = state.messages.at(-1);
  if (last?.role === "assistant") {
    return { ...state, messages: [...state.messages.slice(0, -1), { ...last, parts }] };
  }
  if (parts.length === 0) return state;
  const message: ChatMessage = { key: "assistant", role: "assistant", at: fact.at, parts };
  return { ...state, messages: [...state.messages, message] };
}

function requestOf(input: unknown): string {
  if (!isRecord(input)) return "";
  return input["kind"] === "action" ? `Run ${textOf(input["action"])}` : textOf(input["text"]);
}
