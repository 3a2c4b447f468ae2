/**
 * What all API routes share: who asks, the server, errors as problem documents, and an answer for every method. A
 * route file exports all of `METHODS`, so that the framework never answers for one in its own words.
 */
import { methodNotAllowed } from "@/lib/core/errors.ts";
import type { OwnerId } from "@/lib/core/ids.ts";
import { createLog } from "@/lib/log.ts";
import { getEnv } from "@/lib/env.ts";
import { answer } from "@/lib/http/answer.ts";
import { ownerOf } from "@/lib/http/owner.ts";
import { queryOf } from "@/lib/http/request.ts";
import { getServer, type Server } from "@/lib/server.ts";

export interface ApiCall<Params> {
  readonly request: Request;
  readonly params: Params;
  /** Parameters of the query, each once. */
  readonly query: Readonly<Record<string, string>>;
  readonly ownerId: OwnerId;
  readonly server: Server;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
type Method = (typeof METHODS)[number];
type Work<Params> = (call: ApiCall<Params>) => Promise<Response>;
type Handler<Params> = (
  request: Request,
  context: { params: Promise<Params> },
) => Promise<Response>;

/** Makes a route of the work of its methods; the others are refused with the methods there are. */
export function apiRoute<Params = Record<never, never>>(
  works: Partial<Record<Method, Work<Params>>>,
): Record<Method, Handler<Params>> {
  const allow = METHODS.filter((method) => works[method]).join(", ");
  const handlers = METHODS.map((method) => {
    const work = works[method] ?? (method === "OPTIONS" ? options(allow) : refuse(method, allow));
    return [method, handle(work)] as const;
  });
  return Object.fromEntries(handlers) as Record<Method, Handler<Params>>;
}

function handle<Params>(work: Work<Params>): Handler<Params> {
  return (request, context) =>
    answer(request, routeLog(), async () => {
      const query = queryOf(request.url);
      const server = await getServer();
      return work({
        request,
        params: await context.params,
        query,
        ownerId: ownerOf(request),
        server,
      });
    });
}

function refuse(method: Method, allow: string) {
  return async (): Promise<Response> => {
    throw methodNotAllowed(`${method} does nothing here.`, allow);
  };
}

function options(allow: string) {
  return async (): Promise<Response> => new Response(null, { status: 204, headers: { allow } });
}

let log: ReturnType<typeof createLog> | undefined;

/** A log of its own: a route has to answer also when the server did not open. */
function routeLog() {
  log ??= createLog(getEnv().logLevel);
  return log;
}
