import { json } from "@/lib/http/answer.ts";
import { parseWith } from "@/lib/http/request.ts";
import { runRowJson } from "@/lib/http/run-json.ts";
import { runsQuery } from "@/lib/http/schemas.ts";
import { apiRoute } from "../api-route.ts";

export const dynamic = "force-dynamic";

/** Runs, newest first, with their counts. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ query, ownerId, server }) => {
    const { status, q, cursor, limit } = parseWith(runsQuery, emptyMeansUnset(query));
    const { runs } = server.store;
    const page = await runs.listRuns({
      ownerId,
      limit,
      ...(status && { status }),
      ...(q !== undefined && { text: q }),
      ...(cursor !== undefined && { cursor }),
    });
    const calls = await runs.listCallEvents(page.runs.map(({ id }) => id));
    return json({
      runs: page.runs.map((run) => runRowJson(run, calls.get(run.id) ?? [])),
      next: page.next,
    });
  },
});

/** A form sends a filter that is not set as an empty one. */
function emptyMeansUnset(query: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}
