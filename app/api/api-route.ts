/** What all API routes share: who asks, the server, and errors as problem documents. */
import type { OwnerId } from "@/lib/core/ids.ts";
import { createLog } from "@/lib/log.ts";
import { getEnv } from "@/lib/env.ts";
import { answer } from "@/lib/http/answer.ts";
import { ownerOf } from "@/lib/http/owner.ts";
import { getServer, type Server } from "@/lib/server.ts";

export interface ApiCall<Params> {
  readonly request: Request;
  readonly params: Params;
  /** Parameters of the query, each once. */
  readonly query: Readonly<Record<string, string>>;
  readonly ownerId: OwnerId;
  readonly server: Server;
}

/** Makes a route of its work. */
export function apiRoute<Params = Record<never, never>>(
  work: (call: ApiCall<Params>) => Promise<Response>,
) {
  return (request: Request, context: { params: Promise<Params> }): Promise<Response> =>
    answer(request, routeLog(), async () => {
      const server = await getServer();
      const query = Object.fromEntries(new URL(request.url).searchParams);
      return work({
        request,
        params: await context.params,
        query,
        ownerId: ownerOf(request),
        server,
      });
    });
}

let log: ReturnType<typeof createLog> | undefined;

/** A log of its own: a route has to answer also when the server did not open. */
function routeLog() {
  log ??= createLog(getEnv().logLevel);
  return log;
}
