import { json } from "@/lib/http/answer.ts";
import { parseRunId, readOptionalJson } from "@/lib/http/request.ts";
import { previewResume } from "@/lib/core/resume-preview.ts";
import { readRun } from "@/lib/http/read-run.ts";
import { runJson } from "@/lib/http/run-json.ts";
import { emptyBody } from "@/lib/http/schemas.ts";
import { resumeRun } from "@/lib/runtime/resume-run.ts";
import { apiRoute } from "../../../api-route.ts";

export const dynamic = "force-dynamic";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ runId: string }>({
  /** What a resume would do with each write on record. */
  GET: async ({ params, ownerId, server }) => {
    const run = await server.store.runs.getRun(ownerId, parseRunId(params.runId));
    const events = await readRun(server.store.ledger, run.id);
    const { actions, unknownWrites } = server.verbs;
    return json({
      runId: run.id,
      status: run.status,
      canResume: run.status === "running" || (run.status === "failed" && run.resumable),
      seenSeq: events.at(-1)?.seq ?? 0,
      calls: previewResume(events, actions, unknownWrites),
    });
  },

  /** Idempotent: asking again changes nothing. */
  POST: async ({ request, params, ownerId, server }) => {
    const runId = parseRunId(params.runId);
    await readOptionalJson(request, emptyBody, server.limits.bodyBytesMax);
    const run = await resumeRun(server.verbs, { ownerId, runId });
    return json({ run: runJson(run) }, 202);
  },
});
