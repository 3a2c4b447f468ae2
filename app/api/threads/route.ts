import { json } from "@/lib/http/answer.ts";
import { threadJson } from "@/lib/http/run-json.ts";
import { apiRoute } from "../api-route.ts";

export const dynamic = "force-dynamic";

const THREADS_MAX = 100;

/** New thread. */
export const POST = apiRoute(async ({ ownerId, server }) => {
  const thread = await server.store.runs.createThread(ownerId, server.verbs.ids.threadId());
  return json(threadJson(thread), 201);
});

/** Threads, latest activity first. */
export const GET = apiRoute(async ({ ownerId, server }) => {
  const threads = await server.store.runs.listThreads(ownerId, THREADS_MAX);
  return json({ threads: threads.map(threadJson) });
});
