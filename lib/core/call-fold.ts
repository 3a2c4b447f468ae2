/**
 * What each event about a call does to the calls of a run. The classes agree with the journal's: a done pairs with
 * an open start by id, else by place; completed wins over unknown; a settlement stands against a later outcome,
 * which is kept beside it. Reads hold back nothing: one that was cut off is simply discarded.
 */
import type { Check, HeldQuestion, Outcome } from "./event.ts";
import type { FieldDifference } from "./near.ts";
import { isOpen } from "./call-state.ts";
import type { Fact } from "./event-fields.ts";
import {
  isRecord,
  kindOf,
  outcomeOf,
  sameJson,
  someText,
  textOf,
  wholeNumber,
} from "./event-fields.ts";
import {
  findCall,
  findStart,
  putCall,
  rowBehind,
  rowOnAsk,
  rowOnClaim,
  rowOnStart,
} from "./intent-rows.ts";
import { releaseHeld } from "./settle-fold.ts";
import type { CallView, RunState } from "./run-view.ts";

/** The calls of a model's answer, before anything is decided about them. */
export function foldPlan(state: RunState, fact: Fact): RunState {
  const { calls } = fact.fields;
  if (!Array.isArray(calls)) return state;
  let next = state;
  for (const planned of calls) {
    if (!isRecord(planned)) continue;
    const callId = someText(planned["callId"]);
    if (callId === undefined || findCall(next, callId) !== undefined) continue;
    const call: CallView = {
      ...newCall(next, fact, callId, planned),
      step: wholeNumber(fact.fields["step"]) ?? currentStep(next),
      plannedSeq: fact.seq,
    };
    next = putCall(next, { ...call, intent: rowOnAsk(next, call) });
  }
  return next;
}

export function foldStart(state: RunState, fact: Fact): RunState {
  const { fields } = fact;
  const named = someText(fields["callId"]);
  const known = named === undefined ? undefined : findCall(state, named);
  if (known !== undefined && known.startSeq !== undefined) {
    const isRepeat =
      isOpen(known) &&
      known.tool === textOf(fields["tool"]) &&
      sameJson(known.input, fields["input"]);
    if (isRepeat) return state;
  }
  const isFresh = known === undefined || known.startSeq !== undefined;
  const asked = isFresh ? newCall(state, fact, freshId(state, fact, named), fields) : known;
  const kind = kindOf(fields["kind"]);
  const started: CallView = {
    ...without(asked, "behind", "originalSeq", "reason", "question"),
    kind,
    state: "running",
    decidedAttempt: fact.attempt,
    startSeq: fact.seq,
    startedAt: fact.at,
    ...pick(fields, "signature", "idempotencyKey", "originalSeq", "nearOf", "reason"),
    ...comparedOf(fields),
    ...(named === undefined && { unnamed: true }),
  };
  const placed = { ...started, intent: rowOnStart(state, started) };
  const next: RunState = {
    ...state,
    toolKinds:
      state.toolKinds[placed.tool] === kind
        ? state.toolKinds
        : { ...state.toolKinds, [placed.tool]: kind },
  };
  if (asked.outcome !== undefined) return withOutcome(next, placed, asked.outcome);
  return putCall(next, isOver(state, fact.attempt) ? cutOff(placed, fact.at) : placed);
}

export function foldDone(state: RunState, fact: Fact): RunState {
  const outcome = outcomeOf(fact.fields["outcome"]);
  const call = callOfDone(state, fact);
  if (call === undefined) return foldRefusal(state, fact, outcome);
  if (call.outcome === "ok" || call.outcome === "failed") return state;
  if (call.state === "blocked" || call.state === "held") return state;
  if (call.startSeq !== undefined && isSettled(call)) {
    return contradict(state, call, fact, outcome);
  }
  const isLate = fact.fields["late"] === true || isOver(state, call.decidedAttempt ?? call.attempt);
  const done: CallView = {
    ...call,
    outcome,
    result: fact.fields["result"],
    doneSeq: fact.seq,
    endedAt: call.endedAt ?? fact.at,
    ...(isLate && outcome !== "unknown" && { late: true }),
  };
  return releaseHeld(withOutcome(state, done, outcome), done.callId, fact);
}

