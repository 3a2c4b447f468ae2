/**
 * What every store promises, said once: the suite runs against the one in memory, the embedded database and a
 * PostgreSQL server. Nothing here waits for time to pass; leases are ended by `expireRun`.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewEvent } from "../core/event.ts";
import { asOwnerId, asRunId, type RunId } from "../core/ids.ts";
import type { Effects, Leases, Ledger, Runs, Wakeups } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import { randomIds } from "../random-ids.ts";
import { aNewEvent } from "./builders.ts";
import { aClaimedRun, ADA, aRequest, aWaitingRun } from "./store-runs.ts";

export interface StoreUnderTest {
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly runs: Runs;
  readonly wakeups: Wakeups;
  readonly effects: Effects;
}

export interface StoreHarness {
  readonly store: StoreUnderTest;
  close(): Promise<void>;
}

/** Declares the suite for one kind of store. */
export function describeStoreContract(name: string, open: () => Promise<StoreHarness>): void {
  describe(name, () => {
    let harness: StoreHarness;
    const store = () => harness.store;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    describe("append", () => appendContract(store));
    describe("leases", () => leaseContract(store));
    describe("an open call", () => settleContract(store));
    describe("runs", () => runContract(store));
    describe("beside the ledger", () => besideContract(store));
  });
}

type Open = () => StoreUnderTest;

const text = (words: string): NewEvent => aNewEvent({ type: "text", text: words });
const done: NewEvent = aNewEvent({ type: "run_done" });

function append(
  store: StoreUnderTest,
  lease: Lease,
  events: readonly NewEvent[],
  more: { appendId?: string; expectLastSeq?: number; nextTryInMs?: number } = {},
) {
  return store.ledger.append({ lease, appendId: randomIds.appendId(), events, ...more });
}

const seqsOf = async (store: StoreUnderTest, runId: RunId) =>
  (await store.ledger.read(runId, 0, 1_000)).map(({ seq }) => seq);

async function takeOver(store: StoreUnderTest, lease: Lease): Promise<Lease> {
  await store.leases.expireRun(lease.runId);
  const claimed = await store.leases.claim(lease.runId, "other", 5_000);
  if (!claimed) throw new Error("an expired run is not due");
  return claimed.lease;
}

function appendContract(store: Open): void {
  test("numbers from 1 without gaps, also when appends come at once", async () => {
    const lease = await aClaimedRun(store());
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => append(store(), lease, [text(`${i}`), text("more")])),
    );
    expect(await seqsOf(store(), lease.runId)).toEqual(Array.from({ length: 41 }, (_, i) => i + 1));
  });

  test("sent again under its id it stores nothing, and tells where its events stand", async () => {
    const lease = await aClaimedRun(store());
    const first = await append(store(), lease, [text("a"), text("b")], { appendId: "once" });
    expect(first).toMatchObject({
      kind: "appended",
      firstSeq: 2,
      lastSeq: 3,
      repeated: false,
      fenceCurrent: true,
    });
    const again = await append(store(), lease, [text("a"), text("b")], { appendId: "once" });
    expect(again).toMatchObject({ firstSeq: 2, lastSeq: 3, repeated: true, fenceCurrent: true });
    await takeOver(store(), lease);
    const late = await append(store(), lease, [text("a"), text("b")], { appendId: "once" });
    expect(late).toMatchObject({ firstSeq: 2, repeated: true, fenceCurrent: false });
    expect(await seqsOf(store(), lease.runId)).toEqual([1, 2, 3]);
  });

  test("under an old fence it is refused as stale, on an ended run as closed", async () => {
    const lease = await aClaimedRun(store());
    const newer = await takeOver(store(), lease);
    await expect(append(store(), lease, [text("a")])).rejects.toMatchObject({
      code: "fence-stale",
    });
    await append(store(), newer, [done]);
    await expect(append(store(), newer, [text("a")])).rejects.toMatchObject({
      code: "ledger-closed",
    });
    expect(await seqsOf(store(), lease.runId)).toEqual([1, 2]);
  });

  test("an owner that gave the run back may not append, and a repeat of what gave it back is one", async () => {
    const lease = await aClaimedRun(store());
    const ended = aNewEvent({ type: "attempt_ended" });
    await append(store(), lease, [ended], { appendId: "end" });
    await expect(append(store(), lease, [text("a")])).rejects.toMatchObject({
      code: "fence-stale",
    });
    expect(await append(store(), lease, [ended], { appendId: "end" })).toMatchObject({
      repeated: true,
    });
  });

  test("with an expected last seq it stores nothing once something came between", async () => {
    const lease = await aClaimedRun(store());
    await append(store(), lease, [text("a")]);
    expect(await append(store(), lease, [text("b")], { expectLastSeq: 1 })).toEqual({
      kind: "moved",
      lastSeq: 2,
    });
    expect(await append(store(), lease, [text("b")], { expectLastSeq: 2 })).toMatchObject({
      kind: "appended",
    });
  });

  test.each<[NewEvent, string]>([
    [done, "done"],
    [aNewEvent({ type: "run_failed", resumable: false }), "failed"],
    [aNewEvent({ type: "run_cancelled" }), "cancelled"],
    [aNewEvent({ type: "run_waiting", heldCallIds: [] }), "waiting"],
  ])(
    "the event %o and the status commit together, and the lease is given back",
    async (event, status) => {
      const lease = await aClaimedRun(store());
      await append(store(), lease, [event]);
      expect(await store().runs.getRun(ADA, lease.runId)).toMatchObject({
        status,
        leaseOwner: null,
      });
    },
  );

  test("gives back exactly what it was given", async () => {
    const lease = await aClaimedRun(store());
    const result = {
      "10": "b",
      "9": "a",
      zip: "00123",
      nul: "\u0000",
      lone: "\ud800",
      big: "x".repeat(1_000_000),
      deep: [null, [1.5, -0.1]],
    };
    await append(store(), lease, [aNewEvent({ type: "tool_done", result })]);
    const [, event] = await store().ledger.read(lease.runId, 0, 10);
    expect(JSON.stringify((event as { result?: unknown }).result)).toBe(JSON.stringify(result));
  });

  test("reads on after a seq, in the order of numbers and not of text", async () => {
    const lease = await aClaimedRun(store());
    await append(
      store(),
      lease,
      Array.from({ length: 11 }, (_, i) => text(`${i}`)),
    );
    expect((await store().ledger.read(lease.runId, 9, 10)).map(({ seq }) => seq)).toEqual([
      10, 11, 12,
    ]);
    expect((await store().ledger.read(lease.runId, 0, 2)).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(await store().ledger.read(lease.runId, 99, 2)).toEqual([]);
  });

  test("a run that is not there is said to be so", async () => {
    const lease = { runId: asRunId("run_none"), owner: "x", fence: 1 };
    await expect(append(store(), lease, [text("a")])).rejects.toMatchObject({
      code: "run-not-found",
    });
  });
}

