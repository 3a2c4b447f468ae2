/**
 * How far a run has come, as far as limits and the next attempt need to know. One pass over the ledger; what
 * stands before the last `run_failed` no longer counts, because a person decided to go on after it.
 */
import type { AttemptReason, CutReason, KnownEvent, RunEvent } from "./event.ts";
import { isKnownEvent } from "./event.ts";

export interface Progress {
  /** Attempts that started. */
  readonly attempts: number;
  /** Attempts in a row, up to the last, in which no step was finished and no call completed. */
  readonly idleAttempts: number;
  /** Model steps that were finished. */
  readonly steps: number;
  /** Milliseconds spent in attempts; waiting for a person does not count. */
  readonly activeMs: number;
  /** Why the next attempt begins. */
  readonly nextReason: AttemptReason;
  /** The attempt that has no end on record, if the last one has none. */
  readonly openAttempt: { readonly attempt: number; readonly owner: string } | undefined;
  /** Text of the last step that was not finished; empty when nothing was cut. */
  readonly interruptedText: string;
}

interface Counting {
  attempts: number;
  idleAttempts: number;
  steps: number;
  activeMs: number;
  nextReason: AttemptReason;
  openAttempt: { attempt: number; owner: string } | undefined;
  attemptStartedAt: number;
  interruptedText: string;
}

const START: Counting = {
  attempts: 0,
  idleAttempts: 0,
  steps: 0,
  activeMs: 0,
  nextReason: "first",
  openAttempt: undefined,
  attemptStartedAt: 0,
  interruptedText: "",
};

/** Folds the events of one run. */
export function progressOf(events: readonly RunEvent[]): Progress {
  const counting = { ...START };
  for (const event of events) if (isKnownEvent(event)) count(counting, event);
  const { attemptStartedAt: _, ...progress } = counting;
  return progress;
}

function count(counting: Counting, event: KnownEvent): void {
  switch (event.type) {
    case "attempt_started":
      counting.attempts += 1;
      counting.idleAttempts += 1;
      counting.openAttempt = { attempt: event.attempt, owner: event.owner };
      counting.attemptStartedAt = Date.parse(event.at);
      counting.nextReason = "process_lost";
      return;
    case "step_started":
      counting.interruptedText = "";
      return;
    case "text":
      counting.interruptedText += event.text;
      return;
    case "clear":
      counting.interruptedText = "";
      return;
    case "step_finished":
      counting.interruptedText = "";
      counting.steps += 1;
      counting.idleAttempts = 0;
      return;
    case "tool_done":
      if (event.outcome === "ok") counting.idleAttempts = 0;
      return;
    case "tool_resolved":
      counting.idleAttempts = 0;
      return;
    case "attempt_ended":
      endAttempt(counting, event.at, event.reason);
      return;
    case "run_waiting":
      endAttempt(counting, event.at, "settled");
      return;
    case "run_failed":
      Object.assign(counting, { ...START, interruptedText: counting.interruptedText });
      counting.nextReason = "manual";
      return;
    default:
      return;
  }
}

function endAttempt(counting: Counting, at: string, reason: CutReason | "settled"): void {
  counting.activeMs += Math.max(0, Date.parse(at) - counting.attemptStartedAt);
  counting.openAttempt = undefined;
  counting.nextReason = reason;
}
