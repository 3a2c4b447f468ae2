/** What a browser does to a page in use, on a clock that moves only when told: hidden, asked for its slot, restored. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewEvent, RunEvent } from "../core/event.ts";
import { asOwnerId, asRunId, asThreadId, type RunId } from "../core/ids.ts";
import { DEFAULT_LIMITS } from "../core/limits.ts";
import type { Lease } from "../core/run-record.ts";
import { EventStreams } from "../http/event-stream.ts";
import { manualClock, type ManualClock } from "../testing/manual-clock.ts";
import { createMemoryStore, type MemoryStore } from "../testing/memory-store.ts";
import { silentLog } from "../testing/silent-log.ts";
import type { Browser, Waking } from "./browser.ts";
import { RunStream } from "./run-stream.ts";

const LOCAL = asOwnerId("local");
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let clock: ManualClock;
let store: MemoryStore;
let streams: EventStreams;
let runId: RunId;
let lease: Lease;
let stream: RunStream;
let events: RunEvent[];
/** When the client asked for something, in milliseconds on the clock. */
let asked: number[];
/** Connections with a lower number pass nothing on, as half-open sockets do. */
let frozenBelow: number;
let refuseWith: number | undefined;
let isHidden: boolean;
let wake: (why: Waking) => void;
let wanted: () => void;

beforeEach(async () => {
  clock = manualClock();
  store = createMemoryStore({ clock });
  const limits = DEFAULT_LIMITS;
  streams = new EventStreams({ ...store, limits, clock, log: silentLog, build: "test" });
  [events, asked, frozenBelow, refuseWith, isHidden] = [[], [], 0, undefined, false];
  const threadId = asThreadId("thr_1");
  await store.runs.createThread(LOCAL, threadId);
  runId = asRunId("run_1");
  await store.runs.createRun({
    runId,
    ownerId: LOCAL,
    threadId,
    input: { kind: "message", text: "go" },
    model: { temper: "heeds" },
    faults: [],
  });
  const claimed = await store.leases.claim(runId, "p1", 10 * MINUTE);
  if (!claimed) throw new Error("not claimed");
  ({ lease } = claimed);
});

afterEach(async () => {
  stream.close();
  await clock.settle();
  expect(streams.status()).toEqual({ openStreams: 0, feeds: 0 });
  expect(clock.pendingTimers()).toBe(0);
});

async function follow(): Promise<void> {
  stream = new RunStream({
    runId,
    browser: browserOf(),
    lastSeq: 0,
    head: 0,
    onEvents: (batch) => events.push(...batch),
    onReset: () => events.splice(0),
    onState: () => undefined,
    onOwner: () => undefined,
  });
  stream.start();
  await clock.settle();
}

function browserOf(): Browser {
  return {
    fetch: (url, { headers, signal }) => answer(url, headers as Record<string, string>, signal),
    now: () => clock.monotonicMs(),
    random: () => 0.5,
    after: (ms, run) => clock.after(ms, run),
    isHidden: () => isHidden,
    isOffline: () => false,
    onWake: (told) => {
      wake = told;
      return () => undefined;
    },
    slots: {
      take: (whenWanted) => {
        wanted = whenWanted;
        return Promise.resolve(() => undefined);
      },
    },
  };
}

/** The server, in this process and on the same clock. */
async function answer(
  url: string,
  { accept }: Record<string, string>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  asked.push(clock.monotonicMs());
  const number = asked.length;
  if (refuseWith !== undefined)
    return new Response("{}", { status: refuseWith, headers: { "retry-after": "5" } });
  const after = Number(new URL(url, "http://localhost").searchParams.get("after"));
  const run = store.runOf(runId);
  if (accept === "application/json") {
    const page = await store.ledger.read(runId, after, 1_000);
    const ended = run.status !== "running" && run.status !== "waiting";
    return Response.json({ events: page, next: null, head: run.lastSeq, ended });
  }
  if (!signal) throw new Error("the client can't take its request back");
  const { body, headers } = streams.respond(run, after, signal);
  const line = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, passed) => void (number >= frozenBelow && passed.enqueue(chunk)),
  });
  return new Response(body?.pipeThrough(line) ?? null, { headers });
}

