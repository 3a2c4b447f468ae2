/**
 * Asks an action's verifier about an open write. Whatever goes wrong is the answer "unknown": a verifier that can't
 * be reached proves nothing.
 */
import type { Verdict } from "../core/event.ts";
import type { OpenWrite } from "../core/open-write.ts";
import type { Action, Verified, VerifyContext } from "./action.ts";
import type { RuntimeDeps } from "./deps.ts";
import { asJson, sentenceOf } from "./outcome.ts";

export interface Answer {
  readonly verdict: Verdict;
  /** Of what landed. */
  readonly result?: unknown;
  readonly evidence?: unknown;
  /** Milliseconds until this "absent" may be believed; absent when it may be now. */
  readonly againInMs?: number;
}

type Verifier = NonNullable<Action["verify"]>;

/** `now`: milliseconds since 1970 on the database's clock. Never throws. */
export async function askVerifier(
  deps: Pick<RuntimeDeps, "clock" | "limits">,
  action: Action & { readonly verify: Verifier },
  write: OpenWrite,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<Answer> {
  const parsed = action.schema.safeParse(write.entry.input ?? {});
  if (!parsed.success) {
    return unknownBecause("The stored input does not fit the action's schema any more.");
  }
  const answer = await withinTime(deps, signal, (within) =>
    action.verify(parsed.data as never, contextOf(write, within)),
  );
  const waitMs = answer.verdict === "absent" ? waitOf(action, write, now()) : 0;
  return waitMs > 0 ? { ...answer, againInMs: waitMs } : answer;
}

function contextOf({ start }: OpenWrite, signal: AbortSignal): VerifyContext {
  return { idempotencyKey: start.idempotencyKey, startedAt: start.at, signal };
}

/** An effect may still be on its way for as long as the action says, counted from when nobody works on it. */
function waitOf({ settleMs = 0 }: Action, { start, quietSince }: OpenWrite, now: number): number {
  if (settleMs === 0) return 0;
  const since = quietSince === undefined ? now : Date.parse(quietSince);
  return Math.ceil(Math.max(since, Date.parse(start.at)) + settleMs - now);
}

async function withinTime(
  { clock, limits }: Pick<RuntimeDeps, "clock" | "limits">,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Verified>,
): Promise<Answer> {
  const within = new AbortController();
  const stop = () => within.abort();
  signal.addEventListener("abort", stop, { once: true });
  const cancelTimer = clock.after(limits.verifyMs, stop);
  const stopped = new Promise<Answer>((resolve) => {
    const giveUp = () => resolve(unknownBecause("The check took too long, or its attempt ended."));
    within.signal.addEventListener("abort", giveUp, { once: true });
  });
  if (signal.aborted) stop();
  const asked = (async () => answerOf(await ask(within.signal)))().catch((error: unknown) =>
    unknownBecause(sentenceOf(error)),
  );
  try {
    return await Promise.race([asked, stopped]);
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", stop);
  }
}

function answerOf(verified: Verified): Answer {
  const { outcome } = verified;
  const evidence = verified.evidence === undefined ? {} : { evidence: asJson(verified.evidence) };
  switch (outcome) {
    case "landed":
      return { verdict: outcome, result: asJson(verified.result), ...evidence };
    case "absent":
    case "unknown":
      return { verdict: outcome, ...evidence };
    default:
      return unknownBecause(`The check answered ${JSON.stringify(outcome satisfies never)}.`);
  }
}

function unknownBecause(problem: string): Answer {
  return { verdict: "unknown", evidence: { problem } };
}
