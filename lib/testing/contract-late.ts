/** Late outcomes: proof that arrives after its attempt, from whoever has it. */
import { expect } from "vitest";
import type { Lease } from "../core/run-record.ts";
import { aNewEvent, type Sketch } from "./builders.ts";
import { codeOf, type Rule, type Scene } from "./contract-scene.ts";

type DoneSketch = Extract<Sketch, { type: "tool_done" }>;

export function lateOutcome(scene: Scene, { runId }: Lease, more: Partial<DoneSketch> = {}) {
  const event = aNewEvent({ type: "tool_done", callId: "sent", late: true, ...more });
  return { runId, appendId: scene.newId("late"), event };
}

const STORED = "tool_done send_email #sent ok late";

export function lateRules(rule: Rule): void {
  rule(
    "the outcome of an open call is stored without a fence, whoever owns the run",
    async (scene) => {
      const old = await scene.claimed();
      await scene.append(old, { type: "attempt_started" }, { type: "tool_start", callId: "sent" });
      const current = await scene.takeOver(old);
      const late = await scene.store.ledger.appendLate(lateOutcome(scene, old));
      expect(late).toEqual({ kind: "stored", seq: 4 });
      const row = { status: "running", leaseOwner: "worker-2", fence: 2, lastSeq: 4 };
      expect(await scene.row(old.runId)).toMatchObject(row);
      // The gap tells the owner that something was stored beside it.
      expect(await scene.append(current, { type: "text" })).toMatchObject({ firstSeq: 5 });
    },
  );

  rule("a call that has an outcome gets no other one", async (scene) => {
    for (const outcome of ["ok", "failed"] as const) {
      const lease = await scene.claimed();
      const start = { type: "tool_start", callId: "sent" } as const;
      await scene.append(lease, start, { type: "tool_done", callId: "sent", outcome });
      const late = await scene.store.ledger.appendLate(lateOutcome(scene, lease));
      expect(late).toEqual({ kind: "known" });
      expect(await scene.lines(lease.runId)).toHaveLength(3);
    }
  });

  rule("an unknown outcome leaves its call open for a late one", async (scene) => {
    const lease = await scene.claimed();
    const start = { type: "tool_start", callId: "sent" } as const;
    await scene.append(lease, start, { type: "tool_done", callId: "sent", outcome: "unknown" });
    const { ledger } = scene.store;
    expect(await ledger.appendLate(lateOutcome(scene, lease))).toEqual({ kind: "stored", seq: 4 });
    expect(await ledger.appendLate(lateOutcome(scene, lease))).toEqual({ kind: "known" });
  });

  rule("a call that nobody started has no outcome", async (scene) => {
    const lease = await scene.claimed();
    const late = lateOutcome(scene, lease, { callId: "elsewhere" });
    expect(await scene.store.ledger.appendLate(late)).toEqual({ kind: "known" });
    expect(await scene.lines(lease.runId)).toHaveLength(1);
  });

  rule("the outcome of a settled call is stored once, as a contradiction", async (scene) => {
    const { ledger } = scene.store;
    const lease = await scene.waiting();
    await ledger.settle({ runId: lease.runId, callId: "asked", outcome: "absent" });
    const late = lateOutcome(scene, lease);
    expect(await ledger.appendLate(late)).toEqual({ kind: "contradiction", seq: 11 });
    expect(await ledger.appendLate(late)).toEqual({ kind: "contradiction", seq: 11 });
    expect(await ledger.appendLate(lateOutcome(scene, lease))).toEqual({ kind: "known" });
    expect(await scene.lines(lease.runId, 9)).toEqual([
      "10 tool_resolved #sent absent by person for #asked",
      `11 ${STORED}`,
    ]);
  });

  rule("a repeated late outcome is told what the first was told", async (scene) => {
    const lease = await scene.waiting();
    const late = lateOutcome(scene, lease);
    const first = await scene.store.ledger.appendLate(late);
    expect(first).toEqual({ kind: "stored", seq: 10 });
    expect(await scene.peer.ledger.appendLate(late)).toEqual(first);
  });

  rule("of two late outcomes at once one is stored", async (scene) => {
    const lease = await scene.waiting();
    const answers = await Promise.all([
      scene.store.ledger.appendLate(lateOutcome(scene, lease)),
      scene.peer.ledger.appendLate(lateOutcome(scene, lease)),
    ]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(["known", "stored"]);
    expect(await scene.lines(lease.runId, 9)).toEqual([`10 ${STORED}`]);
  });

  rule("a run that has ended takes a late outcome and stays as it is", async (scene) => {
    const ends: readonly Sketch[] = [
      { type: "run_done" },
      { type: "run_cancelled" },
      { type: "run_failed", resumable: true },
      { type: "run_failed", resumable: false },
    ];
    for (const end of ends) {
      const lease = await scene.ended(end);
      const before = await scene.row(lease.runId);
      const late = await scene.store.ledger.appendLate(lateOutcome(scene, lease));
      expect(late).toEqual({ kind: "stored", seq: 5 });
      const { leaseLeftMs, ...after } = await scene.row(lease.runId);
      expect(after).toEqual({ ...before, lastSeq: 5, leaseLeftMs: undefined });
      expect(leaseLeftMs).toBeLessThanOrEqual(0);
    }
  });

  rule("no late outcome belongs to a run that was never made", async (scene) => {
    const late = lateOutcome(scene, { runId: scene.newRunId(), owner: "x", fence: 1 });
    expect(await codeOf(scene.store.ledger.appendLate(late))).toBe("run-not-found");
  });
}
