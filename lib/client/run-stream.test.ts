/** The real client against the real stream over real sockets, which are cut at random places. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import type { NewEvent, RunEvent } from "../core/event.ts";
import { asOwnerId, asRunId, asThreadId, type RunId } from "../core/ids.ts";
import { DEFAULT_LIMITS } from "../core/limits.ts";
import type { Lease } from "../core/run-record.ts";
import { EventStreams } from "../http/event-stream.ts";
import { createMemoryStore, type MemoryStore } from "../testing/memory-store.ts";
import { silentLog } from "../testing/silent-log.ts";
import { startTcpProxy } from "../testing/tcp-proxy.ts";
import type { Browser } from "./browser.ts";
import { RunStream } from "./run-stream.ts";
import type { StreamState } from "./stream-state.ts";

const LOCAL = asOwnerId("local");
const TEXT = "naïve € 😀 ";

let store: MemoryStore;
let streams: EventStreams;
let server: Server;
let address: string;
let runId: RunId;
let lease: Lease;
/** Bytes after which the next answer's connection is reset; undefined = it is left alone. */
let cutAfter: () => number | undefined;
let refuseWith: number | undefined;
let streamRequests: number;

const limits = DEFAULT_LIMITS;

async function append(...events: NewEvent[]): Promise<void> {
  await store.ledger.append({ lease, appendId: `a${Math.random()}`, events });
}
const text = (n: number): NewEvent => ({ type: "text", attempt: 1, text: `${TEXT}${n}` });

beforeEach(async () => {
  store = createMemoryStore({ clock: systemClock });
  cutAfter = () => undefined;
  refuseWith = undefined;
  streamRequests = 0;
  const threadId = asThreadId("thr_1");
  await store.runs.createThread(LOCAL, threadId);
  runId = asRunId("run_1");
  const input = { kind: "message", text: "go" } as const;
  await store.runs.createRun({
    runId,
    ownerId: LOCAL,
    threadId,
    input,
    model: { temper: "heeds" },
    faults: [],
  });
  const claimed = await store.leases.claim(runId, "p1", 600_000);
  if (!claimed) throw new Error("not claimed");
  ({ lease } = claimed);
  streams = new EventStreams({
    ...store,
    limits,
    clock: systemClock,
    log: silentLog,
    build: "test",
  });
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  streams.closeAll();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(streams.status()).toEqual({ openStreams: 0, feeds: 0 });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const after = Number(new URL(request.url ?? "", address).searchParams.get("after"));
  if (refuseWith !== undefined)
    return void response.writeHead(refuseWith, { "retry-after": "0" }).end("{}");
  if (request.headers.accept === "application/json") {
    const run = store.runOf(runId);
    const events = await store.ledger.read(runId, after, 1_000);
    const ended = run.status !== "running" && run.status !== "waiting";
    response.setHeader("content-type", "application/json");
    return void response.end(JSON.stringify({ events, next: null, head: run.lastSeq, ended }));
  }
  streamRequests += 1;
  const run = store.runOf(runId);
  if (run.status === "done" && after === run.lastSeq) return void response.writeHead(204).end();
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const made = streams.respond(run, after, gone.signal);
  response.writeHead(200, Object.fromEntries(made.headers));
  let left = cutAfter();
  const body = Readable.fromWeb(made.body as never);
  body.on("data", (chunk: Buffer) => {
    if (left === undefined) return void response.write(chunk);
    response.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) response.destroy();
  });
  body.on("end", () => response.end());
  body.on("error", () => response.destroy());
}

/** A browser in which every connection counts as long-lived, and no try waits. */
function browserOf(more: Partial<Browser> = {}): Browser {
  let now = 0;
  return {
    fetch: (url, init) => fetch(address + url, init),
    now: () => (now += 1_100),
    random: () => 0,
    after: (ms, run) => systemClock.after(Math.min(ms, 50), run),
    isHidden: () => false,
    isOffline: () => false,
    onWake: () => () => undefined,
    slots: { take: () => Promise.resolve(() => undefined) },
    ...more,
  };
}

