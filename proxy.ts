/**
 * Stands before every page and route: a Host that is neither loopback nor configured is refused, so that a web page
 * elsewhere can't reach a developer's local server by a name of its own.
 */
import type { NextRequest } from "next/server";
import { forbidden } from "./lib/core/errors.ts";
import { getEnv } from "./lib/env.ts";
import { isAllowedHost } from "./lib/http/host-check.ts";
import { problemResponse } from "./lib/http/problem.ts";

export function proxy(request: NextRequest): Response | undefined {
  if (isAllowedHost(request.headers.get("host"), getEnv().allowedHosts)) return undefined;
  const error = forbidden(
    "This Host is not served here. Add its name to ALLOWED_HOSTS to allow it.",
  );
  return problemResponse(error, crypto.randomUUID());
}
