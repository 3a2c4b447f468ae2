/** Leases: one owner at a time, nobody before the time, nothing that waits or ended. */
import { expect } from "vitest";
import type { RunId } from "../core/ids.ts";
import type { Claimed } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import { codeOf, eventsOf, LONG_MS, type Rule, type Scene } from "./contract-scene.ts";

/** Takes all runs that other rules left due, so that a sweep sees this rule's alone. */
async function sweepAway(scene: Scene): Promise<void> {
  await scene.store.leases.claimDue("sweeper", LONG_MS, 100_000);
}

const idsOf = (claimed: readonly Claimed[]) => claimed.map(({ run }) => run.id);

/** Ends the attempt; the next one may begin in `nextTryInMs`. */
function handOver(scene: Scene, lease: Lease, nextTryInMs: number) {
  const events = eventsOf([{ type: "attempt_ended" }]);
  return scene.store.ledger.append({ lease, appendId: scene.newId("app"), events, nextTryInMs });
}

export function claimRules(rule: Rule): void {
  rule("a new run is due, and the claim is its first fence", async (scene) => {
    const run = await scene.run();
    const claimed = await scene.store.leases.claim(run.id, "worker-1", LONG_MS);
    const lease = { runId: run.id, owner: "worker-1", fence: 1 };
    expect(claimed?.lease).toEqual(lease);
    const { leaseLeftMs = 0, ...rest } = claimed?.run ?? {};
    const { leaseLeftMs: _before, ...before } = run;
    expect(rest).toEqual({ ...before, fence: 1, leaseOwner: "worker-1" });
    expect(leaseLeftMs).toBeGreaterThan(LONG_MS - 60_000);
    expect(leaseLeftMs).toBeLessThanOrEqual(LONG_MS);
  });

  rule("a run with a live lease is nobody else's", async (scene) => {
    const { runId } = await scene.claimed();
    expect(await scene.store.leases.claim(runId, "worker-2", LONG_MS)).toBeUndefined();
    expect(idsOf(await scene.store.leases.claimDue("worker-2", LONG_MS, 1_000))).not.toContain(
      runId,
    );
  });

  rule("a lease that ran out can be taken, with the next fence", async (scene) => {
    const { id } = await scene.run();
    await scene.claim(id, "worker-1", 0);
    const taken = await scene.store.leases.claim(id, "worker-2", LONG_MS);
    expect(taken?.lease).toEqual({ runId: id, owner: "worker-2", fence: 2 });
  });

  rule("of many claims at once one wins", async (scene) => {
    const { id } = await scene.run();
    const claims = Array.from({ length: 10 }, (_, i) => {
      const { leases } = i % 2 === 0 ? scene.store : scene.peer;
      return leases.claim(id, `worker-${i}`, LONG_MS);
    });
    const winners = (await Promise.all(claims)).filter((claimed) => claimed !== undefined);
    expect(winners.map(({ lease }) => lease.fence)).toEqual([1]);
    expect((await scene.row(id)).leaseOwner).toBe(winners[0]?.lease.owner);
  });

  rule(
    "a sweep takes as many as asked for, those whose lease ran out first first",
    async (scene) => {
      await sweepAway(scene);
      const ids: RunId[] = [];
      // Taken for less than no time, a lease ran out that long ago: no rule waits for a clock.
      for (const leaseMs of [-10_000, -30_000, -20_000]) {
        const { id } = await scene.run();
        await scene.claim(id, "worker-1", leaseMs);
        ids.push(id);
      }
      const sweep = async () => idsOf(await scene.store.leases.claimDue("worker-2", LONG_MS, 2));
      expect([await sweep(), await sweep(), await sweep()]).toEqual([
        [ids[1], ids[2]],
        [ids[0]],
        [],
      ]);
    },
  );

  rule("sweeps at once never take the same run", async (scene) => {
    await sweepAway(scene);
    const ids = [];
    for (let n = 0; n < 8; n += 1) ids.push((await scene.run()).id);
    const sweeps = [scene.store, scene.peer, scene.store, scene.peer].map(({ leases }, i) =>
      leases.claimDue(`worker-${i}`, LONG_MS, 3),
    );
    const taken = (await Promise.all(sweeps)).flatMap(idsOf);
    const left = idsOf(await scene.store.leases.claimDue("worker-9", LONG_MS, 100));
    expect([...taken, ...left].sort()).toEqual(ids.sort());
  });

  rule("nobody claims a run before its time", async (scene) => {
    await sweepAway(scene);
    const lease = await scene.claimed();
    await handOver(scene, lease, LONG_MS);
    expect(await scene.store.leases.claim(lease.runId, "worker-2", LONG_MS)).toBeUndefined();
    expect(await scene.store.leases.claimDue("worker-2", LONG_MS, 10)).toEqual([]);
  });

  rule("a run whose time has come is claimed, and the time is forgotten", async (scene) => {
    const lease = await scene.claimed();
    await handOver(scene, lease, 0);
    const claimed = await scene.store.leases.claim(lease.runId, "worker-2", LONG_MS);
    expect(claimed?.run).toMatchObject({ fence: 2, nextTryAt: null });
  });

  rule("a cancel is honoured before the time of the next attempt", async (scene) => {
    await sweepAway(scene);
    const one = await scene.claimed();
    const two = await scene.claimed();
    for (const lease of [one, two]) {
      await handOver(scene, lease, LONG_MS);
      await scene.store.runs.requestCancel(lease.runId);
    }
    expect(await codeOf(scene.claim(one.runId, "worker-2"))).toBe("done");
    expect(idsOf(await scene.store.leases.claimDue("worker-2", LONG_MS, 10))).toEqual([two.runId]);
  });

  rule("a run that waits or has ended is never claimed", async (scene) => {
    await sweepAway(scene);
    const waiting = await scene.waiting();
    const failed = await scene.ended({ type: "run_failed", resumable: true });
    const done = await scene.ended({ type: "run_done" });
    for (const { runId } of [waiting, failed, done]) {
      expect(await scene.store.leases.claim(runId, "worker-2", LONG_MS)).toBeUndefined();
    }
    expect(await scene.store.leases.claimDue("worker-2", LONG_MS, 10)).toEqual([]);
  });
}

