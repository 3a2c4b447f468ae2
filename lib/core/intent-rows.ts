/**
 * Which row a call stands in. A decision of the guard places it: the row of the start it claimed, or of the call it
 * waits behind. Until a decision is stored, a call of a resumed attempt stands where the same words stood before,
 * so that rows do not jump; a start that claims nothing is an intent of its own. Three wanted mails are three rows.
 */
import { sameJson } from "./event-fields.ts";
import { positionOf, withItem, withoutItem } from "./keyed-list.ts";
import { intentStateOf, recount } from "./call-state.ts";
import type { CallView, IntentView, RunState } from "./run-view.ts";

const callKeys = (call: CallView): readonly string[] =>
  call.startSeq === undefined
    ? [`call ${call.callId}`]
    : [`call ${call.callId}`, `start ${call.startSeq}`];
const intentKeys = (intent: IntentView): readonly string[] => [intent.key];

export function findCall(state: RunState, callId: string): CallView | undefined {
  return state.calls[positionOf(state.calls, `call ${callId}`, callKeys)];
}

/** The call whose start has this seq. */
export function findStart(state: RunState, startSeq: number | undefined): CallView | undefined {
  if (startSeq === undefined) return undefined;
  return state.calls[positionOf(state.calls, `start ${startSeq}`, callKeys)];
}

export function findIntent(state: RunState, key: string): IntentView | undefined {
  return state.intents[positionOf(state.intents, key, intentKeys)];
}

/** Adds or replaces a call; it moves when its `intent` names another row. */
export function putCall(state: RunState, call: CallView): RunState {
  const at = positionOf(state.calls, `call ${call.callId}`, callKeys);
  const before = state.calls[at];
  const calls = withItem(state.calls, at === -1 ? state.calls.length : at, call, callKeys);
  let { intents } = state;
  if (before !== undefined && before.intent !== call.intent) intents = withoutCall(intents, before);
  intents = withCall(intents, call);
  return { ...state, calls, intents, counts: recount(state.counts, before, call) };
}

/** The row for a call that was just asked for. */
export function rowOnAsk(state: RunState, call: CallView): string {
  const row = state.intents.find(
    (intent) =>
      isSame(intent, call) &&
      intent.calls.every((other) => other.attempt < call.attempt && other.callId !== call.callId),
  );
  return row?.key ?? call.callId;
}

/** The row for a call whose decision names the start it claimed. */
export function rowOnClaim(state: RunState, call: CallView): string {
  return findStart(state, call.originalSeq)?.intent ?? call.intent;
}

/** The row for a call that waits behind a held one. */
export function rowBehind(state: RunState, call: CallView): string {
  const other = call.behind === undefined ? undefined : findCall(state, call.behind);
  return other?.intent ?? rowOnClaim(state, call);
}

/** The row for a call that starts. */
export function rowOnStart(state: RunState, call: CallView): string {
  const claimed = findStart(state, call.originalSeq);
  if (claimed !== undefined) return claimed.intent;
  if (call.kind === "read") return call.intent;
  const others = (intent: IntentView | undefined) =>
    (intent?.calls ?? []).filter((other) => other.callId !== call.callId);
  if (others(findIntent(state, call.intent)).every((other) => wasLeft(other, call))) {
    return call.intent;
  }
  const left = state.intents.find(
    (intent) => isSame(intent, call) && others(intent).every((other) => wasLeft(other, call)),
  );
  return left?.key ?? call.callId;
}

/** Asked for in an earlier attempt that ended before anything was done about it. */
function wasLeft(other: CallView, call: CallView): boolean {
  return other.state === "not_started" && other.attempt < call.attempt;
}

function isSame(intent: IntentView, call: CallView): boolean {
  return intent.tool === call.tool && sameJson(intent.input, call.input);
}

function withCall(intents: readonly IntentView[], call: CallView): readonly IntentView[] {
  const at = positionOf(intents, call.intent, intentKeys);
  const row = intents[at];
  if (row === undefined) {
    return withItem(intents, intents.length, rowOf(call.intent, [call]), intentKeys);
  }
  const index = row.calls.findIndex((other) => other.callId === call.callId);
  const calls = row.calls.slice();
  calls[index === -1 ? calls.length : index] = call;
  return withItem(intents, at, rowOf(row.key, calls), intentKeys);
}

function withoutCall(intents: readonly IntentView[], call: CallView): readonly IntentView[] {
  const at = positionOf(intents, call.intent, intentKeys);
  const row = intents[at];
  if (row === undefined) return intents;
  const calls = row.calls.filter((other) => other.callId !== call.callId);
  if (calls.length === 0) return withoutItem(intents, at);
  return withItem(intents, at, rowOf(row.key, calls), intentKeys);
}

function rowOf(key: string, calls: readonly CallView[]): IntentView {
  const first = calls[0]!;
  const kind = calls.find((call) => call.kind !== null)?.kind ?? null;
  return { key, tool: first.tool, kind, input: first.input, state: intentStateOf(calls), calls };
}
