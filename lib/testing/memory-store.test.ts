import { describe, expect, it } from "vitest";
import { asOwnerId, asRunId, asThreadId } from "../core/ids.ts";
import type { Clock } from "../core/ports.ts";
import { aNewEvent } from "./builders.ts";
import { codeOf, Scene } from "./contract-scene.ts";
import { manualClock } from "./manual-clock.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";
import { describeStoreContract } from "./store-contract.ts";

/** Time passes with every look at the clock, as it does on a database. */
function tickingClock(): Clock {
  let now = 0;
  return { ...manualClock(), monotonicMs: () => (now += 1) };
}

describeStoreContract("the store in memory", async () => {
  const store = createMemoryStore({ clock: tickingClock() });
  return { store, close: () => store.wakeups.close() };
});

describe("the memory store's gates", () => {
  const clock = manualClock();
  const newStore = (): [MemoryStore, Scene] => {
    const store = createMemoryStore({ clock });
    return [store, new Scene(store, store)];
  };

  it("lose an append before its commit: nothing was stored", async () => {
    const [store, scene] = newStore();
    const lease = await scene.claimed();
    store.gates.fail("append", 1, "before");
    expect(await codeOf(scene.append(lease, { type: "text" }))).toBe("store-unavailable");
    expect(store.eventsOf(lease.runId)).toHaveLength(1);
    expect(await codeOf(scene.append(lease, { type: "text" }))).toBe("done");
  });

  it("lose an acknowledgement after the commit: the repeat finds what was stored", async () => {
    const [store, scene] = newStore();
    const lease = await scene.claimed();
    const request = { lease, appendId: "same", events: [aNewEvent({ type: "text" })] };
    store.gates.fail("append", 1, "after");
    expect(await codeOf(store.ledger.append(request))).toBe("store-unavailable");
    expect(store.eventsOf(lease.runId)).toHaveLength(2);
    expect(await store.ledger.append(request)).toMatchObject({ firstSeq: 2, repeated: true });
  });

  it("hold a statement until they are opened", async () => {
    const [store, scene] = newStore();
    const lease = await scene.claimed();
    const pause = store.gates.pause("append", "before");
    const appending = scene.append(lease, { type: "text" });
    await pause.reached;
    expect(store.eventsOf(lease.runId)).toHaveLength(1);
    pause.release();
    expect(await appending).toMatchObject({ firstSeq: 2 });
  });

  it("count statements, and refuse all while the database is away", async () => {
    const [store, scene] = newStore();
    const lease = await scene.claimed();
    store.gates.disconnect();
    expect(await codeOf(store.leases.isCurrent(lease))).toBe("store-unavailable");
    store.gates.restore();
    expect(await store.leases.isCurrent(lease)).toBe(true);
    expect(store.gates.count("isCurrent")).toBe(2);
    expect(store.gates.count()).toBe(5);
  });

  it("time is the clock's the store was made with", async () => {
    const [store] = newStore();
    const ownerId = asOwnerId("ada");
    const threadId = asThreadId("thr_1");
    const { createdAt } = await store.runs.createThread(ownerId, threadId);
    expect(createdAt).toBe("2026-01-01T00:00:00.000Z");
    const request = { runId: asRunId("run_1"), ownerId, threadId, faults: [] };
    const input = { kind: "message", text: "Hi" } as const;
    await store.runs.createRun({ ...request, input, model: { temper: "heeds" } });
    await store.leases.claim(request.runId, "worker-1", 5_000);
    await clock.advance(4_999);
    expect(await store.leases.claim(request.runId, "worker-2", 5_000)).toBeUndefined();
    await clock.advance(1);
    expect(await store.leases.claim(request.runId, "worker-2", 5_000)).toBeDefined();
  });
});
