import { runBusy, runNotFound } from "@/lib/core/errors.ts";
import { json } from "@/lib/http/answer.ts";
import { parseRunId, readJson } from "@/lib/http/request.ts";
import { cutBody } from "@/lib/http/schemas.ts";
import { apiRoute } from "../../../api-route.ts";

export const dynamic = "force-dynamic";

/** Cuts a live run now. Only where `LAB=1`. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ runId: string }>({
  POST: async ({ request, params, ownerId, server }) => {
    const runId = parseRunId(params.runId);
    if (!server.faults) throw runNotFound(runId);
    const { as } = await readJson(request, cutBody, server.limits.bodyBytesMax);
    await server.store.runs.getRun(ownerId, runId);
    if (!(await server.faults.cutNow(runId, as))) {
      throw runBusy("This server drives no attempt of the run right now.", { runId });
    }
    return json({ runId, as }, 202);
  },
});
