/** Whatever a caller sends gets a defined answer: a problem document with a code, never a 500 and never a hang. */
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "./test.ts";

interface Case {
  readonly what: string;
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code: string;
  readonly field?: string;
}

const json = { "content-type": "application/json" };
const message = (body: unknown) => ({ method: "POST", body: JSON.stringify(body), headers: json });

const CASES: readonly Case[] = [
  {
    what: "junk instead of JSON",
    path: "/api/threads/THREAD/messages",
    method: "POST",
    body: "{oops",
    headers: json,
    status: 400,
    code: "invalid-request",
    field: "body",
  },
  {
    what: "a text of only spaces",
    path: "/api/threads/THREAD/messages",
    ...message({ text: "  \n " }),
    status: 400,
    code: "invalid-request",
    field: "text",
  },
  {
    what: "a text that shows nothing",
    path: "/api/threads/THREAD/messages",
    ...message({ text: "\u200b\u2060 \u3164" }),
    status: 400,
    code: "invalid-request",
    field: "text",
  },
  {
    what: "a text of the wrong type",
    path: "/api/threads/THREAD/messages",
    ...message({ text: 5 }),
    status: 400,
    code: "invalid-request",
    field: "text",
  },
  {
    what: "no body",
    path: "/api/threads/THREAD/messages",
    method: "POST",
    headers: json,
    status: 400,
    code: "invalid-request",
    field: "body",
  },
  {
    what: "an unknown temper",
    path: "/api/threads/THREAD/messages",
    ...message({ text: "x", model: { temper: "angry" } }),
    status: 400,
    code: "invalid-request",
    field: "model",
  },
  {
    what: "a provider that is not configured",
    path: "/api/threads/THREAD/messages",
    ...message({ text: "x", model: { provider: "p", model: "m" } }),
    status: 400,
    code: "invalid-request",
    field: "model.provider",
  },
  {
    what: "a fault at no such point",
    path: "/api/threads/THREAD/messages",
    ...message({ text: "x", faults: [{ at: "nowhere", as: "soft_timeout" }] }),
    status: 400,
    code: "invalid-request",
    field: "faults[0].at",
  },
  {
    what: "a body of 2 MB",
    path: "/api/threads/THREAD/messages",
    ...message({ text: "x".repeat(2_000_000) }),
    status: 413,
    code: "body-too-large",
  },
  {
    what: "a thread that is not there",
    path: "/api/threads/thr_none/messages",
    ...message({ text: "x" }),
    status: 404,
    code: "thread-not-found",
  },
  {
    what: "a thread id that can't be one",
    path: "/api/threads/%00%20..",
    status: 404,
    code: "thread-not-found",
  },
  {
    what: "a run that is not there",
    path: "/api/runs/run_none",
    status: 404,
    code: "run-not-found",
  },
  {
    what: "events of a run that is not there",
    path: "/api/runs/run_none/events",
    status: 404,
    code: "run-not-found",
  },
  {
    what: "resuming a run that is not there",
    path: "/api/runs/run_none/resume",
    method: "POST",
    status: 404,
    code: "run-not-found",
  },
  {
    what: "cancelling a run that is not there",
    path: "/api/runs/run_none/cancel",
    method: "POST",
    status: 404,
    code: "run-not-found",
  },
  {
    what: "resuming a run that is done",
    path: "/api/runs/RUN/resume",
    method: "POST",
    status: 409,
    code: "run-terminal",
  },
  {
    what: "cancelling a run that is done",
    path: "/api/runs/RUN/cancel",
    method: "POST",
    status: 409,
    code: "run-terminal",
  },
  {
    what: "an event that is not there",
    path: "/api/runs/RUN/events/9999",
    status: 404,
    code: "event-not-found",
  },
  {
    what: "an event number that can't be one",
    path: "/api/runs/RUN/events/abc",
    status: 404,
    code: "event-not-found",
  },
  ...["-1", "abc", "1.5", "99999999999999999999"].map((after) => ({
    what: `?after=${after}`,
    path: `/api/runs/RUN/events?after=${after}`,
    status: 400,
    code: "invalid-cursor",
    field: "after",
  })),
  {
    what: "a page of no events",
    path: "/api/runs/RUN/events?limit=0",
    headers: { accept: "application/json" },
    status: 400,
    code: "invalid-request",
    field: "limit",
  },
  {
    what: "an answer about no such call",
    path: "/api/runs/RUN/calls/call_9_9_9/resolve",
    ...message({ outcome: "landed" }),
    status: 404,
    code: "call-not-found",
  },
  {
    what: "an answer about a call that is settled",
    path: "/api/runs/RUN/calls/call_1_1_1/resolve",
    ...message({ outcome: "absent" }),
    status: 409,
    code: "call-settled",
  },
  {
    what: "an answer that is none",
    path: "/api/runs/RUN/calls/call_1_1_1/resolve",
    ...message({ outcome: "maybe" }),
    status: 400,
    code: "invalid-request",
    field: "outcome",
  },
  {
    what: "a parameter given twice",
    path: "/api/runs/RUN/events?after=1&after=2",
    status: 400,
    code: "invalid-request",
    field: "after",
  },
  {
    what: "a stale cursor of a reconnect",
    path: "/api/runs/RUN/events?after=1",
    headers: { "last-event-id": "x" },
    status: 400,
    code: "invalid-cursor",
    field: "last-event-id",
  },
  {
    what: "a thread with a body of 2 MB",
    path: "/api/threads",
    ...message({ x: "x".repeat(2_000_000) }),
    status: 413,
    code: "body-too-large",
  },
  {
    what: "a thread with a body that is junk",
    path: "/api/threads",
    method: "POST",
    body: "[oops",
    headers: json,
    status: 400,
    code: "invalid-request",
    field: "body",
  },
  {
    what: "a path that is not UTF-8",
    path: "/api/runs/%E0%A4%A",
    status: 400,
    code: "invalid-request",
    field: "path",
  },
  {
    what: "a page's path that is not UTF-8",
    path: "/threads/%ff",
    status: 400,
    code: "invalid-request",
    field: "path",
  },
  { what: "no route", path: "/api/nothing/here", status: 404, code: "route-not-found" },
  { what: "no route at all", path: "/api", status: 404, code: "route-not-found" },
  {
    what: "a method that the route does not have",
    path: "/api/threads/THREAD",
    method: "DELETE",
    status: 405,
    code: "method-not-allowed",
  },
  {
    what: "another method that the route does not have",
    path: "/api/runs/RUN/cancel",
    status: 405,
    code: "method-not-allowed",
  },
  {
    what: "a stale cursor of the world",
    path: "/api/effects?cursor=nonsense",
    status: 400,
    code: "invalid-cursor",
    field: "cursor",
  },
  {
    what: "an unknown status in the list",
    path: "/api/runs?status=sleeping",
    status: 400,
    code: "invalid-request",
    field: "status",
  },
  {
    what: "a stale cursor of the list",
    path: "/api/runs?cursor=nonsense",
    status: 400,
    code: "invalid-cursor",
    field: "cursor",
  },
  {
    what: "an action that is not there",
    path: "/api/actions/fly",
    status: 404,
    code: "action-not-found",
  },
  {
    what: "a write by GET",
    path: "/api/actions/send_email",
    status: 405,
    code: "method-not-allowed",
  },
  {
    what: "a write without a key",
    path: "/api/actions/create_ticket",
    ...message({ title: "x" }),
    status: 400,
    code: "invalid-request",
    field: "idempotency-key",
  },
  {
    what: "a write with bad input",
    path: "/api/actions/create_ticket",
    method: "POST",
    body: "{}",
    headers: { ...json, "idempotency-key": "k" },
    status: 400,
    code: "invalid-request",
    field: "title",
  },
  {
    what: "a request from another site",
    path: "/api/threads",
    method: "POST",
    headers: { "sec-fetch-site": "cross-site" },
    status: 403,
    code: "forbidden",
  },
  {
    what: "another origin",
    path: "/api/threads",
    method: "POST",
    headers: { origin: "https://evil.example" },
    status: 403,
    code: "forbidden",
  },
];

