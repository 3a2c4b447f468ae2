/**
 * Actions: what an agent can do. `defineAction` checks a definition once, at start-up, so that the loop can rely
 * on it. A body receives parsed input and a context, and returns a result that is JSON.
 */
import type * as z from "zod";
import type { ActionPolicy } from "../core/action-policy.ts";
import { isRead } from "../core/action-policy.ts";
import { assert } from "../core/errors.ts";
import type { RunId } from "../core/ids.ts";

export interface ActionContext {
  /** Aborts when the attempt has to end and the grace is over. A body that ignores it may still finish: late. */
  readonly signal: AbortSignal;
  /** The same for every start of this effect, on every host. */
  readonly idempotencyKey: string;
  readonly runId: RunId;
  readonly callId: string;
  readonly attempt: number;
}

/** A registered action, with its input type erased: the loop parses before it calls. */
export interface Action extends ActionPolicy {
  readonly name: string;
  /** Told to the model. */
  readonly description: string;
  readonly schema: z.ZodType;
  readonly run: (input: never, context: ActionContext) => Promise<unknown>;
}

export interface ActionDefinition<Schema extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly readOnly?: boolean;
  readonly method?: string;
  readonly identity?: (input: z.output<Schema>) => unknown;
  readonly idempotent?: boolean;
  readonly onUnknown?: "hold" | "run";
  readonly run: (input: z.output<Schema>, context: ActionContext) => Promise<unknown>;
}

/** Thrown by a body that knows that nothing happened; the model is told `reason` and may try again. */
export class ActionRejected extends Error {
  readonly reason: unknown;
  constructor(reason: string | Readonly<Record<string, unknown>>) {
    super(typeof reason === "string" ? reason : "The action was rejected.");
    this.name = "ActionRejected";
    this.reason = reason;
  }
}

/** Checks and returns an action. Throws where a definition contradicts itself. */
export function defineAction<Schema extends z.ZodType>(
  definition: ActionDefinition<Schema>,
): Action {
  const { name } = definition;
  assert(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `action name "${name}" is letters, digits, _ or -`);
  assert(
    !(isRead(definition) && (definition.idempotent || definition.onUnknown)),
    `${name} is a read: idempotent and onUnknown are for writes`,
  );
  return definition as unknown as Action;
}

export type ActionRegistry = Readonly<Record<string, Action>>;

/** Makes a registry by name. Throws where two actions share one. */
export function registryOf(actions: readonly Action[]): ActionRegistry {
  const registry: Record<string, Action> = Object.create(null) as Record<string, Action>;
  for (const action of actions) {
    assert(!(action.name in registry), `two actions are called ${action.name}`);
    registry[action.name] = action;
  }
  return registry;
}
