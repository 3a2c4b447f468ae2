import { json } from "@/lib/http/answer.ts";
import { parseRunId, parseWith } from "@/lib/http/request.ts";
import { effectsQuery } from "@/lib/http/schemas.ts";
import { apiRoute } from "../api-route.ts";

export const dynamic = "force-dynamic";

/** What the demo world really received: the newest page, in the order it arrived. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ query, ownerId, server }) => {
    const { runId, cursor, limit } = parseWith(effectsQuery, query);
    const { effects, runs } = server.store;
    if (runId !== undefined) await runs.getRun(ownerId, parseRunId(runId));
    const page = await effects.list({
      ownerId,
      limit,
      ...(runId !== undefined && { runId }),
      ...(cursor !== undefined && { cursor }),
    });
    return json(page);
  },
});
