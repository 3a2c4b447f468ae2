/**
 * One attempt of a run, from the claim to the moment the lease is given back:
 *
 *   claimed ──▶ read ledger ──▶ attempt_started ──▶ finish held step ──▶ step, step, … ──▶ end
 *
 * Every end is on record: done, failed, cancelled, waiting, or a cut that the next attempt resumes from. Only an
 * owner that lost the run, or died, leaves none; whoever takes over writes it. Nothing here assumes that the
 * process lives on afterwards.
 */
import type { NewEvent } from "../core/event.ts";
import { createGuard } from "../core/guard.ts";
import { openHeldEntries } from "../core/held-step.ts";
import { classifyJournal } from "../core/journal.ts";
import type { Claimed } from "../core/ports.ts";
import { progressOf } from "../core/progress.ts";
import { type Attempt } from "./attempt.ts";
import type { AttemptContext, Pen } from "./attempt-context.ts";
import { type AttemptEnd, endOf, failedOf, releaseQuietly } from "./attempt-end.ts";
import { beginAttempt } from "./begin-attempt.ts";
import type { RuntimeDeps } from "./deps.ts";
import type { HeldCalls } from "./dispatch-calls.ts";
import { earlierMessages } from "./earlier-messages.ts";
import { finishHeldStep } from "./finish-held-step.ts";
import { type Failure, ModelFailure } from "./interruption.ts";
import { keepLease } from "./keep-lease.ts";
import type { LateOutcomes } from "./late-outcomes.ts";
import { type Opening, stepLimitReached } from "./open-attempt.ts";
import { isLost, OpenLedger, readAll } from "./open-ledger.ts";
import { runStep } from "./run-step.ts";

export interface AttemptStart {
  readonly claimed: Claimed;
  readonly attempt: Attempt;
  readonly late: LateOutcomes;
}

/**
 * Runs the attempt to its end and tells whether the run goes on with another attempt. Never throws: what goes wrong
 * is an end of the attempt, and logged.
 */
export async function runAttempt(deps: RuntimeDeps, start: AttemptStart): Promise<boolean> {
  const { claimed, attempt } = start;
  const { lease, run } = claimed;
  const onCancelRequested = () => attempt.cancel();
  const onLost = (error: unknown) => attempt.lose(error);
  const stopRenewing = keepLease(deps, lease, { onCancelRequested, onLost });
  attempt.onDeath(stopRenewing);
  if (run.cancelRequestedAt !== null) attempt.cancel();
  try {
    const events = await readAll(deps, run.id, 0, attempt.modelSignal);
    const ledger = new OpenLedger(deps, { lease, events }, { onCancelRequested, onLost });
    attempt.onDeath(() => ledger.die());
    return await openAndRun(deps, start, ledger);
  } catch (error) {
    deps.log.error(
      { runId: run.id, attempt: attempt.attempt, error: describe(error) },
      "an attempt broke off",
    );
    await releaseQuietly(deps, lease);
    return false;
  } finally {
    stopRenewing();
    attempt.dispose();
  }
}

/** From here on there is a pen: every end is written with it. */
async function openAndRun(
  deps: RuntimeDeps,
  start: AttemptStart,
  ledger: OpenLedger,
): Promise<boolean> {
  const { claimed, attempt, late } = start;
  const { lease, run } = claimed;
  const boundary = run.faults.length > 0 ? deps.boundary : undefined;
  const now = clockFrom(deps, claimed.at);
  const pen: Pen = { deps, run, lease, attempt, ledger, late, boundary, now };
  try {
    const { events, nextTryInMs } = await attemptEnd(pen);
    const goesOn = events.at(-1)?.type === "attempt_ended";
    const pause = goesOn ? Math.max(nextTryInMs ?? 0, pauseMs(pen)) : undefined;
    if (events.length > 0) await ledger.commit(events, pause);
    return goesOn;
  } catch (error) {
    if (isLost(error) || attempt.ending?.kind === "lost") {
      deps.log.info({ runId: run.id, attempt: attempt.attempt }, "an attempt lost its run");
      return false;
    }
    if (!(error instanceof ModelFailure)) {
      deps.log.error({ runId: run.id, error: describe(error) }, "an attempt failed");
    }
    await ledger.commit([failedOf(attempt.attempt, failureOf(error))]);
    return false;
  }
}