function leaseContract(store: Open): void {
  test("a run has one owner, and each change of owner grows the fence", async () => {
    const lease = await aClaimedRun(store());
    expect(await store().leases.claim(lease.runId, "other", 5_000)).toBeUndefined();
    const newer = await takeOver(store(), lease);
    expect(newer.fence).toBe(lease.fence + 1);
    expect([await store().leases.isCurrent(lease), await store().leases.isCurrent(newer)]).toEqual([
      false,
      true,
    ]);
  });

  test("a stale owner can neither renew nor release", async () => {
    const lease = await aClaimedRun(store());
    const newer = await takeOver(store(), lease);
    await expect(store().leases.renew(lease, 5_000)).rejects.toMatchObject({ code: "fence-stale" });
    await store().leases.release(lease);
    expect(await store().leases.isCurrent(newer)).toBe(true);
  });

  test("renewing never shortens a lease", async () => {
    const lease = await aClaimedRun(store());
    await store().leases.renew(lease, 600_000);
    await store().leases.renew(lease, 1);
    const [head] = await store().runs.heads([lease.runId]);
    expect(head?.leaseLeftMs).toBeGreaterThan(500_000);
  });

  test("nobody claims a run before its time, except to cancel it", async () => {
    const lease = await aClaimedRun(store());
    await append(store(), lease, [aNewEvent({ type: "attempt_ended" })], { nextTryInMs: 600_000 });
    expect(await store().leases.claim(lease.runId, "other", 5_000)).toBeUndefined();
    await store().runs.requestCancel(lease.runId);
    expect(
      (await store().leases.claim(lease.runId, "other", 5_000))?.run.cancelRequestedAt,
    ).not.toBeNull();
  });

  test("a sweep takes due runs up to its limit, and no waiting or ended one", async () => {
    const waiting = await aWaitingRun(store());
    const due = await Promise.all([aRequest(store()), aRequest(store()), aRequest(store())]);
    for (const request of due) await store().runs.createRun(request);
    const wanted = new Set(due.map(({ runId }) => runId));
    const taken: RunId[] = [];
    for (;;) {
      const claimed = await store().leases.claimDue("sweeper", 5_000, 2);
      expect(claimed.length).toBeLessThanOrEqual(2);
      if (claimed.length === 0) break;
      taken.push(...claimed.map(({ run }) => run.id));
    }
    expect(taken.filter((id) => wanted.has(id)).sort()).toEqual([...wanted].sort());
    expect(taken).not.toContain(waiting.runId);
  });

  test("the leases of a dead owner end at once, and of nobody else", async () => {
    const dead = await aClaimedRun(store(), "dead-1");
    const alive = await aClaimedRun(store(), "alive-1");
    expect(await store().leases.expireOwner("dead-1")).toBe(1);
    expect(await store().leases.claim(dead.runId, "other", 5_000)).toBeDefined();
    expect(await store().leases.claim(alive.runId, "other", 5_000)).toBeUndefined();
  });
}

