import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../core/event.ts";
import { asOwnerId } from "../core/ids.ts";
import type { Lease } from "../core/run-record.ts";
import { randomIds } from "../random-ids.ts";
import { aNewEvent } from "../testing/builders.ts";
import { makeStorePlace, STORE_KINDS, type StorePlace } from "../testing/test-stores.ts";
import type { Store } from "./store.ts";

const OWNER = asOwnerId("ada");

/** A run that a worker has just claimed. */
async function claimedRun(store: Store): Promise<Lease> {
  const threadId = randomIds.threadId();
  await store.runs.createThread(OWNER, threadId);
  const runId = randomIds.runId();
  const input = { kind: "message", text: "Email Ada" } as const;
  const model = { temper: "heeds" } as const;
  await store.runs.createRun({ runId, ownerId: OWNER, threadId, input, model, faults: [] });
  const claimed = await store.leases.claim(runId, "worker-1", 5_000);
  if (!claimed) throw new Error("the run was not due");
  return claimed.lease;
}

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
    const lease = await claimedRun(store);
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
    const lease = await claimedRun(store);
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
    expect(
      JSON.stringify(stored.map((event) => ("input" in event ? event.input : event.result))),
    ).toBe(JSON.stringify([value, value, null, "null"]));
  });

  it("stores a result of a megabyte", async () => {
    const lease = await claimedRun(store);
    const result = { body: 'é"\\\n'.repeat(200_000) };
    const events = [aNewEvent({ type: "tool_done", result })];
    await store.ledger.append({ lease, appendId: "app", events });
    const [stored] = await store.ledger.read(lease.runId, 1, 10);
    expect(stored && "result" in stored && stored.result).toEqual(result);
  });
});
