import { json } from "@/lib/http/answer.ts";
import { readOptionalJson } from "@/lib/http/request.ts";
import { threadJson } from "@/lib/http/run-json.ts";
import { emptyBody } from "@/lib/http/schemas.ts";
import { apiRoute } from "../api-route.ts";

export const dynamic = "force-dynamic";

const THREADS_MAX = 100;

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  /** New thread. */
  POST: async ({ request, ownerId, server }) => {
    await readOptionalJson(request, emptyBody, server.limits.bodyBytesMax);
    const thread = await server.store.runs.createThread(ownerId, server.verbs.ids.threadId());
    return json(threadJson(thread), 201);
  },

  /** Threads, latest activity first. */
  GET: async ({ ownerId, server }) => {
    const threads = await server.store.runs.listThreads(ownerId, THREADS_MAX);
    return json({ threads: threads.map(threadJson) });
  },
});
