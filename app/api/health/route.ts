import { json } from "@/lib/http/answer.ts";
import { apiRoute } from "../api-route.ts";

export const dynamic = "force-dynamic";

/** Whether database, listener and sweep work; 503 when the database does not answer. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ server }) => {
    const { database, listener } = await server.store.health();
    const { sweeping, active, slots } = server.runner.status();
    const body = {
      status: database === "ok" && sweeping ? "ok" : "degraded",
      database,
      kind: server.store.kind,
      listener,
      sweeper: sweeping ? "running" : "stopped",
      runs: { active, slots },
      owner: server.runner.owner,
      ...server.streams.status(),
    };
    return json(body, database === "ok" ? 200 : 503);
  },
});
