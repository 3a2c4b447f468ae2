/**
 * From the claim to `attempt_started`: limits are looked at, open writes are checked, and the beginning goes on
 * record while the ledger is as it was read. A cancel is honoured before anything else.
 */
import { progressOf } from "../core/progress.ts";
import type { Pen } from "./attempt-context.ts";
import { type AttemptEnd, cancelledOf, failedOf, releaseQuietly } from "./attempt-end.ts";
import { endOfLost, limitReached, type Opening, openingOf } from "./open-attempt.ts";
import { settleBeforeResume, type Settling } from "./settle-before-resume.ts";

export type Begun =
  | { readonly kind: "begun"; readonly opening: Opening }
  /** The attempt ends before it began: it leaves no `attempt_started`. */
  | { readonly kind: "ended"; readonly end: AttemptEnd };

/** Throws `fence-stale` or `ledger-closed` when the run was lost. */
export async function beginAttempt(pen: Pen): Promise<Begun> {
  const { attempt, deps, ledger, lease, run } = pen;
  for (;;) {
    const refused = await refusedBeginning(pen);
    if (refused) return { kind: "ended", end: refused };
    const settling = await settleBeforeResume(pen);
    if (attempt.ending) continue;
    if (settling.againInMs !== undefined) {
      return { kind: "ended", end: await laterEnd(pen, settling, settling.againInMs) };
    }
    const opening = openingOf(deps, { lease, run }, ledger.events, settling);
    // A late outcome may have arrived meanwhile: then journal and note are built again.
    if (await ledger.commitIfUnmoved(opening.events)) return { kind: "begun", opening };
  }
}

async function refusedBeginning(pen: Pen): Promise<AttemptEnd | undefined> {
  const { attempt, deps, ledger, lease, run } = pen;
  const progress = progressOf(ledger.events);
  const endOfBefore = endOfLost(progress);
  if (attempt.ending?.kind === "cancel") {
    return { events: [...endOfBefore, cancelledOf(run.attempts)] };
  }
  if (attempt.ending) {
    await releaseQuietly(deps, lease);
    return { events: [] };
  }
  const limit = limitReached(deps.limits, progress);
  return limit && { events: [...endOfBefore, failedOf(run.attempts, limit)] };
}

/** Nothing may be believed yet: the run is given back and due when it may. */
async function laterEnd(
  { deps, ledger, lease }: Pen,
  { resolved }: Settling,
  againInMs: number,
): Promise<AttemptEnd> {
  // What a late outcome has overtaken is found out again the next time.
  if (resolved.length > 0) await ledger.commitIfUnmoved(resolved);
  const events = endOfLost(progressOf(ledger.events));
  if (events.length > 0) return { events, nextTryInMs: againInMs };
  await releaseQuietly(deps, lease, againInMs);
  return { events: [] };
}
