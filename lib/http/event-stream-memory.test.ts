/** What a reader that takes nothing costs the server, in memory of this process, over a real socket. */
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import type { RunEvent } from "../core/event.ts";
import { asOwnerId, asRunId, asThreadId } from "../core/ids.ts";
import { DEFAULT_LIMITS } from "../core/limits.ts";
import type { RunHead } from "../core/ports.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { silentLog } from "../testing/silent-log.ts";
import { EventStreams } from "./event-stream.ts";

const MEGABYTE = 1024 * 1024;
const GROWTH_MAX = 5 * MEGABYTE;
const EVENT_BYTES = 10 * 1024;
const EVENTS = 5_120;
/** Appended one commit after the other, so that the reader falls out of the ring many times. */
const EVENTS_PER_COMMIT = 64;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Twice, since what the first finds dead is partly freed by the second. */
function usedBytes(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A ledger that makes its events when they are read: what it holds costs no memory. */
async function endlessRun() {
  const store = createMemoryStore({ clock: systemClock });
  const [ownerId, threadId, runId] = [asOwnerId("local"), asThreadId("t"), asRunId("r")];
  await store.runs.createThread(ownerId, threadId);
  const input = { kind: "message", text: "go" } as const;
  const model = { temper: "heeds" } as const;
  const { run } = await store.runs.createRun({
    runId,
    ownerId,
    threadId,
    input,
    model,
    faults: [],
  });
  const watchers = new Set<(head: RunHead) => void>();
  let lastSeq = 1;
  const head = async (): Promise<RunHead> => {
    const [first] = await store.runs.heads([runId]);
    if (!first) throw new Error("no run");
    return { ...first, lastSeq };
  };
  const read = (_runId: unknown, after: number, limit: number) => {
    const count = Math.max(0, Math.min(limit, lastSeq - after));
    return Promise.resolve(Array.from({ length: count }, (_, i) => eventOf(after + 1 + i)));
  };
  return {
    run,
    deps: {
      ledger: { read },
      runs: { heads: async () => [await head()], listCallEvents: store.runs.listCallEvents },
      wakeups: {
        watch: (_runId: unknown, told: (head: RunHead) => void) => {
          watchers.add(told);
          return () => void watchers.delete(told);
        },
      },
    },
    append: async (count: number) => {
      lastSeq += count;
      const now = await head();
      for (const told of watchers) told(now);
      // The feed reads what is new before the next commit comes.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function eventOf(seq: number): RunEvent {
  const text = String(seq).padEnd(EVENT_BYTES, "x");
  return { type: "text", attempt: 1, text, seq, at: "2026-01-01T00:00:00.000Z" };
}

type Endless = Awaited<ReturnType<typeof endlessRun>>;
let endless: Endless;
let streams: EventStreams;
let server: ReturnType<typeof createServer>;

beforeEach(async () => {
  endless = await endlessRun();
  const { run, deps } = endless;
  const limits = DEFAULT_LIMITS;
  streams = new EventStreams({ ...deps, limits, clock: systemClock, log: silentLog, build: "t" });
  server = createServer((_request, response) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const answer = streams.respond(run, 0, gone.signal);
    response.writeHead(200, Object.fromEntries(answer.headers));
    Readable.fromWeb(answer.body as never).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Asks for the stream, takes the first bytes of the answer and nothing after them. */
async function pausedReader() {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const first = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  socket.pause();
  return { socket, first: first.toString() };
}

test("a paused reader grows the server by less than 5 MB, however much is appended", async () => {
  const { socket, first } = await pausedReader();
  expect(first).toContain("200 OK");
  const before = usedBytes();
  for (let sent = 0; sent < EVENTS; sent += EVENTS_PER_COMMIT)
    await endless.append(EVENTS_PER_COMMIT);
  const grownBy = usedBytes() - before;
  // Closed, it would cost nothing and prove nothing.
  expect(streams.status()).toEqual({ openStreams: 1, feeds: 1 });
  expect(EVENTS * EVENT_BYTES).toBe(50 * MEGABYTE);
  expect(grownBy).toBeLessThan(GROWTH_MAX);
  socket.destroy();
});
