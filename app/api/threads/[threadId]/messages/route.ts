import { forbidden, invalidRequest } from "@/lib/core/errors.ts";
import { json } from "@/lib/http/answer.ts";
import { parseThreadId, readJson } from "@/lib/http/request.ts";
import { messageBody } from "@/lib/http/schemas.ts";
import { startRun } from "@/lib/runtime/start-run.ts";
import { apiRoute } from "../../../api-route.ts";

export const dynamic = "force-dynamic";

/** A message becomes a run; the same `clientToken` again is the same run. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ threadId: string }>({
  POST: async ({ request, params, ownerId, server }) => {
    const threadId = parseThreadId(params.threadId);
    const { bodyBytesMax, messageCharsMax } = server.limits;
    const body = await readJson(request, messageBody(messageCharsMax), bodyBytesMax);
    const { text, clientToken, model = { temper: "heeds" }, faults = [] } = body;
    if (faults.length > 0 && !server.faults) {
      throw forbidden("Faults can be planned only where the server runs with LAB=1.");
    }
    if ("provider" in model)
      throw invalidRequest("model.provider", "no such provider is configured");
    const { run } = await startRun(server.verbs, {
      ownerId,
      threadId,
      input: { kind: "message", text },
      model,
      faults,
      ...(clientToken !== undefined && { clientToken }),
    });
    return json({ runId: run.id }, 202);
  },
});
