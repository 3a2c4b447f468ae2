/** The calls of one model answer: reads side by side, writes one after the other in the model's order. */
import type { NewEvent, PlannedCall } from "../core/event.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { commitOutcomes } from "./commit-outcomes.ts";
import { parseCall, type PlannedAndParsed } from "./parse-call.ts";
import { readOf, runRead, runWrite, type WriteCall } from "./run-call.ts";

/** Calls that are held at the end of a step. */
export interface HeldCalls {
  readonly callIds: readonly string[];
  /** Milliseconds until a check is worth repeating; undefined when only persons can help. */
  readonly againInMs: number | undefined;
}

/**
 * Runs the calls and commits everything they leave behind. `planned` holds the `step_finished` that names them: it
 * is committed before the first call is dispatched, and shares that commit. Returns the calls that wait.
 */
export async function dispatchCalls(
  context: AttemptContext,
  calls: readonly PlannedCall[],
  planned: readonly NewEvent[],
): Promise<HeldCalls> {
  const plan = parsePlan(context, calls);
  const reads = plan.flatMap((each) => {
    const parsed = readOf(each);
    return parsed ? [{ call: each.call, parsed }] : [];
  });
  const writes = plan.filter((each) => readOf(each) === undefined);
  if (reads.length > 0) context.ledger.post(planned);
  const [held] = await Promise.all([
    runWrites(context, writes, reads.length > 0 ? [] : planned),
    ...reads.map(({ call, parsed }) => runRead(context, call, parsed)),
  ]);
  await context.ledger.flush();
  return held;
}

/** Parses each call once. */
export function parsePlan(
  { deps }: AttemptContext,
  calls: readonly PlannedCall[],
): readonly PlannedAndParsed[] {
  return calls.map((call) => ({ call, parsed: parseCall(deps.actions, call) }));
}

/** Runs writes in order. The outcome of each shares the commit of the next one's start. */
export async function runWrites(
  context: AttemptContext,
  writes: readonly WriteCall[],
  planned: readonly NewEvent[],
): Promise<HeldCalls> {
  let pending = planned;
  let againInMs: number | undefined;
  const callIds: string[] = [];
  for (const write of writes) {
    const end = await runWrite(context, write, pending);
    pending = end.pending;
    if (end.held) callIds.push(write.call.callId);
    if (end.againInMs !== undefined) againInMs = Math.min(end.againInMs, againInMs ?? Infinity);
  }
  if (pending.length > 0) await commitOutcomes(context, pending);
  return { callIds, againInMs };
}
