/** From the acknowledged commit of an event to its arrival in a real browser, over loopback. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { chromium } from "@playwright/test";
import { expect, test } from "vitest";
import { systemClock } from "@/lib/clock.ts";
import { asOwnerId } from "@/lib/core/ids.ts";
import { DEFAULT_LIMITS } from "@/lib/core/limits.ts";
import { EventStreams } from "@/lib/http/event-stream.ts";
import { randomIds } from "@/lib/random-ids.ts";
import { silentLog } from "@/lib/testing/silent-log.ts";
import { makeStorePlace, STORE_KINDS } from "@/lib/testing/test-stores.ts";

const EVENTS = 1_000;
const PAUSE_MS = 5;
const wallMs = () => performance.timeOrigin + performance.now();

declare global {
  interface Window {
    arrivals: [number, number][];
  }
}

test.each(STORE_KINDS)("commit to browser on %s", async (kind) => {
  const place = await makeStorePlace(kind);
  const store = await place.open();
  const ownerId = asOwnerId("local");
  const threadId = randomIds.threadId();
  await store.runs.createThread(ownerId, threadId);
  const input = { kind: "message", text: "go" } as const;
  const wanted = {
    runId: randomIds.runId(),
    ownerId,
    threadId,
    input,
    model: { temper: "heeds" },
    faults: [],
  } as const;
  const { run } = await store.runs.createRun(wanted);
  const claimed = await store.leases.claim(run.id, "bench", 600_000);
  if (!claimed) throw new Error("the run could not be claimed");

  const streams = new EventStreams({
    ...store,
    limits: DEFAULT_LIMITS,
    clock: systemClock,
    log: silentLog,
    build: "bench",
  });
  const server = createServer((request, response) => {
    if (request.url !== "/events") return void response.end("<!doctype html>");
    const gone = new AbortController();
    request.on("close", () => gone.abort());
    const answer = streams.respond(run, 1, gone.signal);
    response.writeHead(200, Object.fromEntries(answer.headers));
    Readable.fromWeb(answer.body as never).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.evaluate(() => {
    window.arrivals = [];
    const source = new EventSource("/events");
    source.addEventListener("ledger", (event) => {
      window.arrivals.push([Number(event.lastEventId), performance.timeOrigin + performance.now()]);
    });
    return new Promise((resolve) => source.addEventListener("caughtup", resolve));
  });

  const committed = new Map<number, number>();
  for (let i = 0; i < EVENTS; i += 1) {
    const appended = await store.ledger.append({
      lease: claimed.lease,
      appendId: randomIds.appendId(),
      events: [{ type: "text", attempt: 1, text: `word ${i} ` }],
    });
    if (appended.kind === "appended") committed.set(appended.firstSeq, wallMs());
    await systemClock.sleep(PAUSE_MS);
  }
  await expect
    .poll(() => page.evaluate(() => window.arrivals.length), { timeout: 10_000 })
    .toBe(EVENTS);
  const arrivals = await page.evaluate(() => window.arrivals);
  const latencies = arrivals
    .map(([seq, at]) => at - (committed.get(seq) ?? Number.NaN))
    .sort((a, b) => a - b);
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
  console.log(
    `commit to browser, ${kind}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${EVENTS} events)`,
  );
  await browser.close();
  streams.closeAll();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await place.remove();
});
