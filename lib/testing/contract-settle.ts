/** A person's settlements: the first one wins, and the last awaited one wakes the run. */
import { expect } from "vitest";
import type { Settlement } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import { lateOutcome } from "./contract-late.ts";
import { codeOf, type HeldShape, type Rule, type Scene } from "./contract-scene.ts";

type Answer = Omit<Settlement, "runId">;

const answer = (scene: Scene, { runId }: Lease, more: Partial<Answer> = {}) =>
  scene.store.ledger.settle({ runId, callId: "asked", outcome: "absent", ...more });

export function settleRules(rule: Rule): void {
  rule("an answer names the open and the held call, whichever it was given for", async (scene) => {
    for (const callId of ["asked", "sent"]) {
      const lease = await scene.waiting();
      const result = { id: "mail_1", note: "seen in the outbox\u0000" };
      const { seq } = await answer(scene, lease, { callId, outcome: "landed", result });
      const [resolved] = await scene.store.ledger.read(lease.runId, 9, 10);
      expect(resolved).toEqual({
        seq,
        at: resolved?.at,
        attempt: 2,
        type: "tool_resolved",
        callId: "sent",
        heldCallId: "asked",
        by: "person",
        outcome: "landed",
        result,
      });
    }
  });

  rule("the first answer wins, and the second is told so", async (scene) => {
    const held = [
      { asked: "asked", sent: "sent" },
      { asked: "other", sent: "sent_too" },
    ];
    const lease = await scene.waiting(held);
    await answer(scene, lease, { outcome: "landed", reason: "She wrote back." });
    const again = { callId: "sent", outcome: "absent" } as const;
    expect(await codeOf(answer(scene, lease, again))).toBe("call-settled");
    const after = await scene.lines(lease.runId, 11);
    expect(after).toEqual(["12 tool_resolved #sent landed by person for #asked"]);
  });

  rule("of two answers at once one is stored", async (scene) => {
    const lease = await scene.waiting();
    const codes = await Promise.all([
      codeOf(answer(scene, lease, { outcome: "landed" })),
      codeOf(scene.peer.ledger.settle({ runId: lease.runId, callId: "sent", outcome: "absent" })),
    ]);
    // The first stands, and the second is told so although the run is at work by then.
    expect(codes.sort()).toEqual(["call-settled", "done"]);
    expect(await scene.lines(lease.runId, 9)).toHaveLength(1);
  });

  rule("an answer to an older state is refused", async (scene) => {
    const lease = await scene.waiting();
    // The hold stands at seq 8; what came after it is not about the call.
    expect(await codeOf(answer(scene, lease, { seenSeq: 7 }))).toBe("call-settled");
    expect(await scene.lines(lease.runId, 9)).toEqual([]);
    expect(await codeOf(answer(scene, lease, { seenSeq: 8 }))).toBe("done");
  });

  rule("only a held call can be told to run again", async (scene) => {
    const lease = await scene.ended({ type: "run_failed", resumable: true });
    const again = { callId: "sent", outcome: "again" } as const;
    expect(await codeOf(answer(scene, lease, again))).toBe("call-not-held");
    const held = await scene.waiting();
    expect(await codeOf(answer(scene, held, { outcome: "again" }))).toBe("done");
    expect(await scene.lines(held.runId, 9)).toEqual([
      "10 tool_resolved #sent again by person for #asked",
    ]);
  });

  rule(
    "a run that has ended takes an answer about an open call and stays as it is",
    async (scene) => {
      for (const type of ["run_done", "run_cancelled", "run_failed"] as const) {
        const lease = await scene.ended({ type });
        const before = await scene.row(lease.runId);
        const { seq, run } = await answer(scene, lease, { callId: "sent", outcome: "landed" });
        expect({ seq, status: run.status }).toEqual({ seq: 5, status: before.status });
        expect(await scene.lines(lease.runId, 4)).toEqual([
          "5 tool_resolved #sent landed by person",
        ]);
      }
    },
  );

  rule("a call that has an outcome needs no answer", async (scene) => {
    const lease = await scene.ended({ type: "run_done" });
    await scene.store.ledger.appendLate(lateOutcome(scene, lease));
    expect(await codeOf(answer(scene, lease, { callId: "sent" }))).toBe("call-settled");
  });

  rule("nobody answers for a run at work, an unknown call or an unknown run", async (scene) => {
    const lease = await scene.claimed();
    await scene.append(lease, { type: "tool_start", callId: "sent" });
    expect(await codeOf(answer(scene, lease, { callId: "sent" }))).toBe("run-busy");
    const waiting = await scene.waiting();
    expect(await codeOf(answer(scene, waiting, { callId: "nobody" }))).toBe("call-not-found");
    const unknown = { ...lease, runId: scene.newRunId() };
    expect(await codeOf(answer(scene, unknown))).toBe("run-not-found");
  });

  rule("an answer and a late outcome at once leave one settlement at most", async (scene) => {
    for (let round = 0; round < 5; round += 1) {
      const lease = await scene.waiting();
      const [late, settled] = await Promise.all([
        scene.peer.ledger.appendLate(lateOutcome(scene, lease)),
        codeOf(answer(scene, lease)),
      ]);
      const types = (await scene.store.ledger.read(lease.runId, 9, 10)).map(({ type }) => type);
      if (late.kind === "stored") {
        expect({ settled, types }).toEqual({ settled: "call-settled", types: ["tool_done"] });
      } else {
        expect(late.kind).toBe("contradiction");
        expect({ settled, types }).toEqual({
          settled: "done",
          types: ["tool_resolved", "tool_done"],
        });
      }
    }
  });
}