/** Runs the attempt and returns what ends it; no events when they are stored already or the run is lost. */
async function attemptEnd(pen: Pen): Promise<AttemptEnd> {
  const { attempt, deps } = pen;
  const begun = await beginAttempt(pen);
  if (begun.kind === "ended") return begun.end;
  const { softTimeoutMs } = deps.limits;
  const cancelTimer =
    softTimeoutMs > 0
      ? deps.clock.after(softTimeoutMs, () => attempt.stop("soft_timeout"))
      : undefined;
  try {
    return await runSteps({ ...pen, guard: begun.opening.guard }, begun.opening);
  } finally {
    cancelTimer?.();
  }
}

async function runSteps(context: AttemptContext, opening: Opening): Promise<AttemptEnd> {
  const { attempt, deps } = context;
  const earlier = await earlierMessages(deps, context.run, attempt.modelSignal);
  let current = context;
  if (opening.heldStep) {
    const held = await finishHeldStep(context, opening.heldStep);
    if (attempt.ending) return endOf(attempt);
    if (held.callIds.length > 0) return waitOrGoOn(context, held);
    // The model's own answers start with every credit again, those of the finished step included.
    current = { ...context, guard: freshGuard(context) };
  }
  for (let step = 1; ; step++) {
    if (attempt.ending) return endOf(attempt);
    const limit = stepLimitReached(deps.limits, opening.progress.steps + step - 1);
    if (limit) return { events: [failedOf(attempt.attempt, limit)] };
    const end = await runStep(current, { step, note: opening.note, earlier });
    if (attempt.ending) return endOf(attempt);
    if (end.kind === "final") return { events: [] };
    if (end.kind === "called" && end.held.callIds.length > 0) {
      return waitOrGoOn(current, end.held);
    }
  }
}

function freshGuard({ deps, ledger }: AttemptContext) {
  return createGuard(classifyJournal(ledger.events), deps.actions, {
    unknownWrites: deps.unknownWrites,
    resumed: true,
  });
}

/**
 * Waits for a person, unless every awaited entry was closed meanwhile: then the next attempt finishes the step. A
 * call whose check is repeated soon is waited for without a person.
 */
async function waitOrGoOn(
  context: AttemptContext,
  { callIds: heldCallIds, againInMs }: HeldCalls,
): Promise<AttemptEnd> {
  const { attempt, ledger } = context;
  const ended = (detail: string): NewEvent => {
    return { type: "attempt_ended", attempt: attempt.attempt, reason: "settled", detail };
  };
  if (againInMs !== undefined) {
    const detail =
      "A call has not taken effect so far; it is checked again before the run goes on.";
    return { events: [ended(detail)], nextTryInMs: againInMs };
  }
  const waiting: NewEvent = { type: "run_waiting", attempt: attempt.attempt, heldCallIds };
  while (openHeldEntries(ledger.events, heldCallIds).length > 0) {
    if (await ledger.commitIfUnmoved([waiting])) return { events: [] };
    if (attempt.ending) return endOf(attempt);
  }
  return { events: [ended("What the run waited for was settled meanwhile.")] };
}

/** Pause before the next attempt: none after progress, growing while there is none. */
function pauseMs({ deps, ledger }: Pen): number {
  const { idleAttempts } = progressOf(ledger.events);
  return idleAttempts <= 1 ? 0 : deps.limits.modelBackoffMs * 2 ** (idleAttempts - 2);
}

function failureOf(error: unknown): Failure {
  if (error instanceof ModelFailure) return error.failure;
  return {
    code: "unexpected",
    message:
      "Something went wrong on the server. Everything that completed is kept; you can resume the run.",
    resumable: true,
  };
}

/** The database's clock, as far as this process can reckon it. */
function clockFrom({ clock }: RuntimeDeps, claimedAt: string): () => number {
  const since = clock.monotonicMs();
  return () => Date.parse(claimedAt) + clock.monotonicMs() - since;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
