/**
 * How the model goes on when it heeds the note: it reuses what completed, looks before it repeats what is unknown,
 * and counts what the world has. A blocked repeat is not another completion: a second mail that is still wanted is
 * asked for again.
 */
import { type PastCall, recordOf } from "./conversation.ts";
import type { Plan, Wish } from "./parse-request.ts";
import { isLookUp, isSame, lookOf } from "./same-call.ts";

export interface NextCalls {
  readonly kind: "look" | "do";
  readonly calls: readonly Wish[];
}

/** The calls that are asked for next; undefined when nothing of the plan is open. */
export function openCallsOf(plan: Plan, calls: readonly PastCall[]): NextCalls | undefined {
  const known = withFindings(calls);
  for (const step of plan) {
    const wishes = distinct(step);
    const looks = wishes.filter((wish) => needsLook(wish, known));
    if (looks.length > 0) return { kind: "look", calls: looks.map(lookOf) };
    const open = wishes.flatMap((wish) => copies(wish, missingOf(wish, step, known)));
    if (open.length > 0) return { kind: "do", calls: open };
  }
  return undefined;
}

/** What a closing answer is about: one entry for each thing that was wanted, without the checks in between. */
export function outcomesOf(plan: Plan, calls: readonly PastCall[]): readonly PastCall[] {
  const known = withFindings(calls);
  return plan.flatMap((step) =>
    distinct(step).flatMap((wish) => {
      const same = known.filter((call) => isSame(call, wish));
      const proven = same.filter((call) => isProof(call) || call.status === "failed");
      if (isLookUp(wish)) return proven.slice(-1);
      return [...proven, ...same.filter(({ status }) => status === "unknown")];
    }),
  );
}

/** The calls with their unknowns replaced by what a later look has found in the world. */
export function withFindings(calls: readonly PastCall[]): readonly PastCall[] {
  const taken = new Set(calls.filter(isProof).map(({ result }) => idOf(result)));
  return calls.map((call) => {
    const look = call.status === "unknown" ? lookAfter(call, calls) : undefined;
    if (look?.status !== "completed") return call;
    // What a person confirmed without a result is in the world too, and is not this call.
    const nameless = calls.filter(
      (other) => isProof(other) && isSame(other, call) && idOf(other.result) === undefined,
    );
    const found = itemsOf(look, call).filter((item) => !taken.has(idOf(item)))[nameless.length];
    if (!found) return { ...call, status: "not_done" };
    taken.add(idOf(found));
    return { ...call, status: "completed", result: found, checked: true };
  });
}

function isProof({ status, blocked }: PastCall): boolean {
  return status === "completed" && !blocked;
}

/** A look that failed is not repeated: then nobody knows, and the call is not asked for again. */
function needsLook(wish: Wish, known: readonly PastCall[]): boolean {
  const unknown = known.filter((call) => isSame(call, wish) && call.status === "unknown");
  return unknown.some((call) => !isLookUp(call) && lookAfter(call, known) === undefined);
}

function missingOf(wish: Wish, step: readonly Wish[], known: readonly PastCall[]): number {
  const wanted = step.filter((other) => isSame(other, wish)).length;
  const same = known.filter((call) => isSame(call, wish));
  if (isLookUp(wish))
    return same.some(({ status }) => status !== "unknown" && status !== "not_done") ? 0 : 1;
  const spent = same.filter(
    (call) => isProof(call) || call.status === "failed" || call.status === "unknown",
  );
  return Math.max(0, wanted - spent.length);
}

function lookAfter(call: PastCall, calls: readonly PastCall[]): PastCall | undefined {
  const look = lookOf(call);
  return calls.findLast(
    (past) =>
      isSame(past, look) &&
      past.answer > call.answer &&
      (past.status === "completed" || past.status === "failed"),
  );
}

/** What a look has found of this run's own effects that is the same as the call. */
function itemsOf(look: PastCall, call: PastCall): Readonly<Record<string, unknown>>[] {
  const list = Object.values(recordOf(look.result)).find(Array.isArray) as unknown[] | undefined;
  return (list ?? [])
    .map(recordOf)
    .filter((item) => item["byThisRun"] === true && isSame({ tool: call.tool, input: item }, call));
}

function idOf(result: unknown): unknown {
  const { messageId, chargeId, ticketId } = recordOf(result);
  return messageId ?? chargeId ?? ticketId;
}

function distinct(step: readonly Wish[]): Wish[] {
  return step.filter((wish, i) => step.findIndex((other) => isSame(other, wish)) === i);
}

function copies(wish: Wish, count: number): Wish[] {
  return Array.from({ length: count }, () => wish);
}
