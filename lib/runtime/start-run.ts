/** A message becomes a run: stored first, then driven by whoever claims it. */
import { AppError } from "../core/errors.ts";
import type { RunInput } from "../core/event.ts";
import type { OwnerId, RunId, ThreadId } from "../core/ids.ts";
import type { NewRun } from "../core/ports.ts";
import type { Fault, ModelChoice, RunRecord } from "../core/run-record.ts";
import type { VerbDeps } from "./runner.ts";

export interface StartRunInput {
  readonly ownerId: OwnerId;
  readonly threadId: ThreadId;
  readonly clientToken?: string;
  readonly input: RunInput;
  readonly model: ModelChoice;
  readonly faults: readonly Fault[];
}

/**
 * Creates the run, or finds the one that the same `clientToken` made.
 * Throws `thread-not-found`, `run-busy`, `idempotency-conflict`, `store-unavailable`.
 */
export async function startRun(
  deps: VerbDeps,
  input: StartRunInput,
): Promise<{ readonly run: RunRecord; readonly created: boolean }> {
  const wanted: NewRun = { runId: deps.ids.runId(), ...input };
  const started = await deps.runs.createRun(wanted);
  if (started.created) kickSoon(deps, started.run.id);
  return started;
}

/** Asks for the run to be driven now. A failure only means that the sweep does it. */
export function kickSoon(deps: VerbDeps, runId: RunId): void {
  deps.runner.kick(runId).catch((error: unknown) => {
    const detail = error instanceof AppError ? error.detail : String(error);
    deps.log.warn({ runId, detail }, "a run waits for the sweep");
  });
}
