/** What people ask of runs: a new one, the end of one, another go. */
import { expect } from "vitest";
import { AppError } from "../core/errors.ts";
import { asOwnerId } from "../core/ids.ts";
import type { Sketch } from "./builders.ts";
import { codeOf, type Rule } from "./contract-scene.ts";

/** The active run named by a refusal. */
async function busyWith(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError) || error.code !== "run-busy") throw error;
  return error.facts["runId"];
}

export function requestRules(rule: Rule): void {
  rule("a request becomes a run and its first event", async (scene) => {
    const faults = [{ at: "in_body", as: "process_lost", attempt: 2 }] as const;
    const asked = await scene.request({ clientToken: scene.newId("tok"), faults });
    const { run, created } = await scene.store.runs.createRun(asked);
    const { runId, ownerId, threadId, input, model } = asked;
    const { createdAt, leaseLeftMs, ...row } = run;
    expect({ created, ...row }).toEqual({
      ...{ created: true, id: runId, ownerId, threadId, input, model, faults },
      ...{ status: "running", attempts: 0, lastSeq: 1, fence: 0, leaseOwner: null },
      ...{ nextTryAt: null, cancelRequestedAt: null, resumable: false, endedAt: null },
    });
    expect(leaseLeftMs).toBeLessThanOrEqual(0);
    const at = (await scene.store.ledger.read(runId, 0, 10))[0]?.at ?? "";
    expect(Math.abs(Date.parse(at) - Date.parse(createdAt))).toBeLessThan(1_000);
    const first = { seq: 1, at, attempt: 0, type: "run_started", input };
    expect(await scene.store.ledger.read(runId, 0, 10)).toEqual([first]);
  });

  rule("a request sent twice makes one run, also when it has ended since", async (scene) => {
    const asked = await scene.request({ clientToken: scene.newId("tok") });
    const again = () => scene.store.runs.createRun({ ...asked, runId: scene.newRunId() });
    await scene.store.runs.createRun(asked);
    expect(await again()).toMatchObject({ created: false, run: { id: asked.runId } });
    await scene.append(await scene.claim(asked.runId, "worker-1"), { type: "run_done" });
    const ended = { created: false, run: { id: asked.runId, status: "done" } };
    expect(await again()).toMatchObject(ended);
  });

  rule("a request sent many times at once makes one run", async (scene) => {
    const asked = await scene.request({ clientToken: scene.newId("tok") });
    const answers = await Promise.all(
      [scene.store, scene.peer, scene.store, scene.peer].map(({ runs }) =>
        runs.createRun({ ...asked, runId: scene.newRunId() }),
      ),
    );
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(answers.map(({ run }) => run.id)).size).toBe(1);
    expect(await scene.store.runs.listThreadRuns(asked.threadId)).toHaveLength(1);
  });

  rule("a token of another request is a conflict", async (scene) => {
    const asked = await scene.request({ clientToken: scene.newId("tok") });
    const { run } = await scene.store.runs.createRun(asked);
    await scene.append(await scene.claim(run.id, "worker-1"), { type: "run_done" });
    const other = (more: object) =>
      codeOf(scene.store.runs.createRun({ ...asked, runId: scene.newRunId(), ...more }));
    const conflict = "idempotency-conflict";
    expect(await other({ input: { kind: "message", text: "Charge Ada" } })).toBe(conflict);
    expect(await other({ threadId: await scene.thread() })).toBe(conflict);
    expect(await other({ model: { temper: "forgets" } })).toBe(conflict);
  });

  rule("a token belongs to its owner", async (scene) => {
    const clientToken = scene.newId("tok");
    await scene.run({ clientToken });
    const ownerId = asOwnerId(scene.newId("eve"));
    const theirs = await scene.request({ clientToken, ownerId });
    const created = { created: true, run: { id: theirs.runId } };
    expect(await scene.store.runs.createRun(theirs)).toMatchObject(created);
  });

  rule("a thread has one run at work; a second request is told which", async (scene) => {
    const lease = await scene.waiting();
    const { threadId } = await scene.row(lease.runId);
    const next = () => scene.request({ threadId });
    expect(await busyWith(scene.store.runs.createRun(await next()))).toBe(lease.runId);
    await scene.store.ledger.settle({ runId: lease.runId, callId: "sent", outcome: "landed" });
    expect(await busyWith(scene.store.runs.createRun(await next()))).toBe(lease.runId);
    await scene.append(await scene.claim(lease.runId, "worker-1"), { type: "run_done" });
    expect(await scene.store.runs.createRun(await next())).toMatchObject({ created: true });
  });

  rule("of two different requests at once one gets the thread", async (scene) => {
    const threadId = await scene.thread();
    const asked = [await scene.request({ threadId }), await scene.request({ threadId })] as const;
    const codes = await Promise.all([
      codeOf(scene.store.runs.createRun(asked[0])),
      codeOf(scene.peer.runs.createRun(asked[1])),
    ]);
    expect(codes.sort()).toEqual(["done", "run-busy"]);
    expect(await scene.store.runs.listThreadRuns(threadId)).toHaveLength(1);
  });

  rule("a request needs a thread", async (scene) => {
    const asked = await scene.request();
    const elsewhere = { ...asked, threadId: scene.newId("thr") as typeof asked.threadId };
    expect(await codeOf(scene.store.runs.createRun(elsewhere))).toBe("thread-not-found");
  });
}