const TWO: readonly HeldShape[] = [
  { asked: "asked_1", sent: "sent_1" },
  { asked: "asked_2", sent: "sent_2" },
];
const BEHIND: readonly HeldShape[] = [
  { asked: "asked", sent: "sent" },
  { asked: "next", sent: "sent", behind: "asked" },
];

export function wakeRules(rule: Rule): void {
  rule("the answer that closes the last awaited call makes the run due", async (scene) => {
    const lease = await scene.waiting();
    const { run } = await answer(scene, lease);
    const due = { status: "running", leaseOwner: null, nextTryAt: null, fence: 2, lastSeq: 10 };
    expect(run).toMatchObject(due);
    const { leaseLeftMs: _left, ...row } = await scene.row(lease.runId);
    expect(run).toMatchObject(row);
    expect(await scene.claim(lease.runId, "worker-2")).toMatchObject({ fence: 3 });
  });

  rule("a run waits on while one of its calls is open", async (scene) => {
    const lease = await scene.waiting(TWO);
    const { run } = await answer(scene, lease, { callId: "asked_2" });
    expect(run.status).toBe("waiting");
    const { run: woken } = await answer(scene, lease, { callId: "sent_1", outcome: "landed" });
    expect(woken.status).toBe("running");
  });

  rule("a late outcome wakes the run when it closes the last awaited call", async (scene) => {
    const lease = await scene.waiting(TWO);
    const { ledger } = scene.store;
    await ledger.appendLate(lateOutcome(scene, lease, { callId: "sent_1" }));
    expect((await scene.row(lease.runId)).status).toBe("waiting");
    await ledger.appendLate(lateOutcome(scene, lease, { callId: "sent_2", outcome: "failed" }));
    expect(await scene.row(lease.runId)).toMatchObject({ status: "running", leaseOwner: null });
    expect(await scene.claim(lease.runId, "worker-2")).toMatchObject({ fence: 3 });
  });

  rule("answers and late outcomes close the awaited calls together", async (scene) => {
    const lease = await scene.waiting(TWO);
    const late = lateOutcome(scene, lease, { callId: "sent_1" });
    await Promise.all([
      scene.peer.ledger.appendLate(late),
      answer(scene, lease, { callId: "asked_2" }),
    ]);
    expect((await scene.row(lease.runId)).status).toBe("running");
  });

  rule("a late outcome of a call that nobody waits for wakes nothing", async (scene) => {
    const lease = await scene.claimed();
    const starts = ["sent", "beside"].map((callId) => ({ type: "tool_start", callId }) as const);
    const held = { type: "tool_held", callId: "asked", originalSeq: 2 } as const;
    await scene.append(lease, ...starts, held, { type: "run_waiting", heldCallIds: ["asked"] });
    const late = lateOutcome(scene, lease, { callId: "beside" });
    expect(await scene.store.ledger.appendLate(late)).toMatchObject({ kind: "stored" });
    expect((await scene.row(lease.runId)).status).toBe("waiting");
  });

  rule("a call that waits behind another is free with it", async (scene) => {
    for (const callId of ["asked", "next", "sent"]) {
      const lease = await scene.waiting(BEHIND);
      const { run } = await answer(scene, lease, { callId, outcome: "landed" });
      const [resolved] = await scene.store.ledger.read(lease.runId, run.lastSeq - 1, 1);
      expect(resolved).toMatchObject({ type: "tool_resolved", callId: "sent" });
      expect(run.status).toBe("running");
    }
  });
}
