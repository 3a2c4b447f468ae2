import { json } from "@/lib/http/answer.ts";
import { parseRunId, readOptionalJson } from "@/lib/http/request.ts";
import { runJson } from "@/lib/http/run-json.ts";
import { emptyBody } from "@/lib/http/schemas.ts";
import { cancelRun } from "@/lib/runtime/cancel-run.ts";
import { apiRoute } from "../../../api-route.ts";

export const dynamic = "force-dynamic";

/** Idempotent: asking again changes nothing. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ runId: string }>({
  POST: async ({ request, params, ownerId, server }) => {
    const runId = parseRunId(params.runId);
    await readOptionalJson(request, emptyBody, server.limits.bodyBytesMax);
    const run = await cancelRun(server.verbs, { ownerId, runId });
    return json({ run: runJson(run) }, 202);
  },
});
