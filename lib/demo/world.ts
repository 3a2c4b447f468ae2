/**
 * The demo world's side of a write: a little work that can be cut, then the effect, then the answer. It obeys the
 * signal before the effect and ignores it afterwards, as a mail server would.
 */
import type { Clock, Effects, Tx } from "../core/ports.ts";
import type { Effect, FaultPoint } from "../core/run-record.ts";
import type { ActionContext } from "../runtime/action.ts";
import type { Boundary } from "../runtime/boundary.ts";

export interface World {
  readonly effects: Effects;
  readonly clock: Clock;
  readonly boundary: Boundary | undefined;
  /** How long a body works before its effect, in milliseconds. */
  readonly bodyMs: number;
}

export interface WorldWrite {
  readonly action: string;
  readonly input: unknown;
  /** The world honours the key: a second delivery under it is the first one. */
  readonly onceByKey?: boolean;
}

/** Does the write and returns what the world has. Throws the signal's reason when it was cut before the effect. */
export async function deliver(
  world: World,
  write: WorldWrite,
  context: ActionContext,
): Promise<Effect> {
  await begin(world, write.action, context);
  const { runId, idempotencyKey } = context;
  const { effect } = await world.effects.record(
    { runId, action: write.action, input: write.input, idempotencyKey },
    { onceByKey: write.onceByKey ?? false },
  );
  await reach(world, "after_effect", write.action, context);
  // The world's answer takes a while, and comes whatever the signal says.
  await world.clock.sleep(world.bodyMs / 2);
  return effect;
}

/** Prepares a write whose effect lives in the ledger's database: it is there once the transaction commits. */
export async function prepare(
  world: World,
  write: Pick<WorldWrite, "action" | "input">,
  context: ActionContext,
): Promise<(tx: Tx) => Promise<Effect>> {
  await begin(world, write.action, context);
  await world.clock.sleep(world.bodyMs / 2, context.signal);
  context.signal.throwIfAborted();
  const { runId, idempotencyKey } = context;
  return (tx) => world.effects.recordIn(tx, { runId, ...write, idempotencyKey });
}

/** What the world has under a key. */
export async function lookUp(
  world: World,
  { action, idempotencyKey }: { readonly action: string; readonly idempotencyKey: string },
): Promise<Effect | undefined> {
  return world.effects.findByKey(action, idempotencyKey);
}

/** The work of a read: takes its time, so that a cut can land inside. */
export async function work(world: World, action: string, context: ActionContext): Promise<void> {
  await begin(world, action, context);
  await world.clock.sleep(world.bodyMs / 2, context.signal);
  context.signal.throwIfAborted();
}

/** What comes before an effect. */
async function begin(world: World, action: string, context: ActionContext): Promise<void> {
  await world.clock.sleep(world.bodyMs / 2, context.signal);
  await reach(world, "in_body", action, context);
  context.signal.throwIfAborted();
}

async function reach(
  world: World,
  point: FaultPoint,
  action: string,
  { runId, callId, attempt }: ActionContext,
): Promise<void> {
  await world.boundary?.({ point, runId, attempt, action, callId });
}
