import { json } from "@/lib/http/answer.ts";
import { parseRunId, parseWith } from "@/lib/http/request.ts";
import { effectsQuery } from "@/lib/http/schemas.ts";
import { apiRoute } from "../api-route.ts";

export const dynamic = "force-dynamic";

/** What the demo world really received, in the order it arrived. */
export const GET = apiRoute(async ({ query, ownerId, server }) => {
  const { runId, limit } = parseWith(effectsQuery, query);
  const { effects, runs } = server.store;
  if (runId !== undefined) await runs.getRun(ownerId, parseRunId(runId));
  return json({ effects: await effects.list({ limit, ...(runId !== undefined && { runId }) }) });
});