function settleContract(store: Open): void {
  const answer = (
    runId: RunId,
    callId: string,
    outcome: "landed" | "absent" | "again",
    more: { seenSeq?: number } = {},
  ) => store().ledger.settle({ runId, callId, outcome, ...more });
  const late = (runId: RunId, callId = "sent", appendId = randomIds.appendId()) =>
    store().ledger.appendLate({
      runId,
      appendId,
      event: aNewEvent({ type: "tool_done", callId, late: true }),
    });

  test.each(["sent", "asked"])(
    "is settled by the first answer, named as %s, and the run is due",
    async (callId) => {
      const { runId } = await aWaitingRun(store());
      const { run } = await answer(runId, callId, "landed");
      expect(run.status).toBe("running");
      const events = await store().ledger.read(runId, 0, 100);
      expect(events.at(-1)).toMatchObject({
        type: "tool_resolved",
        callId: "sent",
        heldCallId: "asked",
        outcome: "landed",
        by: "person",
      });
      expect(await store().leases.claim(runId, "next", 5_000)).toBeDefined();
    },
  );

  test("takes no answer while the run works, of no such call, or by who saw less", async () => {
    const { runId } = await aWaitingRun(store());
    await expect(answer(runId, "nothing", "landed")).rejects.toMatchObject({
      code: "call-not-found",
    });
    await expect(answer(runId, "sent", "landed", { seenSeq: 2 })).rejects.toMatchObject({
      code: "call-settled",
    });
    await answer(runId, "sent", "absent");
    await expect(answer(runId, "sent", "landed")).rejects.toMatchObject({ code: "run-busy" });
  });

  test("that nobody asked for again can be settled on an ended run, but not run once more", async () => {
    const lease = await aClaimedRun(store());
    await append(store(), lease, [aNewEvent({ type: "tool_start", callId: "sent" }), done]);
    await expect(answer(lease.runId, "sent", "again")).rejects.toMatchObject({
      code: "call-not-held",
    });
    expect((await answer(lease.runId, "sent", "landed")).run.status).toBe("done");
    await expect(answer(lease.runId, "sent", "absent")).rejects.toMatchObject({
      code: "call-settled",
    });
  });

  test("takes a late outcome from anybody, once, and the waiting run goes on", async () => {
    const { runId } = await aWaitingRun(store());
    const appendId = randomIds.appendId();
    const stored = await late(runId, "sent", appendId);
    expect(stored).toMatchObject({ kind: "stored" });
    expect(await late(runId, "sent", appendId)).toEqual(stored);
    expect(await late(runId)).toEqual({ kind: "known" });
    expect((await store().runs.getRun(ADA, runId)).status).toBe("running");
  });

  test("that was settled keeps a late outcome as a contradiction", async () => {
    const { runId } = await aWaitingRun(store());
    await answer(runId, "sent", "absent");
    expect(await late(runId)).toMatchObject({ kind: "contradiction" });
    expect(await late(runId)).toEqual({ kind: "known" });
  });

  test("a call that was never started takes no late outcome", async () => {
    const lease = await aClaimedRun(store());
    expect(await late(lease.runId, "never")).toEqual({ kind: "known" });
    expect(await seqsOf(store(), lease.runId)).toEqual([1]);
  });
}

