/**
 * Folds a run's events into what its readers see: server, browser and tests alike. Incremental: an event changes
 * what it is about and shares the rest, and folding on from a state gives what folding everything would have given.
 * Never throws, whatever the ledger holds; an event that was already applied changes nothing.
 */
import {
  currentAttempt,
  endAttempt,
  foldAttemptStarted,
  foldStepFinished,
  foldStepStarted,
  foldText,
  isCut,
  touchAttempt,
} from "./attempt-fold.ts";
import { foldBlocked, foldClear, foldDone, foldHeld, foldPlan, foldStart } from "./call-fold.ts";
import { NO_COUNTS } from "./call-state.ts";
import type { EventType, RunEvent, RunInput } from "./event.ts";
import type { Fact } from "./event-fields.ts";
import { addUsage, factOf, isRecord, textOf } from "./event-fields.ts";
import { foldResolved } from "./settle-fold.ts";
import type { AttemptOver, RunPhase, RunState } from "./run-view.ts";
import type { RunStatus } from "./run-record.ts";

export type {
  AttemptOver,
  AttemptView,
  CallState,
  CallView,
  Counts,
  FailureView,
  IntentView,
  RunPhase,
  RunState,
  StepView,
} from "./run-view.ts";

const INITIAL: RunState = {
  lastSeq: 0,
  lastAt: null,
  status: "running",
  phase: "queued",
  input: null,
  startedAt: null,
  endedAt: null,
  attempts: [],
  calls: [],
  intents: [],
  marks: [],
  toolKinds: {},
  counts: NO_COUNTS,
  failure: null,
  cancelledBy: null,
  usage: {},
};

/** The state before the first event. */
export function initialRunState(): RunState {
  return INITIAL;
}

/** Adds one event. */
export function foldRun(state: RunState, event: RunEvent): RunState {
  const place = { lastSeq: state.lastSeq, attempt: currentAttempt(state) };
  const fact = factOf(event, place);
  if (fact === undefined || fact.seq <= state.lastSeq) return state;
  const placed: RunState = {
    ...state,
    lastSeq: fact.seq,
    lastAt: fact.at,
    marks: withMark(state, fact),
  };
  return woken(state, applied(touchAttempt(placed, fact), fact), fact);
}

/** Adds events in order. */
export function foldRunAll(state: RunState, events: readonly RunEvent[]): RunState {
  return events.reduce(foldRun, state);
}

type Fold = (state: RunState, fact: Fact) => RunState;

const FOLDS: Record<EventType, Fold> = {
  run_started: (state, fact) => ({
    ...state,
    input: inputOf(fact.fields["input"]),
    startedAt: state.startedAt ?? fact.at,
  }),
  attempt_started: (state, fact) => ({
    ...foldAttemptStarted(state, fact),
    ...at("running", "running"),
    failure: null,
    endedAt: null,
  }),
  step_started: foldStepStarted,
  text: foldText,
  reasoning: foldText,
  step_finished: (state, fact) => foldPlan(foldStepFinished(state, fact), fact),
  tool_start: foldStart,
  tool_done: foldDone,
  tool_blocked: foldBlocked,
  tool_held: foldHeld,
  tool_resolved: foldResolved,
  clear: foldClear,
  tripwire: (state) => state,
  attempt_ended: (state, fact) => ({
    ...ended(state, fact, overOf(fact.fields["reason"])),
    ...at(state.status, state.status === "running" ? "resuming" : state.phase),
  }),
  run_waiting: (state, fact) => ({
    ...ended(state, fact, "waiting"),
    ...at("waiting", "waiting"),
  }),
  run_done: (state, fact) => ({ ...over(state, fact, "done"), usage: totalOf(state, fact) }),
  run_failed: (state, fact) => ({
    ...over(state, fact, "failed"),
    failure: {
      code: textOf(fact.fields["code"]),
      message: textOf(fact.fields["message"]),
      resumable: fact.fields["resumable"] === true,
      seq: fact.seq,
      at: fact.at,
    },
  }),
  run_cancelled: (state, fact) => ({
    ...over(state, fact, "cancelled"),
    cancelledBy: textOf(fact.fields["by"]),
  }),
};

function applied(state: RunState, fact: Fact): RunState {
  const fold = Object.hasOwn(FOLDS, fact.type) ? FOLDS[fact.type as EventType] : undefined;
  const next = fold === undefined ? state : fold(state, fact);
  // A ledger that starts in the middle: an attempt's event says that the run is running.
  return next.phase === "queued" && next.attempts.length > 0
    ? { ...next, ...at("running", "running"), startedAt: next.startedAt ?? fact.at }
    : next;
}

/** A waiting run whose last question was answered is running again, without an event that says so. */
function woken(before: RunState, after: RunState, fact: Fact): RunState {
  const isAnswer = fact.type === "tool_resolved" || fact.type === "tool_done";
  if (!isAnswer || before.status !== "waiting" || after.counts.needsYou > 0) return after;
  return before.counts.needsYou > 0 ? { ...after, ...at("running", "resuming") } : after;
}

function at(status: RunStatus, phase: RunPhase): Pick<RunState, "status" | "phase"> {
  return { status, phase };
}

function ended(state: RunState, fact: Fact, reason: AttemptOver): RunState {
  const detail = textOf(fact.fields["detail"]) || textOf(fact.fields["message"]);
  return endAttempt(state, fact, { reason, detail });
}

function over(state: RunState, fact: Fact, status: "done" | "failed" | "cancelled"): RunState {
  return { ...ended(state, fact, status), ...at(status, status), endedAt: fact.at };
}

function overOf(value: unknown): AttemptOver {
  const reason = textOf(value);
  return isCut(reason) || reason === "settled" ? reason : "process_lost";
}

function inputOf(value: unknown): RunInput | null {
  if (!isRecord(value)) return null;
  if (value["kind"] === "action") {
    return { kind: "action", action: textOf(value["action"]), input: value["input"] };
  }
  return { kind: "message", text: textOf(value["text"]) };
}

function totalOf(state: RunState, fact: Fact): RunState["usage"] {
  const told = addUsage({}, fact.fields["usage"]);
  return Object.keys(told).length > 0 ? told : state.usage;
}

function withMark(state: RunState, fact: Fact): RunState["marks"] {
  const { seq, attempt, type } = fact;
  const last = state.marks.at(-1);
  const isText = type === "text" || type === "reasoning";
  if (isText && last?.type === "text" && last.attempt === attempt) return state.marks;
  return [...state.marks, { seq, at: fact.at, attempt, type: isText ? "text" : type }];
}
