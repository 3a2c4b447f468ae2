/**
 * Requests whose first line the framework can't take: it answers a path that is not percent-encoded UTF-8, and the
 * method TRACE, with an error of its own and status 500. They are turned, before it sees them, into a request that
 * the API's last route refuses in our words.
 */
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { invalidRequest, methodNotAllowed } from "../core/errors.ts";

const REFUSED = "/api/-/refused";
const ALLOW = "GET, HEAD, POST, OPTIONS";

/** Looks at each request of this process as it arrives. */
export function watchRequestLines(): void {
  subscribe("http.server.request.start", (message) => {
    refuseLine((message as { readonly request: IncomingMessage }).request);
  });
}

/** Turns a request that can't be taken into one that is refused. Others stay untouched. */
export function refuseLine(request: Pick<IncomingMessage, "method" | "url">): void {
  const isTrace = request.method === "TRACE";
  if (!isTrace && isDecodable(request.url ?? "/")) return;
  request.url = `${REFUSED}?${isTrace ? "method" : "path"}`;
  request.method = "GET";
}

/** Throws the refusal that a request was turned into, if it is one: `method-not-allowed`, `invalid-request`. */
export function answerRefused(url: URL): void {
  if (url.pathname !== REFUSED) return;
  if (url.searchParams.has("method")) throw methodNotAllowed("TRACE does nothing here.", ALLOW);
  throw invalidRequest("path", "expected percent-encoded UTF-8");
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split("?", 1)[0] ?? "");
    return true;
  } catch {
    // The one thing it throws for: what follows a percent sign is no UTF-8.
    return false;
  }
}