function runContract(store: Open): void {
  test("the same request is the same run, also twice at once; another one under its token is refused", async () => {
    const request = { ...(await aRequest(store())), clientToken: randomIds.appendId() };
    const created = await Promise.all([
      store().runs.createRun(request),
      store().runs.createRun({ ...request, runId: randomIds.runId() }),
    ]);
    expect(new Set(created.map(({ run }) => run.id)).size).toBe(1);
    expect(created.filter((each) => each.created)).toHaveLength(1);
    const other = {
      ...request,
      runId: randomIds.runId(),
      input: { kind: "message", text: "else" } as const,
    };
    await expect(store().runs.createRun(other)).rejects.toMatchObject({
      code: "idempotency-conflict",
    });
  });

  test("a thread has one active run, and the refusal names it", async () => {
    const request = await aRequest(store());
    await store().runs.createRun(request);
    const second = { ...request, runId: randomIds.runId() };
    await expect(store().runs.createRun(second)).rejects.toMatchObject({
      code: "run-busy",
      facts: { runId: request.runId },
    });
  });

  test("belong to their owner, and so do tokens", async () => {
    const bob = asOwnerId("bob");
    const clientToken = randomIds.appendId();
    const request = { ...(await aRequest(store())), clientToken };
    const { run } = await store().runs.createRun(request);
    await expect(store().runs.getRun(bob, run.id)).rejects.toMatchObject({ code: "run-not-found" });
    await expect(store().runs.getThread(bob, run.threadId)).rejects.toMatchObject({
      code: "thread-not-found",
    });
    await expect(
      store().runs.createRun({ ...request, runId: randomIds.runId(), ownerId: bob }),
    ).rejects.toMatchObject({ code: "thread-not-found" });
    const own = await store().runs.createRun({
      ...(await aRequest(store(), { ownerId: bob })),
      clientToken,
    });
    expect(own.created).toBe(true);
  });

  test("come in pages, newest first, each once, filtered by state and words", async () => {
    const owner = asOwnerId(randomIds.appendId());
    const texts = ["one apple", "two pears", "three apples", "100% apple_s"];
    const ids: RunId[] = [];
    for (const words of texts) {
      const request = await aRequest(store(), {
        ownerId: owner,
        input: { kind: "message", text: words },
      });
      ids.push((await store().runs.createRun(request)).run.id);
    }
    const pages: RunId[] = [];
    let cursor: string | null = null;
    do {
      const page = await store().runs.listRuns({
        ownerId: owner,
        limit: 3,
        ...(cursor !== null && { cursor }),
      });
      pages.push(...page.runs.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== null);
    expect(pages).toEqual([...ids].reverse());
    const found = await store().runs.listRuns({
      ownerId: owner,
      limit: 10,
      text: "apple",
      status: "running",
    });
    expect(found.runs.map(({ id }) => id)).toEqual([ids[3], ids[2], ids[0]]);
    expect(
      (await store().runs.listRuns({ ownerId: owner, limit: 10, text: "%" })).runs,
    ).toHaveLength(1);
    await expect(
      store().runs.listRuns({ ownerId: owner, limit: 3, cursor: "x y" }),
    ).rejects.toMatchObject({ code: "invalid-cursor" });
  });

  test("a cancel marks a working run and makes a waiting one due; an ended one refuses it", async () => {
    const lease = await aClaimedRun(store());
    await store().runs.requestCancel(lease.runId);
    expect(await append(store(), lease, [text("a")])).toMatchObject({ cancelRequested: true });
    expect(await store().leases.renew(lease, 5_000)).toEqual({ cancelRequested: true });
    const waiting = await aWaitingRun(store());
    await store().runs.requestCancel(waiting.runId);
    expect(await store().leases.claim(waiting.runId, "next", 5_000)).toBeDefined();
    await append(store(), lease, [done]);
    await expect(store().runs.requestCancel(lease.runId)).rejects.toMatchObject({
      code: "run-terminal",
    });
  });

  test("a failed run that may go on is opened again, one that failed for good is not", async () => {
    const lease = await aClaimedRun(store());
    await append(store(), lease, [aNewEvent({ type: "run_failed", resumable: true })]);
    expect((await store().runs.reopen(lease.runId)).status).toBe("running");
    expect(await store().leases.claim(lease.runId, "next", 5_000)).toBeDefined();
    const dead = await aClaimedRun(store());
    await append(store(), dead, [aNewEvent({ type: "run_failed", resumable: false })]);
    await expect(store().runs.reopen(dead.runId)).rejects.toMatchObject({ code: "run-terminal" });
  });
}

function besideContract(store: Open): void {
  test("a watcher is woken with the head after a commit, until it stops", async () => {
    const lease = await aClaimedRun(store());
    const seen: number[] = [];
    const stop = store().wakeups.watch(lease.runId, ({ lastSeq }) => seen.push(lastSeq));
    await append(store(), lease, [text("a")]);
    await expect.poll(() => seen.at(-1)).toBe(2);
    stop();
    expect(store().wakeups.status().watchedRuns).toBe(0);
  });

  test("the world takes an effect once by its key where the action asks for it", async () => {
    const effect = {
      runId: randomIds.runId(),
      action: "charge",
      input: { a: 1 },
      idempotencyKey: randomIds.appendId(),
    };
    const first = await store().effects.record(effect, { onceByKey: true });
    const second = await store().effects.record(effect, { onceByKey: true });
    expect([first.repeated, second.repeated, second.effect.id === first.effect.id]).toEqual([
      false,
      true,
      true,
    ]);
    const mail = { ...effect, idempotencyKey: randomIds.appendId() };
    await store().effects.record(mail);
    await store().effects.record(mail);
    expect(await store().effects.list({ runId: effect.runId, limit: 10 })).toHaveLength(3);
  });
}
