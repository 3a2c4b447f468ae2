import { createHash } from "node:crypto";
import { invalidCursor } from "@/lib/core/errors.ts";
import { json } from "@/lib/http/answer.ts";
import { parseRunId, parseWith } from "@/lib/http/request.ts";
import { pageQuery } from "@/lib/http/schemas.ts";
import { kickSoon } from "@/lib/runtime/start-run.ts";
import type { RunRecord } from "@/lib/core/run-record.ts";
import type { Server } from "@/lib/server.ts";
import { apiRoute } from "../../../api-route.ts";

export const dynamic = "force-dynamic";

/** The run's events: a stream, or with `Accept: application/json` a page. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ runId: string }>({
  GET: async ({ request, params, query, ownerId, server }) => {
    const cursor = cursorOf(request, query);
    const run = await server.store.runs.getRun(ownerId, parseRunId(params.runId));
    if (run.status === "running" && run.leaseLeftMs <= 0) kickSoon(server.verbs, run.id);
    const wantsPage = request.headers.get("accept")?.includes("application/json") ?? false;
    if (wantsPage) return page(request, { query, server, run, cursor });
    const isOver = run.status !== "running" && run.status !== "waiting";
    if (isOver && cursor === run.lastSeq) return new Response(null, { status: 204 });
    return server.streams.respond(run, cursor, request.signal);
  },
});

/** The header wins: a native EventSource repeats its first URL when it reconnects. */
function cursorOf(request: Request, query: Readonly<Record<string, string>>): number {
  const header = request.headers.get("last-event-id");
  const text = (header ?? query["after"]) || "0";
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  const field = header === null ? "after" : "last-event-id";
  throw invalidCursor(text, field, "a whole number from 0, as in 42");
}

interface Page {
  readonly query: Readonly<Record<string, string>>;
  readonly server: Server;
  readonly run: RunRecord;
  readonly cursor: number;
}

/** A full page of an append-only ledger never changes. */
async function page(request: Request, { query, server, run, cursor }: Page): Promise<Response> {
  const { limit } = parseWith(pageQuery(server.limits.pageEventsMax), query);
  const events = await server.store.ledger.read(run.id, cursor, limit);
  const isFull = events.length === limit;
  const last = events.at(-1)?.seq ?? 0;
  // Events may have been stored since the run's row was read.
  const head = Math.max(run.lastSeq, last);
  const next = isFull && last < head ? last : null;
  const ended = run.status !== "running" && run.status !== "waiting";
  const tag = createHash("sha256").update(
    `${run.id} ${cursor} ${limit} ${last} ${head} ${run.status}`,
  );
  const etag = `"${tag.digest("base64url").slice(0, 22)}"`;
  const headers = {
    etag,
    "cache-control": next === null ? "private, no-cache" : "private, max-age=31536000, immutable",
  };
  if (request.headers.get("if-none-match") === etag)
    return new Response(null, { status: 304, headers });
  return json({ events, next, head, ended, status: run.status }, 200, headers);
}
