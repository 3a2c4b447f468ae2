/** What the guard knows of an action: what makes two of its calls the same, and what may be done with an unknown. */

/** A zod schema, or anything that parses the same way; structural, so that lib/core needs no zod in the browser. */
export interface InputSchema {
  safeParse(
    input: unknown,
  ): { readonly success: true; readonly data: unknown } | { readonly success: false };
}

export interface ActionIdentity {
  readonly schema?: InputSchema | undefined;
  /** What makes two calls the same effect; without it the whole parsed input counts. */
  readonly identity?: ((input: never) => unknown) | undefined;
}

export interface ActionPolicy extends ActionIdentity {
  /** Safe to repeat. Wins over `method`. */
  readonly readOnly?: boolean | undefined;
  /** `"GET"` makes a read where `readOnly` is not set. */
  readonly method?: string | undefined;
  /** Set when the action can find out whether a start of its own took effect. */
  readonly verify?: unknown;
  /** The other side honours the idempotency key: the body may run again with the same one. */
  readonly idempotent?: boolean | undefined;
  readonly transactional?: boolean | undefined;
  /** What to do with an interrupted write that is asked for again. Default: the app's `UNKNOWN_WRITES`. */
  readonly onUnknown?: "hold" | "run" | undefined;
  /** What to do when a resumed attempt asks for nearly the same as before. Default: `run`, with a mark. */
  readonly onNear?: "run" | "hold" | undefined;
  /** Whether a person is asked before the first start. */
  readonly approval?: true | ((input: never) => boolean) | undefined;
}

/** Tells whether a person has to allow a call before its first start. A rule that throws asks. */
export function needsApproval(action: ActionPolicy | undefined, parsedInput: unknown): boolean {
  const rule = action?.approval;
  if (typeof rule !== "function") return rule === true;
  try {
    return rule(parsedInput as never) !== false;
  } catch {
    // Whatever the rule could not decide, a person can.
    return true;
  }
}

/** A read is safe to repeat; everything else is a write, also an action that nobody listed. */
export function isRead(action: ActionPolicy | undefined): boolean {
  if (action === undefined) return false;
  return action.readOnly ?? action.method?.toUpperCase() === "GET";
}