interface Followed {
  readonly stream: RunStream;
  readonly events: RunEvent[];
  state(): StreamState;
  readonly resets: number[];
}

function follow(browser: Browser, start = { lastSeq: 0, head: 0 }): Followed {
  const events: RunEvent[] = [];
  const resets: number[] = [];
  const stream: RunStream = new RunStream({
    runId,
    browser,
    ...start,
    onEvents: (batch) => events.push(...batch),
    onReset: () => {
      resets.push(events.length);
      events.length = 0;
    },
    onState: () => undefined,
    onOwner: () => undefined,
  });
  stream.start();
  return { stream, events, resets, state: () => stream.state };
}

const seqs = (events: readonly RunEvent[]) => events.map(({ seq }) => seq);
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe("through cuts", () => {
  test("500 cuts at random bytes: every event is applied once, in order, and exactly", async () => {
    let seed = 4711;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    let cuts = 0;
    cutAfter = () => {
      if (cuts >= 500) return undefined;
      cuts += 1;
      return Math.floor(random() * 700);
    };
    const { stream, events, state } = follow(browserOf());
    let appended = 0;
    // Events keep coming while connections break, so that every cut has bytes to fall into.
    const isOver = async () => {
      await append(text((appended += 1)));
      return cuts >= 500;
    };
    await expect.poll(isOver, { timeout: 30_000, interval: 1 }).toBe(true);
    await append({ type: "run_done", attempt: 1, usage: {} });
    await expect.poll(() => state().phase, { timeout: 20_000 }).toBe("ended");
    expect(seqs(events)).toEqual(upTo(appended + 2));
    expect(events).toEqual(store.eventsOf(runId));
    stream.close();
  }, 60_000);

  test("what is appended while a replay is under way comes once, behind it", async () => {
    await append(...upTo(20).map(text));
    const { stream, events } = follow(browserOf());
    await append(...upTo(5).map(text));
    await expect.poll(() => seqs(events)).toEqual(upTo(26));
    stream.close();
  });

  test("a storm of refusals ends in a live stream without a reload", async () => {
    refuseWith = 503;
    await append(text(1));
    const { stream, events, state } = follow(browserOf());
    await expect.poll(() => state().tries).toBeGreaterThan(5);
    refuseWith = undefined;
    await expect.poll(() => seqs(events)).toEqual([1, 2]);
    stream.close();
  });

  test("a connection that falls silent without an end is noticed and replaced", async () => {
    const proxy = await startTcpProxy("127.0.0.1", Number(new URL(address).port));
    const direct = address;
    address = `http://127.0.0.1:${proxy.port}`;
    const { stream, events } = follow(browserOf());
    await expect.poll(() => seqs(events)).toEqual([1]);
    proxy.silence();
    await append(text(1));
    await expect.poll(() => seqs(events), { timeout: 10_000 }).toEqual([1, 2]);
    stream.close();
    address = direct;
    await proxy.close();
  });

  test("a run that is not there stops the stream and says why", async () => {
    refuseWith = 404;
    const { stream, state } = follow(browserOf());
    await expect.poll(() => state().phase).toBe("stopped");
    stream.close();
  });

  test("three short connections in a row go on by pages", async () => {
    let now = 0;
    cutAfter = () => 300;
    await append(text(1));
    const { stream, events, state } = follow(browserOf({ now: () => (now += 1) }));
    await expect.poll(() => state().phase).toBe("slow");
    const requests = streamRequests;
    await append(text(2));
    await expect.poll(() => seqs(events)).toEqual([1, 2, 3]);
    expect(streamRequests).toBe(requests);
    stream.close();
  });

  test("a cursor ahead of the run is reset and replayed from the first event", async () => {
    await append(text(1));
    const { stream, events, resets } = follow(browserOf(), { lastSeq: 99, head: 99 });
    await expect.poll(() => seqs(events)).toEqual([1, 2]);
    expect(resets).toEqual([0]);
    stream.close();
  });

  test("a late outcome after the end is fetched", async () => {
    await append({
      type: "tool_start",
      attempt: 1,
      callId: "c",
      tool: "send",
      input: {},
      kind: "write",
      signature: null,
      idempotencyKey: "k",
    });
    await append({ type: "run_done", attempt: 1, usage: {} });
    const { stream, events, state } = follow(browserOf());
    await expect.poll(() => state().phase).toBe("ended");
    expect(state().openCalls).toBe(1);
    const event = {
      type: "tool_done",
      attempt: 1,
      callId: "c",
      tool: "send",
      outcome: "ok",
      result: 1,
      late: true,
    } as const;
    await store.ledger.appendLate({ runId, appendId: "late", event });
    await expect.poll(() => seqs(events)).toEqual([1, 2, 3, 4]);
    stream.close();
  });
});