export function foldBlocked(state: RunState, fact: Fact): RunState {
  const call = decided(state, fact);
  if (call === undefined) return state;
  const blocked: CallView = {
    ...without(call, "behind", "question"),
    state: "blocked",
    decidedAttempt: fact.attempt,
    blockedSeq: fact.seq,
    endedAt: fact.at,
    result: fact.fields["result"],
  };
  return putCall(state, { ...blocked, intent: rowOnClaim(state, blocked) });
}

export function foldHeld(state: RunState, fact: Fact): RunState {
  const call = decided(state, fact);
  if (call === undefined) return state;
  const behind = someText(fact.fields["behind"]);
  const original = findStart(state, call.originalSeq);
  const question = questionOf(fact.fields["question"]);
  const isMoot = question === "unknown" && original !== undefined && !isOpen(original);
  const check = fact.fields["check"];
  const held: CallView = {
    ...call,
    state: isMoot ? "not_started" : "held",
    heldSeq: fact.seq,
    question,
    ...(isRecord(check) && { check: check as unknown as Check }),
    ...(behind !== undefined && { behind }),
  };
  const intent = behind === undefined ? rowOnClaim(state, held) : rowBehind(state, held);
  return putCall(state, { ...held, intent });
}

/** Partial output was thrown away: open reads go, and without a scope everything that is open. */
export function foldClear(state: RunState, fact: Fact): RunState {
  const isTextOnly = fact.fields["scope"] === "text";
  return mapOpen(state, (call) =>
    isTextOnly && call.kind !== "read"
      ? call
      : { ...call, state: "discarded", endedAt: call.endedAt ?? fact.at },
  );
}

/** An attempt has ended: whatever it left running is running no longer. */
export function cutOffCalls(state: RunState, attempt: number, at: string): RunState {
  return mapOpen(state, (call) =>
    call.state === "running" && (call.decidedAttempt ?? call.attempt) <= attempt
      ? cutOff(call, at)
      : call,
  );
}

function cutOff(call: CallView, at: string): CallView {
  return { ...call, state: call.kind === "read" ? "discarded" : "interrupted", endedAt: at };
}

function mapOpen(state: RunState, change: (call: CallView) => CallView): RunState {
  let next = state;
  for (const call of state.calls) {
    if (!isOpen(call)) continue;
    const changed = change(call);
    if (changed !== call) next = putCall(next, changed);
  }
  return next;
}

function withOutcome(state: RunState, call: CallView, outcome: Outcome): RunState {
  if (outcome === "failed") return putCall(state, { ...call, state: "failed" });
  if (outcome === "unknown") {
    return putCall(state, { ...call, state: call.kind === "read" ? "failed" : "interrupted" });
  }
  const next = putCall(state, { ...call, state: "completed" });
  return call.startSeq === undefined ? next : proveByKey(next, call);
}

/** One key is one effect: an outcome proves every open start of the tool that carries its key. */
function proveByKey(state: RunState, proof: CallView): RunState {
  const key = proof.idempotencyKey;
  if (key === undefined || key === "") return state;
  return mapOpen(state, (call) =>
    call.idempotencyKey === key && call.tool === proof.tool && call.callId !== proof.callId
      ? { ...call, state: "completed", provenBy: proof.callId, result: proof.result }
      : call,
  );
}

function isSettled(call: CallView): boolean {
  return call.state === "settled_landed" || call.state === "settled_absent";
}

function contradict(state: RunState, call: CallView, fact: Fact, outcome: Outcome): RunState {
  const landed = call.settlement?.outcome === "landed";
  const agrees = outcome === "unknown" || landed === (outcome === "ok");
  if (agrees) return state;
  const contradiction = {
    seq: fact.seq,
    at: fact.at,
    outcome,
    result: fact.fields["result"],
  };
  return putCall(state, { ...call, contradiction });
}

