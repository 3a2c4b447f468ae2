/**
 * What each event does to the attempts of a run. An attempt is over when its end is stored or a later one has
 * begun, whichever comes first; an attempt that another event mentions first is opened by that mention.
 */
import type { AttemptReason, Check, CutReason } from "./event.ts";
import type { Fact } from "./event-fields.ts";
import { addUsage, isRecord, someText, textOf, wholeNumber } from "./event-fields.ts";
import { cutOffCalls } from "./call-fold.ts";
import { findCall, putCall } from "./intent-rows.ts";
import type { AttemptOver, AttemptView, RunState, StepView } from "./run-view.ts";

const CUT_REASONS: Record<CutReason, true> = {
  soft_timeout: true,
  gateway_timeout: true,
  transport_error: true,
  process_lost: true,
  shutdown: true,
  ledger_unreadable: true,
};

/** Tells whether an attempt that is over was cut, and not merely paused or finished. */
export function isCut(reason: string | undefined): reason is CutReason {
  return reason !== undefined && Object.hasOwn(CUT_REASONS, reason);
}

/** The attempt that the next event belongs to when it names none. */
export function currentAttempt(state: RunState): number {
  return state.attempts.at(-1)?.attempt ?? 0;
}

/** Opens the attempt an event mentions, if it is new, and notes a sign of life of the one that is open. */
export function touchAttempt(state: RunState, fact: Fact): RunState {
  const last = state.attempts.at(-1);
  if (fact.attempt > (last?.attempt ?? 0)) return openAttempt(state, fact, last);
  if (last?.attempt !== fact.attempt || last.endSeq !== undefined || ENDS[fact.type]) return state;
  return withLast(state, { ...last, lastSeq: fact.seq, lastAt: fact.at });
}

/** Ends the open attempt, if there is one, and whatever it left running. */
export function endAttempt(
  state: RunState,
  fact: Fact,
  how: { readonly reason: AttemptOver; readonly detail: string },
): RunState {
  const last = state.attempts.at(-1);
  if (last === undefined || last.endSeq !== undefined) return state;
  const ended: AttemptView = {
    ...last,
    endSeq: fact.seq,
    endedAt: fact.at,
    endReason: how.reason,
    endDetail: how.detail,
  };
  return cutOffCalls(withLast(state, ended), ended.attempt, fact.at);
}

/** Fills in what `attempt_started` says; `touchAttempt` has opened the attempt. */
export function foldAttemptStarted(state: RunState, fact: Fact): RunState {
  const last = state.attempts.at(-1);
  if (last?.attempt !== fact.attempt || last.owner !== "") return state;
  const { fields } = fact;
  const prefix = someText(fields["prefix"]);
  const warning = someText(fields["warning"]);
  const checked = withChecks(state, fields["checks"]);
  return withLast(checked, {
    ...last,
    owner: textOf(fields["owner"]),
    fence: wholeNumber(fields["fence"]) ?? 0,
    reason: reasonOf(fields["reason"], fact.attempt),
    note: someText(fields["note"]) ?? null,
    ...(prefix !== undefined && { prefix }),
    ...(warning !== undefined && { warning }),
  });
}

/** What verifiers could not settle stands with the calls it is about. */
function withChecks(state: RunState, checks: unknown): RunState {
  if (!Array.isArray(checks)) return state;
  return (checks as unknown[]).filter(isRecord).reduce<RunState>((next, check) => {
    const call = findCall(next, textOf(check["callId"]));
    return call ? putCall(next, { ...call, check: check as unknown as Check }) : next;
  }, state);
}

export function foldStepStarted(state: RunState, fact: Fact): RunState {
  const last = state.attempts.at(-1);
  if (last === undefined) return state;
  const step: StepView = {
    step: wholeNumber(fact.fields["step"]) ?? last.steps.length + 1,
    model: textOf(fact.fields["model"]),
    startSeq: fact.seq,
    startedAt: fact.at,
  };
  return withLast(state, { ...last, steps: [...last.steps, step] });
}

/** Notes where a step's text stands; the text itself is the conversation's. */
export function foldText(state: RunState, fact: Fact): RunState {
  return withStep(state, (step) => ({
    ...step,
    textFromSeq: step.textFromSeq ?? fact.seq,
    textToSeq: fact.seq,
  }));
}

export function foldStepFinished(state: RunState, fact: Fact): RunState {
  const { usage } = fact.fields;
  const next = withStep(state, (step) => ({
    ...step,
    endSeq: fact.seq,
    endedAt: fact.at,
    finishReason: textOf(fact.fields["finishReason"]),
    ...(isRecord(usage) && { usage: addUsage({}, usage) }),
  }));
  return { ...next, usage: addUsage(state.usage, usage) };
}

const ENDS: Readonly<Record<string, true>> = Object.assign(Object.create(null), {
  attempt_ended: true,
  run_waiting: true,
  run_done: true,
  run_failed: true,
  run_cancelled: true,
  tool_resolved: true,
});

function openAttempt(state: RunState, fact: Fact, last: AttemptView | undefined): RunState {
  const reason = reasonOf(fact.fields["reason"], fact.attempt);
  const cut = isCut(reason) ? reason : "process_lost";
  const closed = last === undefined ? state : endAttempt(state, fact, { reason: cut, detail: "" });
  const attempt: AttemptView = {
    attempt: fact.attempt,
    owner: "",
    fence: 0,
    reason: fact.type === "attempt_started" ? reason : fact.attempt === 1 ? "first" : cut,
    note: null,
    startSeq: fact.seq,
    startedAt: fact.at,
    lastSeq: fact.seq,
    lastAt: fact.at,
    steps: [],
  };
  const cleared = cutOffCalls(closed, fact.attempt - 1, fact.at);
  return { ...cleared, attempts: [...cleared.attempts, attempt] };
}

function reasonOf(value: unknown, attempt: number): AttemptReason {
  const reason = textOf(value);
  if (isCut(reason)) return reason;
  if (reason === "first" || reason === "settled" || reason === "manual") return reason;
  return attempt <= 1 ? "first" : "process_lost";
}

function withLast(state: RunState, last: AttemptView): RunState {
  return { ...state, attempts: [...state.attempts.slice(0, -1), last] };
}

function withStep(state: RunState, change: (step: StepView) => StepView): RunState {
  const last = state.attempts.at(-1);
  const step = last?.steps.at(-1);
  if (last === undefined || step === undefined || step.endSeq !== undefined) return state;
  return withLast(state, { ...last, steps: [...last.steps.slice(0, -1), change(step)] });
}
