/**
 * Operating errors: expected, typed, from one closed list of codes. `message` may be shown to the caller;
 * `detail` is for the log and never leaves the server. What a tool did is not an error but an outcome, and
 * lives in the ledger. HTTP status codes are in lib/http/problem.ts only.
 */

export type ErrorCode =
  | "invalid-request"
  | "invalid-cursor"
  | "limit-exceeded"
  | "body-too-large"
  | "unauthenticated"
  | "forbidden"
  | "thread-not-found"
  | "run-not-found"
  | "event-not-found"
  | "call-not-found"
  | "action-not-found"
  | "route-not-found"
  | "method-not-allowed"
  | "run-terminal"
  | "run-busy"
  | "call-not-held"
  | "call-settled"
  | "idempotency-conflict"
  | "fence-stale"
  | "ledger-closed"
  | "owner-stopped"
  | "too-many-streams"
  | "data-directory-locked"
  | "store-unavailable"
  | "store-corrupt"
  | "unexpected";

/** When trying again can help: not at all, after a while, or at once. */
export type Retry = "never" | "later" | "now";

interface ErrorParts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retry: Retry;
  readonly detail?: string | undefined;
  /** Path of the bad field, as in `faults[0].at`. */
  readonly field?: string | undefined;
  /** Facts the caller can act on, such as the id of the active run. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

const BRAND = Symbol.for("durable-resume.AppError");

/**
 * The one error class of this project. Told by a brand and not by its constructor: a bundler may load this module
 * more than once in one process, and an error has to be known in each of them.
 */
export class AppError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is AppError {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly retry: Retry;
  readonly detail: string | undefined;
  readonly field: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(parts: ErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = "AppError";
    this.code = parts.code;
    this.retry = parts.retry;
    this.detail = parts.detail;
    this.field = parts.field;
    this.facts = parts.facts ?? {};
  }
}

/** Tells whether `error` is an AppError with this code. Never match on message text. */
export function hasCode(error: unknown, code: ErrorCode): error is AppError {
  return error instanceof AppError && error.code === code;
}

/** A broken invariant is a programmer's error: it stops the attempt and nothing is guessed. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`);
}

export const invalidRequest = (field: string, problem: string, cause?: unknown) =>
  new AppError({
    code: "invalid-request",
    message: field === "" ? `The request is not valid: ${problem}` : `${field}: ${problem}`,
    retry: "never",
    field,
    cause,
  });

/** `field`: the parameter it came in. `expected`: its form with an example. */
export const invalidCursor = (given: string, field: string, expected: string) =>
  new AppError({
    code: "invalid-cursor",
    message: `"${given.slice(0, 40)}" is not a cursor: expected ${expected}.`,
    retry: "never",
    field,
  });

export const bodyTooLarge = (maxBytes: number) =>
  new AppError({
    code: "body-too-large",
    message: `The request body is larger than ${maxBytes} bytes.`,
    retry: "never",
    facts: { maxBytes },
  });

export const forbidden = (message: string) =>
  new AppError({ code: "forbidden", message, retry: "never" });

export const threadNotFound = (threadId: string) =>
  new AppError({
    code: "thread-not-found",
    message: "There is no such thread.",
    retry: "never",
    facts: { threadId },
  });

export const runNotFound = (runId: string) =>
  new AppError({
    code: "run-not-found",
    message: "There is no such run.",
    retry: "never",
    facts: { runId },
  });

export const eventNotFound = (runId: string, seq: number) =>
  new AppError({
    code: "event-not-found",
    message: `The run has no event ${seq}.`,
    retry: "never",
    facts: { runId, seq },
  });

export const callNotFound = (callId: string) =>
  new AppError({
    code: "call-not-found",
    message: "The run has no such call.",
    retry: "never",
    facts: { callId },
  });

export const actionNotFound = (action: string) =>
  new AppError({
    code: "action-not-found",
    message: "There is no such action.",
    retry: "never",
    facts: { action },
  });

export const routeNotFound = (path: string) =>
  new AppError({
    code: "route-not-found",
    message: "There is nothing at this address.",
    retry: "never",
    facts: { path: path.slice(0, 200) },
  });

export const methodNotAllowed = (message: string, allow: string) =>
  new AppError({ code: "method-not-allowed", message, retry: "never", facts: { allow } });

export const runTerminal = (status: string) =>
  new AppError({
    code: "run-terminal",
    message: `The run is ${status}; that can't be done any more.`,
    retry: "never",
    facts: { status },
  });

export const runBusy = (message: string, facts: Readonly<Record<string, unknown>>) =>
  new AppError({ code: "run-busy", message, retry: "later", facts });

export const callNotHeld = (callId: string, message: string) =>
  new AppError({ code: "call-not-held", message, retry: "never", facts: { callId } });

export const callSettled = (callId: string, message: string) =>
  new AppError({ code: "call-settled", message, retry: "never", facts: { callId } });

export const idempotencyConflict = (key: string) =>
  new AppError({
    code: "idempotency-conflict",
    message: "This key was already used for another request.",
    retry: "never",
    facts: { key },
  });

/** The caller's fence is not the current one: another owner has the run. Stops the owner at once. */
export const fenceStale = (runId: RunIdText, fence: number) =>
  new AppError({
    code: "fence-stale",
    message: "Another owner has taken over the run.",
    retry: "never",
    facts: { runId, fence },
  });

/** The run's ledger takes no more events from an owner: the run ended or waits. */
export const ledgerClosed = (runId: RunIdText, status: string) =>
  new AppError({
    code: "ledger-closed",
    message: `The run is ${status}; its ledger takes no more events.`,
    retry: "never",
    facts: { runId, status },
  });

/** This owner stopped on purpose (shutdown, simulated death): nothing more is written by it. */
export const ownerStopped = (why: string) =>
  new AppError({
    code: "owner-stopped",
    message: "The owner has stopped.",
    retry: "never",
    detail: why,
  });

export const tooManyStreams = (max: number) =>
  new AppError({
    code: "too-many-streams",
    message: `This server already serves ${max} live streams.`,
    retry: "later",
    facts: { max },
  });

export const dataDirectoryLocked = (directory: string, address: string | undefined) =>
  new AppError({
    code: "data-directory-locked",
    message: "Another process uses this data directory.",
    retry: "never",
    facts: { directory, address },
  });

export const storeUnavailable = (detail: string, cause?: unknown) =>
  new AppError({
    code: "store-unavailable",
    message: "The database can't be reached right now; nothing was lost.",
    retry: "later",
    detail,
    cause,
  });

export const storeCorrupt = (detail: string, cause?: unknown) =>
  new AppError({
    code: "store-corrupt",
    message: "The database returned something that is not an event of this project.",
    retry: "never",
    detail,
    cause,
  });

export const unexpected = (cause: unknown) =>
  new AppError({
    code: "unexpected",
    message: "Something went wrong on the server.",
    retry: "never",
    detail: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
    cause,
  });

/** Errors do not depend on the branded ids, so that any text can be named in them. */
type RunIdText = string;
