import { json } from "@/lib/http/answer.ts";
import { readRun } from "@/lib/http/read-run.ts";
import { parseRunId } from "@/lib/http/request.ts";
import { runDetailJson } from "@/lib/http/run-json.ts";
import { kickSoon } from "@/lib/runtime/start-run.ts";
import { apiRoute } from "../../api-route.ts";

export const dynamic = "force-dynamic";

/** One run with attempts, journal and counts. Claims a run that its owner has lost. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ runId: string }>({
  GET: async ({ params, ownerId, server }) => {
    const run = await server.store.runs.getRun(ownerId, parseRunId(params.runId));
    if (run.status === "running" && run.leaseLeftMs <= 0) kickSoon(server.verbs, run.id);
    return json(runDetailJson(run, await readRun(server.store.ledger, run.id)));
  },
});
