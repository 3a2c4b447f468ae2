/** Turns what a route does into an answer: JSON, or the problem document of the error it threw. */
import { AppError, forbidden, unexpected } from "../core/errors.ts";
import type { Log } from "../core/ports.ts";
import { isCrossSite } from "./host-check.ts";
import { problemResponse, statusOf } from "./problem.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** A JSON answer that no cache keeps. */
export function json(body: unknown, status = 200, headers: HeadersInit = {}): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}

/**
 * Runs a route's work. Requests that would change something and come from another site are refused before it. What
 * it throws becomes a problem document; what was not expected is logged, once, under the id the caller is told.
 */
export async function answer(
  request: Request,
  log: Log,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    if (!SAFE_METHODS.has(request.method) && isCrossSite(request.headers)) {
      throw forbidden("Requests from another site can't change anything here.");
    }
    return await work();
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown : unexpected(thrown);
    const requestId = crypto.randomUUID();
    const facts = { requestId, code: error.code, detail: error.detail, url: request.url };
    if (statusOf(error) >= 500) log.error(facts, "a request failed");
    else log.debug(facts, "a request was refused");
    return problemResponse(error, requestId);
  }
}
