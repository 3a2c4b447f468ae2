import { eventNotFound } from "@/lib/core/errors.ts";
import { json } from "@/lib/http/answer.ts";
import { parseRunId, parseSeq } from "@/lib/http/request.ts";
import { apiRoute } from "../../../../api-route.ts";

export const dynamic = "force-dynamic";

/** One event whole, with the fields that travel as references in the stream. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ runId: string; seq: string }>({
  GET: async ({ params, ownerId, server }) => {
    const run = await server.store.runs.getRun(ownerId, parseRunId(params.runId));
    const seq = parseSeq(run.id, params.seq);
    const [event] = await server.store.ledger.read(run.id, seq - 1, 1);
    if (event?.seq !== seq) throw eventNotFound(run.id, seq);
    return json(event);
  },
});