const leaseLeft = async (scene: Scene, { runId }: Lease) => (await scene.row(runId)).leaseLeftMs;

export function renewRules(rule: Rule): void {
  rule("a renewal extends the lease and never shortens it", async (scene) => {
    const { id } = await scene.run();
    const lease = await scene.claim(id, "worker-1", LONG_MS);
    await scene.store.leases.renew(lease, LONG_MS * 2);
    expect(await leaseLeft(scene, lease)).toBeGreaterThan(LONG_MS);
    await scene.store.leases.renew(lease, 1);
    expect(await leaseLeft(scene, lease)).toBeGreaterThan(LONG_MS);
    expect((await scene.row(id)).fence).toBe(1);
  });

  rule("a release makes the run due at once and writes nothing", async (scene) => {
    const lease = await scene.claimed();
    await scene.store.leases.release(lease);
    const run = await scene.row(lease.runId);
    expect(run).toMatchObject({ status: "running", leaseOwner: null, lastSeq: 1 });
    expect(run.leaseLeftMs).toBeLessThanOrEqual(0);
    expect(await scene.claim(lease.runId, "worker-2")).toMatchObject({ fence: 2 });
  });

  rule("a run that was never made has no lease", async (scene) => {
    const lease = { runId: scene.newRunId(), owner: "worker-1", fence: 1 };
    const { leases } = scene.store;
    expect(await leases.claim(lease.runId, "worker-1", LONG_MS)).toBeUndefined();
    expect(await codeOf(leases.renew(lease, LONG_MS))).toBe("fence-stale");
    expect(await leases.isCurrent(lease)).toBe(false);
    expect(await codeOf(leases.release(lease))).toBe("done");
    expect(await codeOf(leases.expireRun(lease.runId))).toBe("done");
  });
}

export function expiryRules(rule: Rule): void {
  rule("the leases of a dead owner end, and nobody else's", async (scene) => {
    const owner = scene.newId("worker");
    const dead = [await scene.claimed(owner), await scene.claimed(owner)];
    const alive = await scene.claimed("worker-1");
    expect(await scene.store.leases.expireOwner(owner)).toBe(2);
    expect(await scene.store.leases.expireOwner(owner)).toBe(0);
    for (const { runId } of dead) {
      expect(await scene.claim(runId, "worker-2")).toMatchObject({ fence: 2 });
    }
    expect(await scene.store.leases.claim(alive.runId, "worker-2", LONG_MS)).toBeUndefined();
  });

  rule("all leases end at once", async (scene) => {
    await scene.store.leases.expireAll();
    const leases = [await scene.claimed("worker-1"), await scene.claimed("worker-2")];
    const waiting = await scene.waiting();
    expect(await scene.store.leases.expireAll()).toBe(2);
    for (const { runId } of leases) {
      expect(await scene.claim(runId, "worker-3")).toMatchObject({ fence: 2 });
    }
    expect(await scene.store.leases.claim(waiting.runId, "worker-3", LONG_MS)).toBeUndefined();
  });

  rule("one run's lease ends although its owner lives", async (scene) => {
    const lease = await scene.claimed();
    const other = await scene.claimed();
    await scene.store.leases.expireRun(lease.runId);
    expect(await scene.store.leases.isCurrent(lease)).toBe(true);
    expect(await scene.claim(lease.runId, "worker-2")).toMatchObject({ fence: 2 });
    expect(await scene.store.leases.claim(other.runId, "worker-2", LONG_MS)).toBeUndefined();
  });

  rule("a lease that is over does not come back with an expiry", async (scene) => {
    const { id } = await scene.run();
    await scene.claim(id, "worker-1", 0);
    const before = await scene.row(id);
    await scene.store.leases.expireRun(id);
    expect((await scene.row(id)).leaseLeftMs).toBeLessThanOrEqual(before.leaseLeftMs);
  });
}
