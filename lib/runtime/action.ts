/**
 * Actions: what an agent can do. `defineAction` checks a definition once, at start-up, so that the loop can rely
 * on it; its types let nobody write a combination that makes no sense. A body receives parsed input and a context,
 * and returns a result that is JSON.
 */
import * as z from "zod";
import type { ActionPolicy } from "../core/action-policy.ts";
import { isRead } from "../core/action-policy.ts";
import { assert } from "../core/errors.ts";
import type { RunId } from "../core/ids.ts";
import type { Tx } from "../core/ports.ts";

export interface ActionContext {
  /** Aborts when the attempt has to end and the grace is over. A body that ignores it may still finish: late. */
  readonly signal: AbortSignal;
  /** The same for every start of this effect, on every host. */
  readonly idempotencyKey: string;
  readonly runId: RunId;
  readonly callId: string;
  readonly attempt: number;
}

export interface VerifyContext {
  /** The key that the start carried. */
  readonly idempotencyKey: string;
  /** ISO time of the start, on the database's clock. */
  readonly startedAt: string;
  /** Aborts when the answer takes too long or the attempt has to end. */
  readonly signal: AbortSignal;
}

/** What a verifier found out. `evidence` is JSON, stored and shown. */
export type Verified =
  | { readonly outcome: "landed"; readonly result: unknown; readonly evidence?: unknown }
  | { readonly outcome: "absent"; readonly evidence?: unknown }
  | { readonly outcome: "unknown"; readonly evidence?: unknown };

/** The short end of a transactional body: its effect and its outcome commit together. Returns the result. */
export type Commit = (tx: Tx) => Promise<unknown>;

/** A registered action, with its input type erased: the loop parses before it calls. */
export interface Action extends ActionPolicy {
  readonly name: string;
  /** Told to the model. */
  readonly description: string;
  readonly schema: z.ZodType;
  /** Of a transactional action it returns a `Commit`. */
  readonly run: (input: never, context: ActionContext) => Promise<unknown>;
  readonly verify?: ((input: never, context: VerifyContext) => Promise<Verified>) | undefined;
  /** Milliseconds from the later of the start and the end of its attempt until an "absent" may be believed. */
  readonly settleMs?: number | undefined;
}

interface Described<Schema extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

type Body<Schema extends z.ZodType, Result = unknown> = (
  input: z.output<Schema>,
  context: ActionContext,
) => Promise<Result>;

/** Options of writes, ruled out by name where they make no sense. */
interface None {
  readonly identity?: never;
  readonly idempotent?: never;
  readonly verify?: never;
  readonly settleMs?: never;
  readonly transactional?: never;
  readonly onUnknown?: never;
  readonly onNear?: never;
  readonly approval?: never;
}

/** Safe to repeat: runs whenever it is asked for. */
export type ReadDefinition<Schema extends z.ZodType> = Described<Schema> &
  None &
  (
    | { readonly readOnly: true; readonly method?: string }
    | { readonly readOnly?: true; readonly method: "GET" }
  ) & { readonly run: Body<Schema> };

interface Write<Schema extends z.ZodType> {
  readonly readOnly?: false;
  readonly method?: string;
  /** What makes two calls the same effect; without it the whole parsed input counts. */
  readonly identity?: (input: z.output<Schema>) => unknown;
  readonly onNear?: "run" | "hold";
  readonly approval?: true | ((input: z.output<Schema>) => boolean);
}

/** How it can be found out whether a start took effect. */
type Verifying<Schema extends z.ZodType> =
  | {
      readonly verify: (input: z.output<Schema>, context: VerifyContext) => Promise<Verified>;
      readonly settleMs: number;
    }
  | { readonly verify?: never; readonly settleMs?: never };

/** What may be done about a start whose outcome nobody knows. */
type Kind<Schema extends z.ZodType> =
  | (Verifying<Schema> & {
      /** The other side honours the key, so the body may run again under the first one. */
      readonly idempotent: true;
      readonly transactional?: never;
      readonly onUnknown?: never;
      readonly run: Body<Schema>;
    })
  | (Verifying<Schema> & {
      readonly idempotent?: false;
      readonly transactional?: never;
      readonly onUnknown?: "hold" | "run";
      readonly run: Body<Schema>;
    })
  | {
      /** The body prepares; its effect is in the ledger's database. No unknown is possible. */
      readonly transactional: true;
      readonly idempotent?: never;
      readonly verify?: never;
      readonly settleMs?: never;
      readonly onUnknown?: never;
      readonly run: Body<Schema, Commit>;
    };

export type WriteDefinition<Schema extends z.ZodType> = Described<Schema> &
  Write<Schema> &
  Kind<Schema>;

export type ActionDefinition<Schema extends z.ZodType> =
  ReadDefinition<Schema> | WriteDefinition<Schema>;

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
  const action = definition as unknown as Action;
  const { name } = action;
  assert(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `action name "${name}" is letters, digits, _ or -`);
  if (isRead(action)) assertPlainRead(action);
  else assertWrite(action);
  return action;
}

const WRITE_OPTIONS = [
  "identity",
  "idempotent",
  "verify",
  "settleMs",
  "transactional",
  "onUnknown",
  "onNear",
  "approval",
] as const;

function assertPlainRead(action: Action): void {
  for (const option of WRITE_OPTIONS) {
    assert(!action[option], `${action.name} is a read: ${option} is for writes`);
  }
}

function assertWrite(action: Action): void {
  const { name, verify, settleMs, idempotent, transactional, onUnknown } = action;
  const isVerified = verify !== undefined;
  assert(isVerified === (settleMs !== undefined), `${name}: verify and settleMs go together`);
  assert(!isVerified || (settleMs ?? -1) >= 0, `${name}: settleMs is 0 or more milliseconds`);
  assert(
    !(idempotent && onUnknown),
    `${name}: an idempotent write runs again; onUnknown is not asked`,
  );
  assert(
    !(transactional && (isVerified || idempotent || onUnknown)),
    `${name} is transactional: no outcome of it is ever unknown`,
  );
  const odd = action.identity === undefined ? notJsonIn(action.schema) : undefined;
  assert(odd === undefined, `${name}: an input with a ${odd} is not JSON, so it needs an identity`);
}

const NOT_JSON = new Set(["date", "bigint", "map", "set", "symbol", "function", "nan", "file"]);

/** The first type in a schema's output that JSON can't express: such inputs could not be compared. */
function notJsonIn(schema: z.ZodType): string | undefined {
  let found: string | undefined;
  z.toJSONSchema(schema, {
    io: "output",
    unrepresentable: "any",
    override: ({ zodSchema }) => {
      const { type } = zodSchema._zod.def;
      if (NOT_JSON.has(type)) found ??= type;
    },
  });
  return found;
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