describe("on the wire", () => {
  test("only events carry an id, the first frame is hello, and large fields travel as references", async () => {
    await append({
      type: "tool_done",
      attempt: 1,
      callId: "c",
      tool: "send",
      outcome: "ok",
      result: "x".repeat(200_000),
    });
    await append({ type: "run_done", attempt: 1, usage: {} });
    const body = await (await fetch(`${address}/?after=0`)).text();
    const frames = body.split("\n\n").filter((frame) => frame.includes("event: "));
    const names = frames.map((frame) => /event: (\w+)/.exec(frame)?.[1]);
    expect(names).toEqual(["hello", "ledger", "ledger", "ledger", "caughtup", "end"]);
    expect(frames.map((frame) => /^id: (\d+)/m.exec(frame)?.[1])).toEqual([
      undefined,
      "1",
      "2",
      "3",
      undefined,
      undefined,
    ]);
    expect(frames[2]).toContain('"result":{"ref":{"bytes":200002,"sha256":"');
    expect(body).not.toContain("xxx");
  });

  test("a reader that takes nothing costs a cursor and no queue, and is closed", async () => {
    const impatient = new EventStreams({
      ...store,
      limits: { ...limits, watcherIdleMs: 60, pingMs: 20 },
      clock: systemClock,
      log: silentLog,
      build: "test",
    });
    await append(...upTo(500).map(text));
    const response = impatient.respond(store.runOf(runId), 0, new AbortController().signal);
    await append(...upTo(500).map(text));
    await expect.poll(() => impatient.status()).toEqual({ openStreams: 0, feeds: 0 });
    await response.body?.cancel().catch(() => undefined);
  });

  test("one reader serves all watchers of a run", async () => {
    const followed = upTo(5).map(() => follow(browserOf()));
    await append(text(1), text(2));
    for (const { events } of followed) await expect.poll(() => seqs(events)).toEqual([1, 2, 3]);
    expect(streams.status()).toEqual({ openStreams: 5, feeds: 1 });
    const before = store.gates.count("read");
    await append(text(3));
    for (const { events } of followed) await expect.poll(() => seqs(events)).toEqual([1, 2, 3, 4]);
    expect(store.gates.count("read") - before).toBe(1);
    for (const { stream } of followed) stream.close();
    await expect.poll(() => streams.status()).toEqual({ openStreams: 0, feeds: 0 });
  });

  test("too many streams are refused with a time to come back", async () => {
    const few = new EventStreams({
      ...store,
      limits: { ...limits, streamsMax: 1 },
      clock: systemClock,
      log: silentLog,
      build: "test",
    });
    const gone = new AbortController();
    few.respond(store.runOf(runId), 0, gone.signal);
    expect(() => few.respond(store.runOf(runId), 0, gone.signal)).toThrow(
      expect.objectContaining({ code: "too-many-streams" }) as Error,
    );
    gone.abort();
    expect(few.status().openStreams).toBe(0);
  });
});
