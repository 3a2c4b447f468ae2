/**
 * How an attempt begins: the ledger is read once, journal and note are built from it, limits are checked, and
 * `attempt_started` goes on record together with the end of an attempt that could not say so itself.
 */
import type { Check, CutReason, NewEvent, RunEvent } from "../core/event.ts";
import { createGuard, type Guard } from "../core/guard.ts";
import { type HeldStep, heldStepOf } from "../core/held-step.ts";
import { classifyJournal, type Journal } from "../core/journal.ts";
import type { Limits } from "../core/limits.ts";
import { resumeNote } from "../core/note.ts";
import { type Progress, progressOf } from "../core/progress.ts";
import type { Lease, RunRecord } from "../core/run-record.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { Failure } from "./interruption.ts";

export interface Opening {
  /** To be committed before anything else of the attempt. */
  readonly events: readonly NewEvent[];
  readonly note: string | null;
  readonly guard: Guard;
  readonly heldStep: HeldStep | undefined;
  readonly progress: Progress;
}

/** What was found out about open writes before the attempt. */
export interface Findings {
  readonly resolved: readonly NewEvent[];
  readonly checks: readonly Check[];
}

/** What the ledger, with what was just found out, says about the next attempt. Computes only. */
export function openingOf(
  deps: RuntimeDeps,
  claimed: { readonly lease: Lease; readonly run: RunRecord },
  stored: readonly RunEvent[],
  { resolved, checks }: Findings,
): Opening {
  const events = [...stored, ...placed(resolved, stored)];
  const attempt = claimed.run.attempts + 1;
  const journal = classifyJournal(events);
  const progress = progressOf(events);
  const { note, warning } = noteOf(deps, claimed.run, journal, checks);
  const prefix = progress.interruptedText;
  const started: NewEvent = {
    type: "attempt_started",
    attempt,
    owner: claimed.lease.owner,
    fence: claimed.lease.fence,
    reason: progress.nextReason,
    note,
    ...(prefix !== "" && { prefix }),
    ...(checks.length > 0 && { checks }),
    ...(warning !== undefined && { warning }),
  };
  const heldStep = heldStepOf(events);
  const guard = createGuard(journal, deps.actions, {
    unknownWrites: deps.unknownWrites,
    resumed: attempt > 1,
    ...(heldStep && { claimed: heldStep.claimed, excluded: heldStep.callIds }),
  });
  const begin = [...endOfLost(progress), ...resolved, started];
  return { events: begin, note, guard, heldStep, progress };
}

/** Where events will stand that are about to be stored; their time matters to nobody before that. */
function placed(events: readonly NewEvent[], stored: readonly RunEvent[]): RunEvent[] {
  const last = stored.at(-1);
  return events.map(
    (event, i) => ({ ...event, seq: (last?.seq ?? 0) + 1 + i, at: last?.at ?? "" }) as RunEvent,
  );
}

/** A note that can't be built must not stop the run; the guard is never left out. */
function noteOf(deps: RuntimeDeps, run: RunRecord, journal: Journal, checks: readonly Check[]) {
  try {
    return { note: resumeNote(journal, checks), warning: undefined };
  } catch (error) {
    deps.log.warn({ runId: run.id, error: String(error) }, "the note could not be built");
    return {
      note: null,
      warning: "The note for the model could not be built; the guard is complete.",
    };
  }
}

/** The cut as seen by whoever took over. */
export function endOfLost({ openAttempt }: Progress): NewEvent[] {
  if (!openAttempt) return [];
  const reason: CutReason = "process_lost";
  const detail = `The process ${openAttempt.owner} stopped renewing its lease.`;
  return [{ type: "attempt_ended", attempt: openAttempt.attempt, reason, detail }];
}

/** The limit a run has reached, in words, or undefined while it may go on. Every one can be resumed by a person. */
export function limitReached(limits: Limits, progress: Progress): Failure | undefined {
  if (progress.attempts >= limits.attemptsMax) {
    return failure("limit-attempts", `The run was cut ${progress.attempts} times.`);
  }
  if (progress.idleAttempts >= limits.idleAttemptsMax) {
    return failure(
      "limit-progress",
      `The run was cut ${progress.idleAttempts} times in a row without getting any further.`,
    );
  }
  if (progress.activeMs >= limits.runWallClockMs) {
    return failure("limit-time", "The run has worked for as long as a run may.");
  }
  return stepLimitReached(limits, progress.steps);
}

/** The limit of model steps, checked before each one. */
export function stepLimitReached(limits: Limits, steps: number): Failure | undefined {
  if (steps < limits.stepsMax) return undefined;
  return failure("limit-steps", `The model was asked ${steps} times without coming to an end.`);
}

function failure(code: string, what: string): Failure {
  return {
    code,
    message: `${what} Everything that completed is kept; you can resume it.`,
    resumable: true,
  };
}
