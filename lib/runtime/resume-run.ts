/** "Resume" goes on with the same run and its journal; it never starts another one. */
import { runBusy, runTerminal } from "../core/errors.ts";
import type { OwnerId, RunId } from "../core/ids.ts";
import type { RunRecord } from "../core/run-record.ts";
import type { VerbDeps } from "./runner.ts";
import { kickSoon } from "./start-run.ts";

/**
 * Makes a cut or failed run go on. Asking again, or while an owner drives it, changes nothing.
 * Throws `run-not-found`, `run-terminal`, `run-busy` (the run waits for a person, or its thread has another one).
 */
export async function resumeRun(
  deps: VerbDeps,
  { ownerId, runId }: { readonly ownerId: OwnerId; readonly runId: RunId },
): Promise<RunRecord> {
  const run = await deps.runs.getRun(ownerId, runId);
  switch (run.status) {
    case "running":
      kickSoon(deps, runId);
      return run;
    case "waiting":
      throw runBusy("The run waits for your answer about a call; answer it and the run goes on.", {
        runId,
        status: run.status,
      });
    case "failed": {
      if (!run.resumable) throw runTerminal(run.status);
      const reopened = await deps.runs.reopen(runId);
      kickSoon(deps, runId);
      return reopened;
    }
    case "done":
    case "cancelled":
      throw runTerminal(run.status);
  }
}
