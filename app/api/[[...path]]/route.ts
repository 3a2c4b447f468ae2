import { routeNotFound } from "@/lib/core/errors.ts";
import { answerRefused } from "@/lib/http/request-line.ts";
import { apiRoute } from "../api-route.ts";

export const dynamic = "force-dynamic";

/** Every path below /api that is no route, and the request lines that the framework can't take. */
const nothing = async ({ request }: { readonly request: Request }): Promise<Response> => {
  answerRefused(new URL(request.url));
  throw routeNotFound(new URL(request.url).pathname);
};

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: nothing,
  POST: nothing,
  PUT: nothing,
  PATCH: nothing,
  DELETE: nothing,
  OPTIONS: nothing,
});
