/** Whoever lost a run writes nothing more to it, by whatever verb. */
import { expect } from "vitest";
import type { Lease } from "../core/run-record.ts";
import type { Sketch } from "./builders.ts";
import { codeOf, LONG_MS, type Rule, type Scene } from "./contract-scene.ts";

/** What each verb that takes a lease says to its holder. */
async function answersTo(scene: Scene, lease: Lease): Promise<Readonly<Record<string, unknown>>> {
  const before = await scene.row(lease.runId);
  const append = await codeOf(scene.append(lease, { type: "text", text: "late" }));
  const end = await codeOf(scene.append(lease, { type: "run_done" }));
  const renew = await codeOf(scene.store.leases.renew(lease, LONG_MS * 2));
  const isCurrent = await scene.store.leases.isCurrent(lease);
  await scene.store.leases.release(lease);
  const after = await scene.row(lease.runId);
  const changed = JSON.stringify(steady(before)) !== JSON.stringify(steady(after));
  const extended = after.leaseLeftMs > LONG_MS;
  return { append, end, renew, isCurrent, changed, extended };
}

/** Without what time alone changes. */
function steady({ leaseLeftMs: _left, ...run }: Awaited<ReturnType<Scene["row"]>>) {
  return run;
}

const STALE = {
  append: "fence-stale",
  end: "fence-stale",
  renew: "fence-stale",
  isCurrent: false,
  changed: false,
  extended: false,
};
const CLOSED = { ...STALE, append: "ledger-closed", end: "ledger-closed" };

export function fenceRules(rule: Rule): void {
  rule(
    "every verb refuses an owner that was replaced, and the new one notices nothing",
    async (scene) => {
      const old = await scene.claimed();
      const current = await scene.takeOver(old);
      expect(await answersTo(scene, old)).toEqual(STALE);
      expect(await scene.append(current, { type: "text" })).toMatchObject({ firstSeq: 2 });
      expect(await scene.store.leases.isCurrent(current)).toBe(true);
    },
  );

  rule("every verb refuses an old fence although the owner's name is the same", async (scene) => {
    const old = await scene.claimed("worker-1");
    await scene.takeOver(old, "worker-1");
    expect(await answersTo(scene, old)).toEqual(STALE);
  });

  rule("every verb refuses the current fence in another owner's hand", async (scene) => {
    const lease = await scene.claimed("worker-1");
    expect(await answersTo(scene, { ...lease, owner: "worker-2" })).toEqual(STALE);
  });

  rule("every verb refuses an owner that gave the run back", async (scene) => {
    const lease = await scene.claimed();
    await scene.store.leases.release(lease);
    expect(await answersTo(scene, lease)).toEqual(STALE);
    const again = await scene.claim(lease.runId, "worker-1");
    await scene.append(again, { type: "attempt_ended" });
    expect(await answersTo(scene, again)).toEqual(STALE);
  });

  const ends: readonly Sketch[] = [
    { type: "run_done" },
    { type: "run_failed", resumable: true },
    { type: "run_failed", resumable: false },
    { type: "run_cancelled" },
    { type: "run_waiting" },
  ];
  for (const end of ends) {
    const name = "resumable" in end && end.resumable ? `resumable ${end.type}` : end.type;
    rule(`a ledger is closed after ${name}, which is no matter of the fence`, async (scene) => {
      const lease = await scene.claimed();
      await scene.append(lease, end);
      expect(await answersTo(scene, lease)).toEqual(CLOSED);
      expect(await scene.lines(lease.runId)).toHaveLength(2);
    });
  }

  rule("a replaced owner is told of the fence also when the run has ended since", async (scene) => {
    const old = await scene.claimed();
    await scene.append(await scene.takeOver(old), { type: "run_done" });
    expect(await answersTo(scene, old)).toEqual(STALE);
  });

  rule("a condition that fails is no excuse for a stale fence", async (scene) => {
    const old = await scene.claimed();
    await scene.append(await scene.takeOver(old), { type: "text" });
    const events = [{ type: "text", attempt: 1, text: "late" } as const];
    const request = { lease: old, appendId: scene.newId("app"), events, expectLastSeq: 1 };
    expect(await codeOf(scene.store.ledger.append(request))).toBe("fence-stale");
  });

  rule("an owner whose lease ran out writes on until somebody takes over", async (scene) => {
    const { id } = await scene.run();
    const lease = await scene.claim(id, "worker-1", 0);
    expect(await scene.append(lease, { type: "text" })).toMatchObject({ fenceCurrent: true });
    expect(await scene.store.leases.isCurrent(lease)).toBe(true);
    expect(await codeOf(scene.store.leases.renew(lease, LONG_MS))).toBe("done");
    expect(await scene.store.leases.claim(id, "worker-2", LONG_MS)).toBeUndefined();
  });

  rule(
    "of an append and a take-over at once either the append is stored or it is refused",
    async (scene) => {
      for (let round = 0; round < 5; round += 1) {
        const lease = await scene.claimed();
        await scene.store.leases.expireRun(lease.runId);
        const [code] = await Promise.all([
          codeOf(scene.append(lease, { type: "text", text: "raced" })),
          scene.peer.leases.claim(lease.runId, "worker-2", LONG_MS),
        ]);
        const stored = (await scene.lines(lease.runId)).length === 2;
        expect(code).toBe(stored ? "done" : "fence-stale");
      }
    },
  );
}
