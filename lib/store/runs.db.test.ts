import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asOwnerId, asRunId, asThreadId } from "../core/ids.ts";
import type { NewRun } from "../core/ports.ts";
import { aNewEvent } from "../testing/builders.ts";
import { ADA, aClaimedRun, aRequest, aWaitingRun } from "../testing/store-runs.ts";
import { makeStorePlace, STORE_KINDS, type StorePlace } from "../testing/test-stores.ts";
import type { Store } from "./store.ts";

const asks = (text: string): Partial<NewRun> => ({ input: { kind: "message", text } });

describe.each(STORE_KINDS)("runs on %s", (kind) => {
  let place: StorePlace;
  let store: Store;
  beforeAll(async () => {
    place = await makeStorePlace(kind);
    store = await place.open();
  });
  afterAll(() => place.remove());

  async function found(ownerId: NewRun["ownerId"], text: string): Promise<string[]> {
    const { runs } = await store.runs.listRuns({ ownerId, text, limit: 10 });
    return runs.map(({ input }) => (input.kind === "message" ? input.text : ""));
  }

  it("come in pages, newest first, each once although a new one comes between", async () => {
    const ownerId = asOwnerId("pages");
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { run } = await store.runs.createRun(await aRequest(store, { ownerId }));
      ids.unshift(run.id);
    }
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { ownerId, limit: 2, ...(cursor && { cursor }) };
      const page = await store.runs.listRuns(query);
      seen.push(...page.runs.map(({ id }) => id));
      cursor = page.next;
      await store.runs.createRun(await aRequest(store, { ownerId }));
    } while (cursor !== null);
    expect(seen).toEqual(ids);
  });

  it.each(["", "0", "r0", "r-1", "r1.5", "r99999999999999999999", "run", "r1'"])(
    "refuse the cursor %j",
    async (cursor) => {
      await expect(store.runs.listRuns({ ownerId: ADA, cursor, limit: 2 })).rejects.toMatchObject({
        code: "invalid-cursor",
      });
    },
  );

  it("are found by words, which are no patterns", async () => {
    const ownerId = asOwnerId("words");
    const texts = ["Give 50% to Bob", "Give 50 to Bob", "a_b", "aXb", "back\\slash", "nul \0 here"];
    for (const text of texts) {
      await store.runs.createRun(await aRequest(store, { ownerId, ...asks(text) }));
    }
    expect(await found(ownerId, "bob GIVE")).toEqual(["Give 50 to Bob", "Give 50% to Bob"]);
    expect(await found(ownerId, "50%")).toEqual(["Give 50% to Bob"]);
    expect(await found(ownerId, "a_b")).toEqual(["a_b"]);
    expect(await found(ownerId, "k\\s")).toEqual(["back\\slash"]);
    expect(await found(ownerId, "here")).toEqual(["nul \0 here"]);
    expect(await found(ownerId, "nothing \0 of it")).toEqual([]);
    expect(await found(ownerId, "  ")).toHaveLength(6);
  });

  it("of one owner are nothing to another, and a token is its owner's", async () => {
    const bob = asOwnerId("bob");
    const { run } = await store.runs.createRun(await aRequest(store, { clientToken: "k1" }));
    const asked = await aRequest(store, { ownerId: bob, clientToken: "k1" });
    const other = await store.runs.createRun(asked);
    expect(other.created).toBe(true);
    await expect(store.runs.getRun(bob, run.id)).rejects.toMatchObject({ code: "run-not-found" });
    await expect(store.runs.getThread(bob, run.threadId)).rejects.toMatchObject({
      code: "thread-not-found",
    });
  });

  it("give back a request that was undefined in places as the same request", async () => {
    const fault = { at: "in_body", as: "soft_timeout", action: undefined } as const;
    const asked = await aRequest(store, { clientToken: "undefined", faults: [fault] });
    const first = await store.runs.createRun(asked);
    const second = await store.runs.createRun({ ...asked, runId: asRunId("run_other") });
    expect(second).toMatchObject({ created: false, run: { id: first.run.id } });
    await expect(
      store.runs.createRun({ ...asked, ...asks("something else") }),
    ).rejects.toMatchObject({ code: "idempotency-conflict" });
  });

  it("that are cancelled while they wait become due at once, before their time", async () => {
    const lease = await aWaitingRun(store);
    await store.runs.requestCancel(lease.runId);
    const claimed = await store.leases.claim(lease.runId, "worker-2", 5_000);
    expect(claimed?.run).toMatchObject({ status: "running", attempts: 1, fence: 2 });
    expect(claimed?.run.cancelRequestedAt).not.toBeNull();
  });

  it("that are cancelled can be cancelled again, those that ended otherwise can't", async () => {
    const cancelled = await aClaimedRun(store);
    await store.runs.requestCancel(cancelled.runId);
    const end = { appendId: "end", events: [aNewEvent({ type: "run_cancelled" })] };
    const answer = await store.ledger.append({ lease: cancelled, ...end });
    expect(answer).toMatchObject({ cancelRequested: true });
    const again = await store.runs.requestCancel(cancelled.runId);
    expect(again).toEqual({
      ...(await store.runs.getRun(ADA, cancelled.runId)),
      status: "cancelled",
      leaseLeftMs: again.leaseLeftMs,
    });
    const done = await aClaimedRun(store);
    const events = [aNewEvent({ type: "run_done" })];
    await store.ledger.append({ lease: done, appendId: "end", events });
    await expect(store.runs.requestCancel(done.runId)).rejects.toMatchObject({
      code: "run-terminal",
    });
  });

  it("know what their heads know", async () => {
    const lease = await aClaimedRun(store);
    const unknown = asRunId("run_unknown");
    const [head, ...more] = await store.runs.heads([lease.runId, unknown]);
    const run = await store.runs.getRun(ADA, lease.runId);
    const { lastSeq, status, attempts, leaseOwner, fence, nextTryAt } = run;
    const shared = { lastSeq, status, attempts, leaseOwner, fence, nextTryAt };
    expect(head).toMatchObject({ runId: run.id, ...shared });
    expect(more).toEqual([]);
    expect(await store.runs.heads([])).toEqual([]);
  });

  it("give their calls without the results", async () => {
    const lease = await aClaimedRun(store);
    const other = await aClaimedRun(store);
    const events = [
      aNewEvent({ type: "text" }),
      aNewEvent({ type: "tool_start" }),
      aNewEvent({ type: "tool_done", result: { secret: 1 } }),
    ];
    await store.ledger.append({ lease, appendId: "app", events });
    const calls = await store.runs.listCallEvents([lease.runId, other.runId]);
    expect([...calls.keys()]).toEqual([lease.runId, other.runId]);
    expect(calls.get(other.runId)).toEqual([]);
    expect(calls.get(lease.runId)).toMatchObject([
      { seq: 3, type: "tool_start" },
      { seq: 4, type: "tool_done", result: null },
    ]);
  });

  it("make their thread the latest and name it once", async () => {
    const ownerId = asOwnerId("threads");
    const [first, second] = [asThreadId("thr_first"), asThreadId("thr_second")];
    await store.runs.createThread(ownerId, first);
    await store.runs.createThread(ownerId, second);
    const long = `  Email ${"x".repeat(200)}`;
    const asked = await aRequest(store, { ownerId, threadId: first, ...asks(long) });
    const { run } = await store.runs.createRun(asked);
    const threads = await store.runs.listThreads(ownerId, 10);
    expect(threads).toMatchObject([
      { id: first, activeRunId: run.id, lastRunStatus: "running", title: long.trim().slice(0, 80) },
      { id: second, activeRunId: null, lastRunStatus: null, title: "" },
    ]);
  });
});
