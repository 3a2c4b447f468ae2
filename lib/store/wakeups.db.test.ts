/** Wake-ups between processes, and what becomes of them when connections break. Two stores stand for two processes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../clock.ts";
import { DEFAULT_LIMITS, type Limits } from "../core/limits.ts";
import type { RunHead } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import { aNewEvent } from "../testing/builders.ts";
import { silentLog } from "../testing/silent-log.ts";
import { aClaimedRun } from "../testing/store-runs.ts";
import { startTcpProxy, type TcpProxy } from "../testing/tcp-proxy.ts";
import { makeStorePlace, STORE_KINDS, type StorePlace } from "../testing/test-stores.ts";
import { openPostgres } from "./postgres-database.ts";
import type { Store } from "./store.ts";

/** No periodic look within a test: what arrives was told. */
const NO_CATCH_UP: Limits = { ...DEFAULT_LIMITS, catchUpEveryMs: 600_000 };

/** Watches a run; `reaches` resolves when its head is there. */
function watching(store: Store, { runId }: Lease) {
  const heads: RunHead[] = [];
  let onHead = () => {};
  const stop = store.wakeups.watch(runId, (head) => {
    heads.push(head);
    onHead();
  });
  const reaches = (seq: number) =>
    new Promise<RunHead>((resolve) => {
      onHead = () => {
        const head = heads.findLast(({ lastSeq }) => lastSeq >= seq);
        if (head) resolve(head);
      };
      onHead();
    });
  return { heads, reaches, stop };
}

let appended = 0;
const append = (store: Store, lease: Lease, more: Partial<Parameters<typeof aNewEvent>[0]> = {}) =>
  store.ledger.append({
    lease,
    appendId: `app-${(appended += 1)}`,
    events: [aNewEvent({ type: "text", ...more } as Parameters<typeof aNewEvent>[0])],
  });

describe.each(STORE_KINDS)("watching on %s", (kind) => {
  let place: StorePlace;
  let store: Store;
  beforeAll(async () => {
    place = await makeStorePlace(kind);
    store = await place.open({ limits: NO_CATCH_UP });
  });
  afterAll(() => place.remove());

  it("tells of a commit of the same process, with where the run stands", async () => {
    const lease = await aClaimedRun(store);
    const { reaches, stop } = watching(store, lease);
    await append(store, lease, { type: "run_done" });
    expect(await reaches(2)).toMatchObject({ lastSeq: 2, status: "done", leaseOwner: null });
    stop();
    expect(store.wakeups.status().watchedRuns).toBe(0);
  });

  it("tells nothing of what changed after it stopped", async () => {
    const lease = await aClaimedRun(store);
    const left = watching(store, lease);
    const stays = watching(store, lease);
    left.stop();
    await append(store, lease);
    await stays.reaches(2);
    expect(left.heads).toEqual([]);
  });

  it("finds by its periodic look what nobody told", async () => {
    const restless = await place.open({
      limits: { ...NO_CATCH_UP, catchUpEveryMs: 20 },
      ...(kind === "pglite" && { dataDir: `${place.options.dataDir}/another` }),
    });
    const lease = await aClaimedRun(restless);
    const { reaches } = watching(restless, lease);
    // Nothing is committed after the watch began: only a look can tell.
    expect(await reaches(1)).toMatchObject({ runId: lease.runId, lastSeq: 1 });
  });
});

describe("watching from another process", () => {
  let place: StorePlace;
  let proxy: TcpProxy;
  let writer: Store;
  let reader: Store;
  let lease: Lease;

  beforeAll(async () => {
    place = await makeStorePlace("postgres");
    const url = new URL(place.options.databaseUrl ?? "");
    proxy = await startTcpProxy(url.hostname, Number(url.port));
    url.port = String(proxy.port);
    url.hostname = "127.0.0.1";
    writer = await place.open({ limits: NO_CATCH_UP });
    const scaled = { storeBackoffMs: 10, listenProbeMs: 100, storeStatementMs: 200 };
    const limits = { ...NO_CATCH_UP, ...scaled, storeLockMs: 100, storeAnswerMs: 400 };
    reader = await place.open({ limits, databaseUrl: url.href });
  });

  beforeEach(async () => {
    lease = await aClaimedRun(writer);
    await untilListening();
  });

  afterAll(async () => {
    await place.remove();
    await proxy.close();
  });

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  async function untilListening(): Promise<void> {
    while (reader.wakeups.status().listener !== "listening") await turn();
  }

  it("tells of each commit without a look at the clock", async () => {
    const { reaches } = watching(reader, lease);
    await append(writer, lease);
    expect(await reaches(2)).toMatchObject({ lastSeq: 2, status: "running" });
    await append(writer, lease, { type: "run_done" });
    expect(await reaches(3)).toMatchObject({ lastSeq: 3, status: "done" });
  });

  it("catches up with what was stored while the listener was terminated", async () => {
    const { reaches } = watching(reader, lease);
    const { databaseUrl = "", limits } = place.options;
    const admin = openPostgres(databaseUrl, { limits, clock: systemClock, log: silentLog });
    const ended = await admin.query(`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`);
    expect(ended.length).toBeGreaterThan(0);
    await append(writer, lease);
    expect(await reaches(2)).toMatchObject({ lastSeq: 2 });
    await untilListening();
    await admin.close();
  });

  it("notices a connection that fell silent, and catches up", async () => {
    const { reaches } = watching(reader, lease);
    proxy.silence();
    await append(writer, lease);
    expect(await reaches(2)).toMatchObject({ lastSeq: 2 });
  });

  it("goes on after the database could not be reached for a while", async () => {
    const { reaches } = watching(reader, lease);
    proxy.refuse();
    proxy.cut();
    await append(writer, lease);
    while (reader.wakeups.status().listener !== "reconnecting") await turn();
    await expect(reader.runs.heads([lease.runId])).rejects.toMatchObject({
      code: "store-unavailable",
    });
    expect((await reader.health()).database).toBe("unavailable");
    proxy.restore();
    expect(await reaches(2)).toMatchObject({ lastSeq: 2 });
    expect((await reader.health()).database).toBe("ok");
  });

  it("has an answer for a statement whose connection fell silent", async () => {
    await reader.runs.heads([lease.runId]);
    proxy.silence();
    await expect(reader.runs.heads([lease.runId])).rejects.toMatchObject({
      code: "store-unavailable",
    });
    expect(await reader.runs.heads([lease.runId])).toHaveLength(1);
  });
});
