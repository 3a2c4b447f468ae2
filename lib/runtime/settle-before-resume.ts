/**
 * What is found out before a resumed attempt begins: every open write whose action can be asked is asked, so that
 * the note can already say what was found. A transactional write that is open was not committed: the fence has moved
 * on, so it never will be.
 */
import type { Check, NewEvent, RunEvent, ToolResolved } from "../core/event.ts";
import { findCall } from "../core/held-step.ts";
import { type OpenWrite, openWritesOf } from "../core/open-write.ts";
import type { Action } from "./action.ts";
import { type Answer, askVerifier } from "./ask-verifier.ts";
import type { Pen } from "./attempt-context.ts";
import type { RuntimeDeps } from "./deps.ts";

export interface Settling {
  /** To be committed with the attempt's beginning, while the ledger is as it was read. */
  readonly resolved: readonly NewEvent[];
  /** Answers that settle nothing. */
  readonly checks: readonly Check[];
  /** Milliseconds until an answer can be believed; undefined when the attempt may begin. */
  readonly againInMs: number | undefined;
}

/** Asks all verifiers side by side. Never throws. */
export async function settleBeforeResume(pen: Pen): Promise<Settling> {
  const { attempt, deps, ledger, now, run } = pen;
  const { events } = ledger;
  const answered = await Promise.all(
    openWritesOf(events).map(async (write) => {
      const answer = await answerAbout(deps, write, { signal: attempt.modelSignal, now });
      return answer === undefined ? [] : [{ write, answer }];
    }),
  );
  const all = answered.flat();
  const waits = all.flatMap(({ answer }) => answer.againInMs ?? []);
  return {
    resolved: all
      .filter(({ answer }) => isConclusive(answer))
      .map(({ write, answer }) => resolvedOf(events, write, answer, run.attempts)),
    checks: all.filter(({ answer }) => !isConclusive(answer)).map(checkOf),
    againInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

async function answerAbout(
  deps: RuntimeDeps,
  write: OpenWrite,
  how: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<Answer | undefined> {
  const { tool } = write.entry;
  const action = Object.hasOwn(deps.actions, tool) ? deps.actions[tool] : undefined;
  if (action?.transactional) return NOT_COMMITTED;
  return canVerify(action) ? askVerifier(deps, action, write, how) : undefined;
}

const NOT_COMMITTED: Answer = {
  verdict: "absent",
  evidence: {
    found: "It was not committed before another owner took over, so it can't be any more.",
  },
};

export function canVerify(
  action: Action | undefined,
): action is Action & { readonly verify: NonNullable<Action["verify"]> } {
  return action?.verify !== undefined;
}

/** Whether an answer settles its call now. */
export function isConclusive({ verdict, againInMs }: Answer): boolean {
  return verdict !== "unknown" && againInMs === undefined;
}

/** The event of an answer that settles a call. */
export function resolvedOf(
  events: readonly RunEvent[],
  { entry }: OpenWrite,
  { verdict, result, evidence }: Answer,
  attempt: number,
): Omit<ToolResolved, "seq" | "at"> {
  const held = findCall(events, entry.callId)?.held;
  return {
    type: "tool_resolved",
    attempt,
    callId: entry.callId,
    ...(held && { heldCallId: held.callId }),
    by: "verify",
    outcome: verdict === "landed" ? "landed" : "absent",
    ...(verdict === "landed" && { result }),
    ...(evidence !== undefined && { evidence }),
  };
}

/** What goes on record about an answer that settles nothing. */
export function checkOf({
  write,
  answer,
}: {
  readonly write: OpenWrite;
  readonly answer: Answer;
}): Check {
  const { verdict, evidence, againInMs } = answer;
  return {
    callId: write.entry.callId,
    verdict,
    ...(evidence !== undefined && { evidence }),
    ...(againInMs !== undefined && { againInMs }),
  };
}
