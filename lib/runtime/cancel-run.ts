/** Cancel sets a mark; whoever owns the run, or claims it because of the mark, ends it. */
import type { OwnerId, RunId } from "../core/ids.ts";
import type { RunRecord } from "../core/run-record.ts";
import type { VerbDeps } from "./runner.ts";
import { kickSoon } from "./start-run.ts";

/** Asking again changes nothing. Throws `run-not-found`, `run-terminal`. */
export async function cancelRun(
  deps: VerbDeps,
  { ownerId, runId }: { readonly ownerId: OwnerId; readonly runId: RunId },
): Promise<RunRecord> {
  const known = await deps.runs.getRun(ownerId, runId);
  if (known.status === "cancelled") return known;
  const run = await deps.runs.requestCancel(runId);
  if (run.status === "running") kickSoon(deps, runId);
  return run;
}
