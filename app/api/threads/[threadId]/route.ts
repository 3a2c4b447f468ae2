import { json } from "@/lib/http/answer.ts";
import { parseThreadId } from "@/lib/http/request.ts";
import { runJson, threadJson } from "@/lib/http/run-json.ts";
import { apiRoute } from "../../api-route.ts";

export const dynamic = "force-dynamic";

/** One thread with its runs, oldest first. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ threadId: string }>({
  GET: async ({ params, ownerId, server }) => {
    const { runs } = server.store;
    const thread = await runs.getThread(ownerId, parseThreadId(params.threadId));
    const ofThread = await runs.listThreadRuns(thread.id);
    return json({ thread: threadJson(thread), runs: ofThread.map(runJson) });
  },
});
