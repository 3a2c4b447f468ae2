import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../core/event.ts";
import { aNewEvent } from "../testing/builders.ts";
import { aClaimedRun } from "../testing/store-runs.ts";
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
    const [stored] = await store.ledger.read(lease.runId, 1, 10);
    expect(stored && "result" in stored && stored.result).toEqual(result);
  });
});
