/**
 * One call of a model's answer: decide, and carry the decision out. Reads run beside each other; a write is run,
 * answered from the journal, checked, or held for a person.
 */
import { isRead } from "../core/action-policy.ts";
import type { Check, NewEvent, PlannedCall } from "../core/event.ts";
import type { Decision } from "../core/guard.ts";
import type { HeldAnswers } from "../core/held-step.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { blockedOf, type Dispatch, doneOf, heldOf, refusalOf, startOf } from "./call-events.ts";
import { commitOutcomes } from "./commit-outcomes.ts";
import type { ParsedCall, PlannedAndParsed } from "./parse-call.ts";
import { reach } from "./reach.ts";
import { runBody } from "./run-body.ts";
import { startWrite } from "./start-write.ts";
import { verifyCall } from "./verify-call.ts";

/** What a write leaves behind. */
export interface CallEnd {
  /** Goes with the next commit, before anyone sees it. */
  readonly pending: readonly NewEvent[];
  readonly held: boolean;
  /** Of a held call: milliseconds until its check is worth repeating; absent when it waits for a person. */
  readonly againInMs?: number;
}

type Runnable = Extract<ParsedCall, { kind: "call" }>;

/** The call if it goes the way of reads. One that will be refused goes with the writes, in order. */
export function readOf({ parsed }: PlannedAndParsed): Runnable | undefined {
  return parsed.kind === "call" && isRead(parsed.action) ? parsed : undefined;
}

/** Runs a read: never blocked, and its outcome rides along with other commits. */
export async function runRead(
  context: AttemptContext,
  call: PlannedCall,
  { action, input }: Runnable,
): Promise<void> {
  await reach(context, "before_start", call);
  if (context.attempt.ending) return;
  const dispatch = { call, action, parsed: input, decision: context.guard.decide(call) };
  await context.ledger.commit([startOf(context, dispatch)]);
  await reach(context, "after_start", call);
  if (context.attempt.ending) return;
  const done = doneOf(context, call, await runBody(context, dispatch));
  if (!context.boundary) return context.ledger.post([done]);
  await context.ledger.commit([done]);
  await reach(context, "after_done", call);
}

/** A write on its way. `answers`: what was said about it while it was held. */
export interface WriteCall extends PlannedAndParsed {
  readonly answers?: HeldAnswers | undefined;
}

/**
 * Decides about a write and carries the decision out. `pending` are events of the calls before it; they share the
 * commit of this call's start.
 */
export async function runWrite(
  context: AttemptContext,
  { call, parsed, answers }: WriteCall,
  pending: readonly NewEvent[],
): Promise<CallEnd> {
  if (context.attempt.ending) return { pending, held: false };
  if (parsed.kind === "refused") {
    return { pending: [...pending, refusalOf(context, call, parsed.problem)], held: false };
  }
  await reach(context, "before_start", call);
  if (context.attempt.ending) return { pending, held: false };
  return decideWrite(context, { call, parsed, answers }, pending);
}

interface Decidable {
  readonly call: PlannedCall;
  readonly parsed: Runnable;
  readonly answers: HeldAnswers | undefined;
}

async function decideWrite(
  context: AttemptContext,
  write: Decidable,
  pending: readonly NewEvent[],
): Promise<CallEnd> {
  const { call, parsed, answers } = write;
  const decision = decisionOf(context, call, answers);
  if (decision.signature === null) {
    // Without a signature the guard could not tell a repeat of it from a new call.
    const problem = `The arguments of ${call.tool} can't be compared with those of other calls; nothing was done.`;
    return { pending: [...pending, refusalOf(context, call, problem)], held: false };
  }
  const dispatch = { call, action: parsed.action, parsed: parsed.input, decision };
  if (decision.decision !== "verify") return carryOut(context, write, { dispatch, pending });
  if (pending.length > 0) await commitOutcomes(context, pending);
  const verified = await verifyCall(context, dispatch);
  if (verified.kind === "settled") return decideWrite(context, write, []);
  const { decision: instead, check } = verified;
  return carryOut(context, write, {
    dispatch: { ...dispatch, decision: instead, check },
    pending: [],
  });
}

function decisionOf(
  { guard }: AttemptContext,
  call: PlannedCall,
  answers: HeldAnswers | undefined,
): Decision {
  const { near, approval } = answers ?? {};
  if (near?.isSame) return guard.decideSame(call, near.startSeq);
  return guard.decide(call, {
    approved: approval === "approved",
    ...(near && { notNear: near.startSeq }),
  });
}

/** A call whose decision is final, with what goes before it. */
interface Decided {
  readonly dispatch: Dispatch & { readonly check?: Check };
  readonly pending: readonly NewEvent[];
}

async function carryOut(
  context: AttemptContext,
  write: Decidable,
  { dispatch, pending }: Decided,
): Promise<CallEnd> {
  switch (dispatch.decision.decision) {
    case "run":
      return { pending: await startWrite(context, dispatch, pending), held: false };
    case "block":
      return { pending: [...pending, blockedOf(context, dispatch)], held: false };
    case "hold": {
      if (pending.length > 0) await commitOutcomes(context, pending);
      // The ledger moved: the entry may have been closed meanwhile, so its new class decides.
      if (!(await holdIsStored(context, dispatch))) return decideWrite(context, write, []);
      const againInMs = dispatch.check?.againInMs;
      return { pending: [], held: true, ...(againInMs !== undefined && { againInMs }) };
    }
    case "verify":
      throw new Error("Broken invariant: a verifier's answer is another decision");
  }
}

async function holdIsStored(
  context: AttemptContext,
  dispatch: Decided["dispatch"],
): Promise<boolean> {
  const { guard, ledger } = context;
  const { call, decision } = dispatch;
  if (await ledger.commitIfUnmoved([heldOf(context, dispatch)])) {
    guard.hold(decision, call.callId);
    return true;
  }
  guard.learn(ledger.events, decision.behind === undefined ? decision.entry : undefined);
  return false;
}
