/**
 * Where things stand on the timeline: rows of bars, bands of attempts, cuts between them. A pure function of the
 * run's state; positions are percent of the width. Two scales: by order (every point of the ledger has the same
 * width) and by time (idle gaps are squeezed, and say how long they were).
 */
import type { AttemptView, CallView, MarkView, RunState } from "./run-view.ts";

export type Scale = "order" | "time";

export interface BarLayout {
  readonly call: CallView;
  readonly from: number;
  readonly to: number;
  /** Nothing has ended it yet. */
  readonly isOpen: boolean;
  /** Where the original of a repeat ended, for the line back to it. */
  readonly linkTo?: number;
}

export interface BandLayout {
  readonly attempt: AttemptView;
  readonly from: number;
  readonly to: number;
}

export interface CutLayout {
  readonly at: number;
  readonly ended: AttemptView;
  readonly next: AttemptView | undefined;
  /** From the last sign of life to the next attempt; null while there is none. */
  readonly gapMs: number | null;
}

export interface RunLayout {
  readonly rows: readonly { readonly key: string; readonly bars: readonly BarLayout[] }[];
  readonly bands: readonly BandLayout[];
  readonly cuts: readonly CutLayout[];
  /** Squeezed idle times. */
  readonly breaks: readonly { readonly at: number; readonly ms: number }[];
}

/** Up to so many points each gets the same width. Source: UX, "Run timeline". */
export const ORDER_MARKS_MAX = 60;
const SQUEEZE_SHARE = 0.1;
const SQUEEZED_TO = 0.04;
/** Percent; narrower bars could not show their pattern. */
const BAR_MIN = 2;

export function layoutRun(
  state: RunState,
  { scale, nowMs }: { readonly scale: Scale; readonly nowMs: number },
): RunLayout {
  const axis = scale === "order" ? orderAxis(state.marks) : timeAxis(state, nowMs);
  const ends = endsBySeq(state, axis);
  const rows = state.intents.map(({ key, calls }) => ({
    key,
    bars: calls.map((call) => barOf(state, call, axis, ends)).filter((bar) => bar !== undefined),
  }));
  return { rows, bands: bandsOf(state, axis), cuts: cutsOf(state, axis), breaks: axis.breaks };
}

interface Axis {
  /** Place of an event, by its seq. */
  readonly of: (seq: number) => number;
  readonly end: number;
  readonly breaks: RunLayout["breaks"];
}

function orderAxis(marks: readonly MarkView[]): Axis {
  const seqs = marks.map(({ seq }) => seq);
  const width = 100 / Math.max(1, seqs.length);
  return { of: (seq) => indexOf(seqs, seq) * width, end: 100, breaks: [] };
}

/** Index of the last point that is not after `seq`. */
function indexOf(seqs: readonly number[], seq: number): number {
  let low = 0;
  let high = seqs.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((seqs[middle] ?? 0) <= seq) low = middle;
    else high = middle - 1;
  }
  return low;
}

function timeAxis({ marks, phase }: RunState, nowMs: number): Axis {
  const seqs = marks.map(({ seq }) => seq);
  const times = marks.map(({ at }) => Date.parse(at)).map((ms) => (Number.isFinite(ms) ? ms : 0));
  const isLive = phase === "running" || phase === "resuming" || phase === "queued";
  const last = Math.max(times.at(-1) ?? 0, isLive ? nowMs : 0);
  const span = Math.max(1, last - (times[0] ?? 0));
  const gaps = [...times.slice(1), last].map((ms, i) => Math.max(0, ms - (times[i] ?? 0)));
  const squeezed = gaps.map((gap) =>
    gap > span * SQUEEZE_SHARE && gap > 3_000 ? span * SQUEEZED_TO : gap,
  );
  const total = Math.max(
    1,
    squeezed.reduce((sum, gap) => sum + gap, 0),
  );
  const places: number[] = [0];
  for (const gap of squeezed) places.push((places.at(-1) ?? 0) + (gap / total) * 100);
  const breaks = gaps.flatMap((ms, i) =>
    squeezed[i] === ms ? [] : [{ at: ((places[i] ?? 0) + (places[i + 1] ?? 0)) / 2, ms }],
  );
  return { of: (seq) => places[indexOf(seqs, seq)] ?? 0, end: 100, breaks };
}

/** Where the bar of each started call ends, so that repeats can point at their original. */
function endsBySeq(state: RunState, axis: Axis): Map<number, number> {
  const ends = new Map<number, number>();
  for (const call of state.calls) {
    if (call.startSeq !== undefined)
      ends.set(call.startSeq, axis.of(endSeqOf(state, call) ?? state.lastSeq));
  }
  return ends;
}

function barOf(
  state: RunState,
  call: CallView,
  axis: Axis,
  ends: ReadonlyMap<number, number>,
): BarLayout | undefined {
  const begin = call.heldSeq ?? call.startSeq ?? call.blockedSeq ?? call.doneSeq ?? call.plannedSeq;
  if (begin === undefined) return undefined;
  const endSeq = endSeqOf(state, call);
  const from = axis.of(begin);
  const to = Math.max(endSeq === undefined ? axis.end : axis.of(endSeq), from + BAR_MIN);
  const linkTo = call.originalSeq === undefined ? undefined : ends.get(call.originalSeq);
  return {
    call,
    from: Math.min(from, 100 - BAR_MIN),
    to: Math.min(100, to),
    isOpen: endSeq === undefined,
    ...(linkTo !== undefined && linkTo < from && { linkTo }),
  };
}

/** seq that ends the call's bar; undefined while it is open. */
function endSeqOf(state: RunState, call: CallView): number | undefined {
  const own = call.late ? undefined : call.doneSeq;
  const end = own ?? call.blockedSeq ?? (call.heldSeq === undefined ? undefined : call.resolvedSeq);
  if (end !== undefined) return end;
  if (call.state === "held") return undefined;
  return attemptOf(state, call)?.endSeq;
}

function attemptOf(state: RunState, call: CallView): AttemptView | undefined {
  const number = call.decidedAttempt ?? call.attempt;
  return state.attempts.find(({ attempt }) => attempt === number);
}

function bandsOf(state: RunState, axis: Axis): BandLayout[] {
  return state.attempts.map((attempt, i) => {
    const next = state.attempts[i + 1];
    const endSeq = attempt.endSeq ?? next?.startSeq;
    return {
      attempt,
      from: axis.of(attempt.startSeq),
      to: endSeq === undefined ? axis.end : axis.of(endSeq),
    };
  });
}

const NO_CUT = new Set<unknown>(["waiting", "done", "failed", "cancelled", undefined]);

function cutsOf(state: RunState, axis: Axis): CutLayout[] {
  return state.attempts.flatMap((ended, i) => {
    if (NO_CUT.has(ended.endReason) || ended.endSeq === undefined) return [];
    const next = state.attempts[i + 1];
    const gapMs = next ? Math.max(0, Date.parse(next.startedAt) - Date.parse(ended.lastAt)) : null;
    return [{ at: axis.of(ended.endSeq), ended, next, gapMs: Number.isNaN(gapMs) ? null : gapMs }];
  });
}
