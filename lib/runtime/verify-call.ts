/**
 * A call that asks again for an open write which can be checked: the check is asked now. What it settles goes on
 * record, and the guard decides anew; what it can't tell is decided as if there were no check; what it may not yet
 * believe holds the call until the check is worth repeating.
 */
import { assert } from "../core/errors.ts";
import type { Check } from "../core/event.ts";
import type { Decision } from "../core/guard.ts";
import { openWritesOf } from "../core/open-write.ts";
import { askVerifier } from "./ask-verifier.ts";
import type { AttemptContext } from "./attempt-context.ts";
import type { Dispatch } from "./call-events.ts";
import { canVerify, checkOf, isConclusive, resolvedOf } from "./settle-before-resume.ts";

export type VerifiedCall =
  /** The entry is closed, by this check or meanwhile: decide again. */
  | { readonly kind: "settled" }
  | { readonly kind: "open"; readonly decision: Decision; readonly check: Check };

export async function verifyCall(
  context: AttemptContext,
  { action, decision }: Dispatch,
): Promise<VerifiedCall> {
  const { attempt, deps, guard, ledger } = context;
  const { entry, unverified } = decision;
  assert(entry && unverified && canVerify(action), "a check is of an entry, by an action that can");
  const write = openWritesOf(ledger.events, attempt.attempt).find(
    (open) => open.entry.startSeq === entry.startSeq,
  );
  const settled = (): VerifiedCall => {
    guard.learn(ledger.events, entry);
    return { kind: "settled" };
  };
  if (!write) return settled();
  const answer = await askVerifier(deps, action, write, {
    signal: attempt.bodySignal,
    now: context.now,
  });
  if (isConclusive(answer)) {
    await ledger.commitIfUnmoved([resolvedOf(ledger.events, write, answer, attempt.attempt)]);
    return settled();
  }
  const check = checkOf({ write, answer });
  if (answer.againInMs === undefined) return { kind: "open", decision: unverified, check };
  const reason =
    "The same call was started and has not taken effect so far. It is checked again soon.";
  const hold: Decision = { ...decision, decision: "hold", question: "unknown", reason };
  return { kind: "open", decision: hold, check };
}