/** A done without a start: a call that was refused, or one whose start is yet to come. */
function foldRefusal(state: RunState, fact: Fact, outcome: Outcome): RunState {
  const callId = someText(fact.fields["callId"]);
  if (callId === undefined) return state;
  const call = { ...newCall(state, fact, callId, fact.fields), outcome };
  return putCall(state, {
    ...call,
    state: outcome === "ok" ? "completed" : "failed",
    result: fact.fields["result"],
    doneSeq: fact.seq,
    endedAt: fact.at,
  });
}

/** The call that a done belongs to: by id, else the oldest open start of its tool, by input where it has one. */
function callOfDone(state: RunState, fact: Fact): CallView | undefined {
  const named = someText(fact.fields["callId"]);
  const byId = named === undefined ? undefined : findCall(state, named);
  if (byId !== undefined) return byId;
  const tool = textOf(fact.fields["tool"]);
  const open = state.calls.filter(
    (call) => call.tool === tool && isOpen(call) && (named === undefined || call.unnamed === true),
  );
  const { input } = fact.fields;
  if (input === undefined) return open[0];
  const same = open.find((call) => sameJson(call.input, input));
  return same ?? (open.length === 1 ? open[0] : undefined);
}

/** The call that a block or a hold decides about; undefined where that makes no sense. */
function decided(state: RunState, fact: Fact): CallView | undefined {
  const { fields } = fact;
  const named = someText(fields["callId"]);
  const known = named === undefined ? undefined : findCall(state, named);
  if (known?.startSeq !== undefined) return undefined;
  const call = known ?? newCall(state, fact, freshId(state, fact, named), fields);
  return {
    ...call,
    kind: "write",
    ...pick(fields, "signature", "originalSeq", "nearOf", "reason"),
    ...comparedOf(fields),
  };
}

function questionOf(value: unknown): HeldQuestion {
  return value === "near" || value === "approval" ? value : "unknown";
}

/** How the call compares with another one, as the guard told it. */
function comparedOf({ differences, ignored }: Readonly<Record<string, unknown>>) {
  return {
    ...(Array.isArray(differences) && {
      differences: (differences as unknown[]).filter(isRecord) as unknown as FieldDifference[],
    }),
    ...(Array.isArray(ignored) && { ignored: ignored.map(String) }),
  };
}

function newCall(
  state: RunState,
  fact: Fact,
  callId: string,
  asked: Readonly<Record<string, unknown>>,
): CallView {
  const tool = textOf(asked["tool"]);
  return {
    callId,
    intent: callId,
    tool,
    input: asked["input"],
    kind: Object.hasOwn(state.toolKinds, tool) ? (state.toolKinds[tool] ?? null) : null,
    attempt: fact.attempt,
    step: currentStep(state),
    state: "not_started",
  };
}

function freshId(state: RunState, fact: Fact, named: string | undefined): string {
  if (named === undefined) return `seq:${fact.seq}`;
  return findCall(state, named) === undefined ? named : `${named}#${fact.seq}`;
}

function currentStep(state: RunState): number | null {
  return state.attempts.at(-1)?.steps.at(-1)?.step ?? null;
}

function isOver(state: RunState, attempt: number): boolean {
  const last = state.attempts.at(-1);
  if (last === undefined) return false;
  return attempt < last.attempt || (attempt === last.attempt && last.endSeq !== undefined);
}

type Picked = "signature" | "idempotencyKey" | "originalSeq" | "nearOf" | "reason";

function pick(
  fields: Readonly<Record<string, unknown>>,
  ...names: readonly Picked[]
): Partial<Pick<CallView, Picked>> {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const isNumber = name === "originalSeq" || name === "nearOf";
    const value = isNumber ? wholeNumber(fields[name]) : someText(fields[name]);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function without<Key extends keyof CallView>(
  call: CallView,
  ...names: readonly Key[]
): Omit<CallView, Key> {
  const rest: Partial<CallView> = { ...call };
  for (const name of names) delete rest[name];
  return rest as Omit<CallView, Key>;
}
