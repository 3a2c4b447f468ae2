import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../core/event.ts";
import { asRunId } from "../core/ids.ts";
import { aNewEvent } from "../testing/builders.ts";
import { ADA, aClaimedRun } from "../testing/store-runs.ts";
import { makeStorePlace, STORE_KINDS, type StorePlace } from "../testing/test-stores.ts";
import type { Store } from "./store.ts";

const texts = (...values: string[]) => values.map((text) => aNewEvent({ type: "text", text }));

const linesOf = (events: readonly RunEvent[]) =>
  events.map((event) => `${event.seq} ${event.type} ${"text" in event ? String(event.text) : ""}`);

describe.each(STORE_KINDS)("the ledger on %s", (kind) => {
  let place: StorePlace;
  let store: Store;
  beforeAll(async () => {
    place = await makeStorePlace(kind);
    store = await place.open();
  });
  afterAll(() => place.remove());

  it("numbers events from 1 without gaps and reads them in order", async () => {
    const lease = await aClaimedRun(store);
    for (let i = 0; i < 6; i += 1) {
      const events = texts(`a${i}`, `b${i}`);
      await store.ledger.append({ lease, appendId: `app-${i}`, events });
    }
    expect(linesOf(await store.ledger.read(lease.runId, 8, 100))).toEqual([
      "9 text b3",
      "10 text a4",
      "11 text b4",
      "12 text a5",
      "13 text b5",
    ]);
  });

  it("gives back NUL, lone surrogates, key order and long whole numbers as text exactly", async () => {
    const lease = await aClaimedRun(store);
    const value = {
      zip: "00123",
      "1.10": "\u0000",
      bb: "\ud83d",
      a: ["12345678901234567890", 12345.5, null, { z: 1, y: [] }],
      emoji: "\ud83d\ude00",
      quote: 'a "quoted\\" \n text, {braces} and NULL',
    };
    const events = [
      aNewEvent({ type: "tool_start", input: value }),
      aNewEvent({ type: "tool_done", result: value }),
      aNewEvent({ type: "tool_done", result: null }),
      aNewEvent({ type: "tool_done", result: "null" }),
    ];
    await store.ledger.append({ lease, appendId: "app", events });
    const stored = await store.ledger.read(lease.runId, 1, 10);
    const times = stored.map(({ at }) => at);
    expect(stored).toEqual(events.map((event, i) => ({ ...event, seq: i + 2, at: times[i] })));
    // Key order is invisible to toEqual.
    const [start, done] = stored as { input?: unknown; result?: unknown }[];
    expect(JSON.stringify([start?.input, done?.result])).toBe(JSON.stringify([value, value]));
  });

  it("stores a result of a megabyte", async () => {
    const lease = await aClaimedRun(store);
    const result = { body: 'é"\\\n'.repeat(200_000) };
    const events = [aNewEvent({ type: "tool_done", result })];
    await store.ledger.append({ lease, appendId: "app", events });
    expect(await store.ledger.read(lease.runId, 1, 10)).toMatchObject([{ result }]);
  });

  it("takes 10,000 events in one append and reads them in order", async () => {
    const lease = await aClaimedRun(store);
    const events = texts(...Array.from({ length: 10_000 }, (_, i) => `${i}`));
    const appended = await store.ledger.append({ lease, appendId: "app", events });
    expect(appended).toMatchObject({ firstSeq: 2, lastSeq: 10_001 });
    const stored = await store.ledger.read(lease.runId, 0, 20_000);
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 10_001 }, (_, i) => i + 1));
    expect(stored.at(-1)).toMatchObject({ seq: 10_001, text: "9999" });
  });

  it("lets an owner that gave the run back store nothing more, and repeats what it stored", async () => {
    const lease = await aClaimedRun(store);
    const events = [aNewEvent({ type: "attempt_ended" })];
    const handOver = { lease, appendId: "end", events, nextTryInMs: 0 };
    const first = await store.ledger.append(handOver);
    await expect(
      store.ledger.append({ lease, appendId: "more", events: texts("more") }),
    ).rejects.toMatchObject({ code: "fence-stale" });
    expect(await store.ledger.append(handOver)).toEqual({ ...first, repeated: true });
    await store.leases.claim(lease.runId, "worker-2", 5_000);
    expect(await store.ledger.append(handOver)).toEqual({
      ...first,
      repeated: true,
      fenceCurrent: false,
    });
    expect(linesOf(await store.ledger.read(lease.runId, 0, 10))).toEqual([
      "1 run_started ",
      "2 attempt_ended ",
    ]);
  });

  it("keeps times far beyond 32 bits", async () => {
    const lease = await aClaimedRun(store);
    const farMs = 4_102_444_800_000;
    const events = [aNewEvent({ type: "attempt_ended" })];
    const { at } = (await store.ledger.append({
      lease,
      appendId: "end",
      events,
      nextTryInMs: farMs,
    })) as { at: string };
    const { nextTryAt } = await store.runs.getRun(ADA, lease.runId);
    const distanceMs = Date.parse(nextTryAt ?? "") - Date.parse(at);
    // The two moments of one statement are taken one after the other.
    expect(Math.abs(distanceMs - farMs)).toBeLessThan(1_000);
  });

  it("refuses what JSON can't express, and stores nothing of it", async () => {
    const lease = await aClaimedRun(store);
    const events = [aNewEvent({ type: "text" }), aNewEvent({ type: "tool_done", result: 1n })];
    await expect(store.ledger.append({ lease, appendId: "app", events })).rejects.toThrow(
      TypeError,
    );
    expect(await store.ledger.read(lease.runId, 1, 10)).toEqual([]);
  });

  it("knows no run by an id that no column can hold", async () => {
    const lease = { ...(await aClaimedRun(store)), runId: asRunId("run_\0") };
    const events = texts("x");
    await expect(store.ledger.append({ lease, appendId: "app", events })).rejects.toMatchObject({
      code: "run-not-found",
    });
    expect(await store.ledger.read(lease.runId, 0, 10)).toEqual([]);
  });
});
