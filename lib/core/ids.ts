/**
 * Ids carry a prefix that names what they identify, and a brand so that the compiler keeps them apart.
 * They are opaque: nothing may be read out of one.
 */
declare const brand: unique symbol;

/** Shape: `run_` and 20 characters of base 32. */
export type RunId = string & { readonly [brand]: "run" };
/** Shape: `thr_` and 20 characters of base 32. */
export type ThreadId = string & { readonly [brand]: "thread" };
/** Who a thread belongs to. Today every request is `local`. */
export type OwnerId = string & { readonly [brand]: "owner" };

export const asRunId = (text: string): RunId => text as RunId;
export const asThreadId = (text: string): ThreadId => text as ThreadId;
export const asOwnerId = (text: string): OwnerId => text as OwnerId;

/**
 * Names the n-th call of one model answer. An attempt number belongs to one fence and a step is committed
 * before its calls are dispatched, so the id is unique in the run without a random part.
 */
export function callIdOf(attempt: number, step: number, index: number): string {
  return `call_${attempt}_${step}_${index}`;
}

/** The key an action hands to the outside world for one call: the same on every host and in every repeat. */
export function idempotencyKeyOf(runId: RunId, callId: string): string {
  return `${runId}:${callId}`;
}
