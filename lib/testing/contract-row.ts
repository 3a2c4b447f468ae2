/** The run's row changes with the events that say so, in the same commit. */
import { expect } from "vitest";
import type { RunRecord } from "../core/run-record.ts";
import type { Sketch } from "./builders.ts";
import { LONG_MS, type Rule, type Scene } from "./contract-scene.ts";

async function after(scene: Scene, ...sketches: readonly Sketch[]): Promise<Partial<RunRecord>> {
  const lease = await scene.claimed();
  await scene.append(lease, ...sketches);
  const run = await scene.row(lease.runId);
  const { status, resumable, attempts, lastSeq, leaseOwner, nextTryAt } = run;
  const ended = { endedAt: run.endedAt === null ? null : "set" };
  return { status, resumable, attempts, lastSeq, leaseOwner, nextTryAt, ...ended };
}

const FREE = { leaseOwner: null, nextTryAt: null, attempts: 1, lastSeq: 3, resumable: false };

export function rowRules(rule: Rule): void {
  rule("an attempt that starts is counted and keeps the lease", async (scene) => {
    expect(await after(scene, { type: "attempt_started" })).toEqual({
      ...FREE,
      status: "running",
      lastSeq: 2,
      leaseOwner: "worker-1",
      endedAt: null,
    });
  });

  rule("an attempt that ends gives the run back", async (scene) => {
    const row = await after(scene, { type: "attempt_started" }, { type: "attempt_ended" });
    expect(row).toEqual({ ...FREE, status: "running", endedAt: null });
  });

  rule("an end and the status it means commit together", async (scene) => {
    const end = (sketch: Sketch) => after(scene, { type: "attempt_started" }, sketch);
    expect(await end({ type: "run_done" })).toEqual({ ...FREE, status: "done", endedAt: "set" });
    expect(await end({ type: "run_cancelled" })).toEqual({
      ...FREE,
      status: "cancelled",
      endedAt: "set",
    });
    expect(await end({ type: "run_waiting" })).toEqual({
      ...FREE,
      status: "waiting",
      endedAt: null,
    });
    for (const resumable of [true, false]) {
      expect(await end({ type: "run_failed", resumable })).toEqual({
        ...FREE,
        status: "failed",
        resumable,
        endedAt: "set",
      });
    }
  });

  rule("a refused append leaves the row as it was", async (scene) => {
    const old = await scene.claimed();
    await scene.takeOver(old);
    await scene.append(old, { type: "attempt_started" }, { type: "run_done" }).catch(() => {});
    const run = await scene.row(old.runId);
    const expected = { status: "running", attempts: 0, lastSeq: 1, fence: 2, endedAt: null };
    expect(run).toMatchObject({ ...expected, leaseOwner: "worker-2" });
  });

  rule("a hand-over names the earliest moment of the next attempt", async (scene) => {
    const lease = await scene.claimed();
    const events = [
      { type: "attempt_ended", attempt: 1, reason: "transport_error", detail: "Reset." } as const,
    ];
    const appendId = scene.newId("app");
    await scene.store.ledger.append({ lease, appendId, events, nextTryInMs: LONG_MS });
    const { nextTryAt } = await scene.row(lease.runId);
    const [, ended] = await scene.store.ledger.read(lease.runId, 0, 10);
    const pauseMs = Date.parse(nextTryAt ?? "") - Date.parse(ended?.at ?? "");
    expect(Math.abs(pauseMs - LONG_MS)).toBeLessThan(1_000);
  });
}
