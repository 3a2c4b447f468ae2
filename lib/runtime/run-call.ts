/**
 * One call of a model's answer: decide, start, effect, outcome.
 *
 * Invariants: the body of a write is entered only after its `tool_start` is committed under the current fence, and
 * not when an end was asked for meanwhile; its outcome is handed back only to be committed before anyone sees it.
 */
import type { NewEvent, PlannedCall } from "../core/event.ts";
import { isRead } from "../core/action-policy.ts";
import { fenceStale } from "../core/errors.ts";
import { classifyJournal } from "../core/journal.ts";
import type { FaultPoint } from "../core/run-record.ts";
import type { AttemptContext } from "./attempt-context.ts";
import {
  blockedOf,
  type Dispatch,
  doneOf,
  heldOf,
  lateCallOf,
  refusalOf,
  startOf,
} from "./call-events.ts";
import { commitOutcomes } from "./commit-outcomes.ts";
import { isLost } from "./open-ledger.ts";
import { NOT_ENTERED } from "./outcome.ts";
import type { ParsedCall, PlannedAndParsed } from "./parse-call.ts";
import { retryStore } from "./retry-store.ts";
import { runBody } from "./run-body.ts";

/** What a write leaves behind. `pending` goes with the next commit, before anyone sees it. */
export interface CallEnd {
  readonly pending: readonly NewEvent[];
  readonly held: boolean;
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

/**
 * Decides about a write and carries the decision out. `pending` are events of the calls before it; they share the
 * commit of this call's start.
 */
export async function runWrite(
  context: AttemptContext,
  { call, parsed }: PlannedAndParsed,
  pending: readonly NewEvent[],
): Promise<CallEnd> {
  if (context.attempt.ending) return { pending, held: false };
  if (parsed.kind === "refused") {
    return { pending: [...pending, refusalOf(context, call, parsed.problem)], held: false };
  }
  await reach(context, "before_start", call);
  if (context.attempt.ending) return { pending, held: false };
  return decideWrite(context, call, parsed, pending);
}

async function decideWrite(
  context: AttemptContext,
  call: PlannedCall,
  parsed: Runnable,
  pending: readonly NewEvent[],
): Promise<CallEnd> {
  const decision = context.guard.decide(call);
  if (decision.signature === null) {
    // Without a signature the guard could not tell a repeat of it from a new call.
    const problem = `The arguments of ${call.tool} can't be compared with those of other calls; nothing was done.`;
    return { pending: [...pending, refusalOf(context, call, problem)], held: false };
  }
  const dispatch = { call, action: parsed.action, parsed: parsed.input, decision };
  switch (decision.decision) {
    case "run":
      return { pending: await startWrite(context, dispatch, pending), held: false };
    case "block":
      return { pending: [...pending, blockedOf(context, dispatch)], held: false };
    case "hold":
      if (pending.length > 0) await commitOutcomes(context, pending);
      if (await holdIsStored(context, dispatch)) return { pending: [], held: true };
      // The ledger moved: the entry may have been closed meanwhile, so its new class decides.
      return decideWrite(context, call, parsed, []);
    case "verify":
      throw new Error("Broken invariant: no action of this version declares a verifier");
  }
}

async function holdIsStored(context: AttemptContext, dispatch: Dispatch): Promise<boolean> {
  const { guard, ledger } = context;
  const { call, decision } = dispatch;
  if (await ledger.commitIfUnmoved([heldOf(context, dispatch)])) {
    guard.hold(decision, call.callId);
    return true;
  }
  guard.learn(ledger.events, decision.behind === undefined ? decision.entry : undefined);
  return false;
}

/** Start, effect, outcome. The outcome is returned uncommitted, unless the run was lost: then it is stored late. */
async function startWrite(
  context: AttemptContext,
  dispatch: Dispatch,
  pending: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  const { call } = dispatch;
  await commitStart(context, dispatch, pending);
  const found = context.attempt.ending ? NOT_ENTERED : await runBody(context, dispatch);
  const done = doneOf(context, call, found);
  if (found.outcome === "unknown") tellGuard(context, call);
  if (!context.boundary) return [done];
  await commitOutcomes(context, [done]);
  await reach(context, "after_done", call);
  return [];
}

/** Commits the start. Throws when the run was lost: then the body must not be entered. */
async function commitStart(
  context: AttemptContext,
  dispatch: Dispatch,
  pending: readonly NewEvent[],
): Promise<void> {
  const { clock, limits, leases } = context.deps;
  const { call } = dispatch;
  try {
    const start = startOf(context, dispatch);
    const { sentAt, repeated } = await commitOutcomes(context, [...pending, start]);
    await reach(context, "after_start", call);
    // An old acknowledgement may be from before a takeover: the fence is read again, and the body entered in the
    // tick of that answer.
    const isOld = repeated || clock.monotonicMs() - sentAt > limits.startFreshMs;
    if (
      isOld &&
      !(await retryStore(context.deps, "fence", () => leases.isCurrent(context.lease)))
    ) {
      const error = fenceStale(context.run.id, context.lease.fence);
      context.attempt.lose(error);
      throw error;
    }
  } catch (error) {
    // Whether or not the start is on record, the body was not entered, and that is known.
    if (isLost(error)) void context.late.store(lateCallOf(context, call), NOT_ENTERED);
    throw error;
  }
}

/** An unknown outcome of this attempt counts at once, so that the model can't ask for it again under a new id. */
function tellGuard(context: AttemptContext, call: PlannedCall): void {
  const { interrupted } = classifyJournal(context.ledger.events);
  const entry = interrupted.find(({ callId }) => callId === call.callId);
  if (entry) context.guard.noteUnknown(entry);
}

/** Stops at a named place of a fault plan; nothing on a run without one. */
async function reach(context: AttemptContext, point: FaultPoint, call: PlannedCall): Promise<void> {
  if (!context.boundary) return;
  await context.boundary({
    point,
    runId: context.run.id,
    attempt: context.attempt.attempt,
    action: call.tool,
    callId: call.callId,
  });
}
