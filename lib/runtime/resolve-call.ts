/** A person settles a call with an unknown outcome; then a waiting run goes on by itself. */
import type { OwnerId } from "../core/ids.ts";
import type { Settlement } from "../core/ports.ts";
import type { VerbDeps } from "./runner.ts";
import { kickSoon } from "./start-run.ts";

/**
 * Stores the answer; the first one wins.
 * Throws `run-not-found`, `run-busy`, `call-not-found`, `call-not-held`, `call-settled`.
 */
export async function resolveCall(
  deps: VerbDeps,
  { ownerId, ...settlement }: Settlement & { readonly ownerId: OwnerId },
): Promise<{ readonly seq: number }> {
  await deps.runs.getRun(ownerId, settlement.runId);
  const { seq, run } = await deps.ledger.settle(settlement);
  if (run.status === "running") kickSoon(deps, run.id);
  return { seq };
}
