/**
 * Errors on the wire: RFC 9457 problem documents with a stable `code`. The only place with status codes. Of an
 * error only the caller-safe sentence and the facts leave the server; detail and stack go to the log.
 */
import type { AppError, ErrorCode } from "../core/errors.ts";

const STATUS: Record<ErrorCode, number> = {
  "invalid-request": 400,
  "invalid-cursor": 400,
  "limit-exceeded": 422,
  "body-too-large": 413,
  unauthenticated: 401,
  forbidden: 403,
  "thread-not-found": 404,
  "run-not-found": 404,
  "event-not-found": 404,
  "call-not-found": 404,
  "action-not-found": 404,
  "route-not-found": 404,
  "method-not-allowed": 405,
  "run-terminal": 409,
  "run-busy": 409,
  "call-not-held": 409,
  "call-settled": 409,
  "idempotency-conflict": 422,
  "fence-stale": 409,
  "ledger-closed": 409,
  "owner-stopped": 503,
  "too-many-streams": 503,
  "data-directory-locked": 503,
  "store-unavailable": 503,
  "store-corrupt": 500,
  unexpected: 500,
};

const TITLE: Record<number, string> = {
  400: "Bad request",
  401: "Not signed in",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  413: "Too large",
  422: "Refused",
  500: "Server error",
  503: "Not available right now",
};

/** Seconds a caller is asked to wait before a try that can help. */
const RETRY_AFTER_SECONDS = 2;

/** The status an error travels with. */
export function statusOf(error: AppError): number {
  return STATUS[error.code];
}

/** Makes the answer for an error. Facts stand beside the standard members and never replace one. */
export function problemResponse(error: AppError, requestId: string): Response {
  const status = statusOf(error);
  const body = {
    ...error.facts,
    type: `urn:durable-resume:problem:${error.code}`,
    title: TITLE[status] ?? "Error",
    status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.field === undefined ? {} : { field: error.field }),
  };
  const headers = new Headers({
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "x-request-id": requestId,
  });
  if (status === 503) headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  if (typeof error.facts["allow"] === "string") headers.set("allow", error.facts["allow"]);
  return new Response(JSON.stringify(body), { status, headers });
}