test("bad input gets a defined answer that names the field", async ({ api, app }) => {
  const { threadId, runId } = await api.start({ text: "Open a ticket about the broken login" });
  await api.until(runId, "done");
  for (const { what, path, method = "GET", body, headers, status, code, field } of CASES) {
    const url = app.address + path.replace("THREAD", threadId).replace("RUN", runId);
    const response = await fetch(url, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(10_000),
    });
    const problem = (await response.json()) as Record<string, unknown>;
    const told = {
      status: response.status,
      code: problem["code"],
      ...(field !== undefined && { field: problem["field"] }),
    };
    expect(told, what).toEqual({ status, code, ...(field !== undefined && { field }) });
    expect(response.headers.get("content-type"), what).toContain("application/problem+json");
  }
});

test("methods are answered for by the route: which there are, and TRACE refused", async ({
  app,
}) => {
  const ask = (path: string, method: string) => rawRequest(app.port, { path, method });
  const options = await ask("/api/threads", "OPTIONS");
  expect([options.status, options.allow]).toEqual([204, "GET, POST"]);
  const put = await ask("/api/threads", "PUT");
  expect([put.status, put.allow]).toEqual([405, "GET, POST"]);
  for (const path of ["/api/threads", "/"]) {
    const trace = await ask(path, "TRACE");
    expect(JSON.parse(trace.body)).toMatchObject({ status: 405, code: "method-not-allowed" });
  }
});

