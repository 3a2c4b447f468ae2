import { json } from "@/lib/http/answer.ts";
import { parseRunId, readJson } from "@/lib/http/request.ts";
import { resolveBody } from "@/lib/http/schemas.ts";
import { resolveCall } from "@/lib/runtime/resolve-call.ts";
import { apiRoute } from "../../../../../api-route.ts";

export const dynamic = "force-dynamic";

/** A person's answer about an open call; the first one stands. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{
  runId: string;
  callId: string;
}>({
  POST: async ({ request, params, ownerId, server }) => {
    const runId = parseRunId(params.runId);
    const body = await readJson(request, resolveBody, server.limits.bodyBytesMax);
    const { outcome, result, reason, seenSeq } = body;
    const settled = await resolveCall(server.verbs, {
      ownerId,
      runId,
      callId: params.callId,
      outcome,
      ...(result !== undefined && { result }),
      ...(reason !== undefined && { reason }),
      ...(seenSeq !== undefined && { seenSeq }),
    });
    return json(settled);
  },
});
