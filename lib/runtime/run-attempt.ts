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
import type { Lease } from "../core/run-record.ts";
import { type Attempt } from "./attempt.ts";
import type { AttemptContext } from "./attempt-context.ts";
import type { RuntimeDeps } from "./deps.ts";
import { earlierMessages } from "./earlier-messages.ts";
import { finishHeldStep } from "./finish-held-step.ts";
import { type Failure, ModelFailure } from "./interruption.ts";
import { keepLease } from "./keep-lease.ts";
import type { LateOutcomes } from "./late-outcomes.ts";
import { limitReached, type Opening, openingOf, stepLimitReached } from "./open-attempt.ts";
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
  const opening = openingOf(deps, claimed, ledger.events);
  const boundary = run.faults.length > 0 ? deps.boundary : undefined;
  const { guard } = opening;
  const context = { deps, run, lease, attempt, ledger, late, guard, boundary };
  try {
    const end = await attemptEnd(context, opening);
    const goesOn = end.at(-1)?.type === "attempt_ended";
    if (end.length > 0) await ledger.commit(end, goesOn ? pauseMs(context) : undefined);
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

/** Runs the attempt and returns the events that end it; none when they are stored already or the run is lost. */
async function attemptEnd(context: AttemptContext, opening: Opening): Promise<readonly NewEvent[]> {
  const { attempt, deps, ledger } = context;
  const limit = limitReached(deps.limits, opening.progress);
  if (attempt.ending || limit) return unopenedEnd(context, opening, limit);
  await ledger.commit(opening.events);
  const { softTimeoutMs } = deps.limits;
  const cancelTimer =
    softTimeoutMs > 0
      ? deps.clock.after(softTimeoutMs, () => attempt.stop("soft_timeout"))
      : undefined;
  try {
    return await runSteps(context, opening);
  } finally {
    cancelTimer?.();
  }
}

/** An attempt that ends before it began leaves no `attempt_started`. */
async function unopenedEnd(
  { deps, lease, run, attempt }: AttemptContext,
  opening: Opening,
  limit: Failure | undefined,
): Promise<readonly NewEvent[]> {
  const endOfLost = opening.events.slice(0, -1);
  if (attempt.ending?.kind === "cancel") return [...endOfLost, cancelledOf(run.attempts)];
  if (attempt.ending) {
    await releaseQuietly(deps, lease);
    return [];
  }
  return limit ? [...endOfLost, failedOf(run.attempts, limit)] : [];
}

async function runSteps(context: AttemptContext, opening: Opening): Promise<readonly NewEvent[]> {
  const { attempt, deps } = context;
  const earlier = await earlierMessages(deps, context.run, attempt.modelSignal);
  let current = context;
  if (opening.heldStep) {
    const held = await finishHeldStep(context, opening.heldStep);
    if (attempt.ending) return endingEvents(attempt);
    if (held.length > 0) return waitOrGoOn(context, held);
    // The model's own answers start with every credit again, those of the finished step included.
    current = { ...context, guard: freshGuard(context) };
  }
  for (let step = 1; ; step++) {
    if (attempt.ending) return endingEvents(attempt);
    const limit = stepLimitReached(deps.limits, opening.progress.steps + step - 1);
    if (limit) return [failedOf(attempt.attempt, limit)];
    const end = await runStep(current, { step, note: opening.note, earlier });
    if (attempt.ending) return endingEvents(attempt);
    if (end.kind === "final") return [];
    if (end.kind === "called" && end.heldCallIds.length > 0)
      return waitOrGoOn(current, end.heldCallIds);
  }
}

function freshGuard({ deps, ledger }: AttemptContext) {
  return createGuard(classifyJournal(ledger.events), deps.actions, {
    unknownWrites: deps.unknownWrites,
    resumed: true,
  });
}

/** Waits for a person, unless every awaited entry was closed meanwhile: then the next attempt finishes the step. */
async function waitOrGoOn(
  context: AttemptContext,
  heldCallIds: readonly string[],
): Promise<readonly NewEvent[]> {
  const { attempt, ledger } = context;
  const waiting: NewEvent = { type: "run_waiting", attempt: attempt.attempt, heldCallIds };
  while (openHeldEntries(ledger.events, heldCallIds).length > 0) {
    if (await ledger.commitIfUnmoved([waiting])) return [];
    if (attempt.ending) return endingEvents(attempt);
  }
  const detail = "What the run waited for was settled meanwhile.";
  return [{ type: "attempt_ended", attempt: attempt.attempt, reason: "settled", detail }];
}

function endingEvents(attempt: Attempt): readonly NewEvent[] {
  const { ending } = attempt;
  switch (ending?.kind) {
    case "cut":
      return [
        {
          type: "attempt_ended",
          attempt: attempt.attempt,
          reason: ending.reason,
          detail: ending.detail,
        },
      ];
    case "cancel":
      return [cancelledOf(attempt.attempt)];
    case "lost":
    case undefined:
      return [];
  }
}

/** Pause before the next attempt: none after progress, growing while there is none. */
function pauseMs({ deps, ledger }: AttemptContext): number {
  const { idleAttempts } = progressOf(ledger.events);
  return idleAttempts <= 1 ? 0 : deps.limits.modelBackoffMs * 2 ** (idleAttempts - 2);
}

function cancelledOf(attempt: number): NewEvent {
  return { type: "run_cancelled", attempt, by: "person" };
}

function failedOf(attempt: number, failure: Failure): NewEvent {
  return { type: "run_failed", attempt, ...failure };
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

/** Gives the run back; if that fails too, the lease runs out by itself. */
async function releaseQuietly(deps: RuntimeDeps, lease: Lease): Promise<void> {
  try {
    await deps.leases.release(lease);
  } catch (error) {
    deps.log.warn({ runId: lease.runId, error: describe(error) }, "a lease could not be released");
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