export function cancelRules(rule: Rule): void {
  rule("a cancel marks a run at work once and leaves it to its owner", async (scene) => {
    const lease = await scene.claimed();
    const first = await scene.store.runs.requestCancel(lease.runId);
    expect(first).toMatchObject({ status: "running", leaseOwner: "worker-1", fence: 1 });
    expect(first.cancelRequestedAt).not.toBeNull();
    const again = await scene.store.runs.requestCancel(lease.runId);
    expect(again.cancelRequestedAt).toBe(first.cancelRequestedAt);
    expect(await scene.lines(lease.runId)).toHaveLength(1);
  });

  rule("a cancel makes a waiting run due, so that somebody ends it", async (scene) => {
    const { runId } = await scene.waiting();
    const run = await scene.store.runs.requestCancel(runId);
    expect(run).toMatchObject({ status: "running", leaseOwner: null });
    const lease = await scene.claim(runId, "worker-2");
    await scene.append(lease, { type: "run_cancelled" });
    expect((await scene.row(runId)).status).toBe("cancelled");
  });

  rule("what has ended otherwise can't be cancelled", async (scene) => {
    const ends: readonly Sketch[] = [
      { type: "run_done" },
      { type: "run_failed", resumable: true },
      { type: "run_failed", resumable: false },
    ];
    for (const end of ends) {
      const { runId } = await scene.ended(end);
      expect(await codeOf(scene.store.runs.requestCancel(runId))).toBe("run-terminal");
    }
    const unknown = scene.store.runs.requestCancel(scene.newRunId());
    expect(await codeOf(unknown)).toBe("run-not-found");
  });

  rule("cancelling a cancelled run changes nothing", async (scene) => {
    const { runId } = await scene.ended({ type: "run_cancelled" });
    const before = await scene.row(runId);
    const { leaseLeftMs, ...again } = await scene.store.runs.requestCancel(runId);
    expect(again).toEqual({ ...before, leaseLeftMs: undefined });
    expect(leaseLeftMs).toBeLessThanOrEqual(0);
  });

  rule("of an end and a cancel at once the run ends once", async (scene) => {
    for (let round = 0; round < 5; round += 1) {
      const lease = await scene.claimed();
      const [ended] = await Promise.all([
        codeOf(scene.append(lease, { type: "run_done" })),
        codeOf(scene.peer.runs.requestCancel(lease.runId)),
      ]);
      expect(ended).toBe("done");
      expect((await scene.row(lease.runId)).status).toBe("done");
      expect(await scene.lines(lease.runId, 1)).toEqual(["2 run_done"]);
    }
  });
}

export function reopenRules(rule: Rule): void {
  rule("a failed, resumable run goes on: same run, same ledger, next fence", async (scene) => {
    const { runId } = await scene.ended({ type: "run_failed", resumable: true });
    const run = await scene.store.runs.reopen(runId);
    const due = { status: "running", attempts: 1, lastSeq: 4, endedAt: null, nextTryAt: null };
    expect(run).toMatchObject({ ...due, leaseOwner: null, resumable: false });
    const lease = await scene.claim(runId, "worker-2");
    expect(lease.fence).toBe(2);
    expect(await scene.append(lease, { type: "text" })).toMatchObject({ firstSeq: 5 });
  });

  rule("what ended for good is not opened again", async (scene) => {
    const ends: readonly Sketch[] = [
      { type: "run_done" },
      { type: "run_cancelled" },
      { type: "run_failed", resumable: false },
    ];
    for (const end of ends) {
      const { runId } = await scene.ended(end);
      expect(await codeOf(scene.store.runs.reopen(runId))).toBe("run-terminal");
    }
    expect(await codeOf(scene.store.runs.reopen(scene.newRunId()))).toBe("run-not-found");
  });

  rule("a run at work is not opened again, nor one whose thread has another", async (scene) => {
    const waiting = await scene.waiting();
    expect(await busyWith(scene.store.runs.reopen(waiting.runId))).toBe(waiting.runId);
    const { runId } = await scene.ended({ type: "run_failed", resumable: true });
    const { threadId } = await scene.row(runId);
    const other = await scene.run({ threadId });
    expect(await busyWith(scene.store.runs.reopen(runId))).toBe(other.id);
    expect((await scene.row(runId)).status).toBe("failed");
  });

  rule("opened twice at once, a run is opened once", async (scene) => {
    const { runId } = await scene.ended({ type: "run_failed", resumable: true });
    const codes = await Promise.all([
      codeOf(scene.store.runs.reopen(runId)),
      codeOf(scene.peer.runs.reopen(runId)),
    ]);
    expect(codes.sort()).toEqual(["done", "run-busy"]);
  });
}