test("a page of events after the end says where the end is", async ({ api, app }) => {
  const { runId } = await api.start({ text: "How many open tickets are there?" });
  await api.until(runId, "done");
  const lastSeq = (await api.events(runId)).at(-1)?.seq;
  const response = await fetch(`${app.address}/api/runs/${runId}/events?after=99999`, {
    headers: { accept: "application/json" },
  });
  expect(await response.json()).toMatchObject({ events: [], next: null, head: lastSeq });
});

test("an action over HTTP is done once for one key", async ({ app }) => {
  const post = () =>
    fetch(`${app.address}/api/actions/create_ticket`, {
      method: "POST",
      headers: { ...json, "idempotency-key": "ticket-1" },
      body: JSON.stringify({ title: "Slow checkout" }),
    });
  const [first, second] = await Promise.all([post(), post()]);
  const one = (await first?.json()) as { runId: string; outcome: string };
  const two = (await second?.json()) as { runId: string };
  expect([first?.status, second?.status, one.runId === two.runId, one.outcome]).toEqual([
    200,
    200,
    true,
    "ok",
  ]);
  const { effects } = (await (
    await fetch(`${app.address}/api/effects?runId=${one.runId}`)
  ).json()) as { effects: unknown[] };
  expect(effects).toHaveLength(1);
  const other = await fetch(`${app.address}/api/actions/create_ticket`, {
    method: "POST",
    headers: { ...json, "idempotency-key": "ticket-1" },
    body: JSON.stringify({ title: "Something else" }),
  });
  expect(other.status).toBe(422);
  const read = await fetch(`${app.address}/api/actions/list_tickets?title=Slow%20checkout`);
  expect(await read.json()).toMatchObject({ result: { count: 1 } });
});

test("the same message twice at once is one run", async ({ app }) => {
  const { threadId } = (await (
    await fetch(`${app.address}/api/threads`, { method: "POST" })
  ).json()) as { threadId: string };
  const send = () =>
    fetch(`${app.address}/api/threads/${threadId}/messages`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ text: "How many open tickets are there?", clientToken: "once" }),
    });
  const answers = await Promise.all([send(), send()]);
  const ids = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { runId: string }).runId),
  );
  expect([answers.map(({ status }) => status), ids[0] === ids[1]]).toEqual([[202, 202], true]);
});

test("a Host that is not configured is refused, for pages and routes alike", async ({ app }) => {
  const statusWith = async (path: string, host: string) =>
    (await rawRequest(app.port, { path, headers: { host } })).status;
  expect(await statusWith("/", "evil.example")).toBe(403);
  expect(await statusWith("/runs/", "evil.example")).toBe(403);
  expect(await statusWith("/api/threads", "evil.example:80")).toBe(403);
  expect(await statusWith("/api/threads", `localhost:${app.port}`)).toBe(200);
});

/** A request as fetch does not send it: any method, any Host. */
async function rawRequest(port: number, options: RequestOptions) {
  const asked = request({ host: "127.0.0.1", port, ...options });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.on("response", resolve);
    asked.on("error", reject);
  });
  asked.end();
  const response = await answered;
  const { statusCode: status = 0, headers } = response;
  return { status, allow: headers.allow, body: await text(response) };
}