async function append(...added: NewEvent[]): Promise<void> {
  await store.ledger.append({ lease, appendId: `a${Math.random()}`, events: added });
  await clock.settle();
}
const text = (n: number): NewEvent => ({ type: "text", attempt: 1, text: `${n}` });

async function turn(to: "hidden" | "visible"): Promise<void> {
  isHidden = to === "hidden";
  wake("changed");
  await clock.settle();
}

/** From now on the present connection is half-open. */
function freeze(): void {
  frozenBelow = asked.length + 1;
}

const seqs = () => events.map(({ seq }) => seq);

test("a tab hidden for 30 s closes its stream and asks for nothing; visible again after 2 min, all is there", async () => {
  await follow();
  await turn("hidden");
  await clock.advance(29 * SECOND);
  await append(text(1));
  expect(seqs()).toEqual([1, 2]);
  expect(streams.status().openStreams).toBe(1);
  await clock.advance(2 * SECOND);
  expect(streams.status()).toEqual({ openStreams: 0, feeds: 0 });
  await append(text(2), text(3));
  await clock.advance(90 * SECOND);
  expect(seqs()).toEqual([1, 2]);
  expect(asked).toHaveLength(1);
  await turn("visible");
  expect(events).toEqual(store.eventsOf(runId));
  expect(seqs()).toEqual([1, 2, 3, 4]);
  expect(stream.state.phase).toBe("live");
});

test("a tab hidden for less than 30 s keeps its stream", async () => {
  await follow();
  await turn("hidden");
  await clock.advance(20 * SECOND);
  await turn("visible");
  await clock.advance(5 * MINUTE);
  expect(asked).toHaveLength(1);
  expect(stream.state.phase).toBe("live");
});

test("a tab opened in the background closes its stream after 30 s as one that was hidden", async () => {
  isHidden = true;
  await follow();
  expect(seqs()).toEqual([1]);
  await clock.advance(31 * SECOND);
  expect(streams.status().openStreams).toBe(0);
  await append(text(1));
  await turn("visible");
  expect(seqs()).toEqual([1, 2]);
});

test("silence is noticed after a rest as before it", async () => {
  await follow();
  await turn("hidden");
  await clock.advance(2 * MINUTE);
  await turn("visible");
  expect(stream.state.phase).toBe("live");
  freeze();
  await append(text(1));
  expect(seqs()).toEqual([1]);
  await clock.advance(DEFAULT_LIMITS.pingMs * 3.5);
  expect(seqs()).toEqual([1, 2]);
});

test("a hidden tab that is asked for its slot does not come back for it before it is visible", async () => {
  await follow();
  await turn("hidden");
  wanted();
  await append(text(1));
  await clock.advance(10 * SECOND);
  expect(asked).toHaveLength(1);
  await turn("visible");
  expect(seqs()).toEqual([1, 2]);
  expect(stream.state.phase).toBe("live");
});

test("a page back from the back/forward cache connects anew at once, though it was heard just now", async () => {
  await follow();
  freeze();
  await append(text(1));
  expect(seqs()).toEqual([1]);
  wake("restored");
  await clock.settle();
  expect(seqs()).toEqual([1, 2]);
  expect(streams.status().openStreams).toBe(1);
});

test("an ended run with an open call is looked at every 20 s, however often its tab was looked at", async () => {
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
  await follow();
  expect(stream.state).toMatchObject({ phase: "ended", openCalls: 1 });
  for (let looks = 0; looks < 10; looks += 1) await turn("visible");
  asked.length = 0;
  await clock.advance(MINUTE);
  expect(asked).toHaveLength(3);
});

test("a storm of 503 for a minute: asked no more often than Retry-After says, live again by itself", async () => {
  await follow();
  refuseWith = 503;
  streams.closeAll();
  const limits = DEFAULT_LIMITS;
  streams = new EventStreams({ ...store, limits, clock, log: silentLog, build: "test" });
  await append(text(1));
  await clock.advance(MINUTE);
  expect(asked.length).toBeGreaterThan(10);
  const pauses = asked.slice(2).map((at, i) => at - (asked[i + 1] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5 * SECOND);
  refuseWith = undefined;
  await clock.advance(10 * SECOND);
  expect(stream.state.phase).toBe("live");
  expect(seqs()).toEqual([1, 2]);
});
