import { createHash } from "node:crypto";
import { isRead } from "@/lib/core/action-policy.ts";
import { actionNotFound, invalidRequest, methodNotAllowed } from "@/lib/core/errors.ts";
import { asRunId, asThreadId, type OwnerId } from "@/lib/core/ids.ts";
import { systemClock } from "@/lib/clock.ts";
import { outcomeOf, untilAtRest } from "@/lib/http/action-run.ts";
import { json } from "@/lib/http/answer.ts";
import { readRun } from "@/lib/http/read-run.ts";
import { assertDepth, parseWith, readOptionalJson } from "@/lib/http/request.ts";
import { actionHeaders, emptyBody } from "@/lib/http/schemas.ts";
import type { Action } from "@/lib/runtime/action.ts";
import { startRun } from "@/lib/runtime/start-run.ts";
import type { Server } from "@/lib/server.ts";
import { apiRoute } from "../../api-route.ts";

export const dynamic = "force-dynamic";

/** How long a POST waits for the end before it answers that the run goes on. */
const WAIT_MS = 10_000;

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute<{ name: string }>({
  /** Runs a read and answers with its result. */
  GET: async ({ request, params, query, server }) => {
    const action = actionOf(server, params.name);
    if (!isRead(action))
      throw methodNotAllowed(`${action.name} changes something: POST it.`, "POST");
    const input = parseWith(action.schema, inputOf(query));
    const result = await action.run(input as never, {
      signal: request.signal,
      idempotencyKey: "read",
      runId: asRunId("none"),
      callId: "none",
      attempt: 0,
    });
    return json({ result });
  },

  /** A run of one call without a model. The same `Idempotency-Key` again is the same run. */
  POST: async ({ request, params, ownerId, server }) => {
    const action = actionOf(server, params.name);
    const { "idempotency-key": key } = parseWith(
      actionHeaders,
      Object.fromEntries(request.headers),
    );
    const input = await readOptionalJson(request, emptyBody, server.limits.bodyBytesMax);
    parseWith(action.schema, input);
    const run = await startActionRun(server, { ownerId, action: action.name, input, key });
    await untilAtRest({ wakeups: server.store.wakeups, clock: systemClock }, run.id, WAIT_MS);
    const { status } = await server.store.runs.getRun(ownerId, run.id);
    if (status === "running" || status === "waiting") return json({ runId: run.id, status }, 202);
    const events = await readRun(server.store.ledger, run.id);
    return json({ runId: run.id, status, ...outcomeOf(events) });
  },
});

interface ActionRun {
  readonly ownerId: OwnerId;
  readonly action: string;
  readonly input: unknown;
  readonly key: string;
}

/** Thread and token follow from owner and key, so that a repeat meets the run it made before. */
async function startActionRun(server: Server, { ownerId, action, input, key }: ActionRun) {
  const digest = createHash("sha256")
    .update(JSON.stringify([ownerId, key]))
    .digest("hex");
  const threadId = asThreadId(`thr_${digest.slice(0, 20)}`);
  await server.store.runs.createThread(ownerId, threadId);
  const { run } = await startRun(server.verbs, {
    ownerId,
    threadId,
    clientToken: `action:${key}`,
    input: { kind: "action", action, input },
    model: { provider: "none", model: "single-call" },
    faults: [],
  });
  return run;
}

function actionOf({ verbs }: Server, name: string): Action {
  const action = Object.hasOwn(verbs.actions, name) ? verbs.actions[name] : undefined;
  if (!action) throw actionNotFound(name.slice(0, 64));
  return action;
}

function inputOf(query: Readonly<Record<string, string>>): unknown {
  const { input, ...fields } = query;
  if (input === undefined) return fields;
  try {
    const value: unknown = JSON.parse(input);
    assertDepth(value);
    return value;
  } catch (error) {
    throw invalidRequest("input", "expected JSON", error);
  }
}
