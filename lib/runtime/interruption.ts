/**
 * What an error of a model request means for the attempt: try the request again, cut the attempt so that the next
 * one resumes, or fail the run. Decided by status, code and type, never by the wording of a message.
 */
import { APICallError } from "@ai-sdk/provider";
import type { CutReason } from "../core/event.ts";

export type Interruption =
  /** The server asks for patience. `afterMs` is its own figure, if it named one. */
  | { readonly kind: "retry"; readonly afterMs: number | undefined; readonly detail: string }
  | { readonly kind: "cut"; readonly reason: CutReason; readonly detail: string }
  | { readonly kind: "fail"; readonly failure: Failure };

/** Why a run fails, in words for a person. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly resumable: boolean;
}

/** The model's stream ended without saying that it was finished. */
export class StreamEndedEarly extends Error {
  constructor() {
    super("The model's stream ended before the answer was complete.");
    this.name = "StreamEndedEarly";
  }
}

/** Nothing came from the model for too long. */
export class StreamStalled extends Error {
  constructor(silentMs: number) {
    super(`The model sent nothing for ${Math.round(silentMs / 1000)} s.`);
    this.name = "StreamStalled";
  }
}

/** Ends the run for a reason found in the model's answer itself. */
export class ModelFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.name = "ModelFailure";
    this.failure = failure;
  }
}

const GATEWAY_STATUS = new Set([408, 502, 503, 504, 522, 524]);
const PATIENCE_STATUS = new Set([429, 529]);

/** Classifies what a model request threw. */
export function interruptionOf(error: unknown): Interruption {
  if (error instanceof ModelFailure) return { kind: "fail", failure: error.failure };
  if (error instanceof StreamStalled) return cut("gateway_timeout", error.message);
  if (error instanceof StreamEndedEarly) return cut("transport_error", error.message);
  if (APICallError.isInstance(error) && error.statusCode !== undefined) {
    return interruptionOfStatus(error, error.statusCode);
  }
  const code = networkCodeOf(error);
  if (code !== undefined) {
    return cut("transport_error", `The connection to the model broke (${code}).`);
  }
  if (isFetchFailure(error)) return cut("transport_error", "The connection to the model broke.");
  return { kind: "fail", failure: UNEXPECTED };
}

const UNEXPECTED: Failure = {
  code: "model-output-invalid",
  message:
    "The model's answer could not be read. Nothing that completed was lost; you can resume the run.",
  resumable: true,
};

function interruptionOfStatus(error: APICallError, status: number): Interruption {
  if (PATIENCE_STATUS.has(status)) {
    return { kind: "retry", afterMs: retryAfterMs(error), detail: `The model answered ${status}.` };
  }
  if (GATEWAY_STATUS.has(status)) {
    return cut("gateway_timeout", `The gateway to the model gave up (${status}).`);
  }
  if (status >= 500) return cut("transport_error", `The model's server failed (${status}).`);
  if (status === 401 || status === 403) {
    return fail("model-credentials", "The model refused the credentials of this server.");
  }
  if (status === 413 || providerCodeOf(error) === "context_length_exceeded") {
    return fail("model-context-too-long", "The conversation is longer than the model can read.");
  }
  return fail("model-bad-request", `The model refused the request (${status}).`);
}

/** Source: RFC 9110, 10.2.3: seconds, or a date; a date needs a clock and is treated as absent. */
function retryAfterMs(error: APICallError): number | undefined {
  const given = error.responseHeaders?.["retry-after"];
  const seconds = given === undefined ? NaN : Number(given);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function providerCodeOf(error: APICallError): unknown {
  const data = error.data as { error?: { code?: unknown } } | undefined;
  return data?.error?.code;
}

function networkCodeOf(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const { code } = current as { code?: unknown };
    if (typeof code === "string" && /^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code)) return code;
    current = current.cause;
  }
  return undefined;
}

/** What fetch throws when a response breaks: a TypeError that names a cause, or an abort that was not ours. */
function isFetchFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "AbortError" || (error instanceof TypeError && error.cause !== undefined);
}

function cut(reason: CutReason, detail: string): Interruption {
  return { kind: "cut", reason, detail };
}

function fail(code: string, message: string): Interruption {
  return { kind: "fail", failure: { code, message, resumable: false } };
}
