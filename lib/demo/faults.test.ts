import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { asRunId } from "../core/ids.ts";
import { FAULT_KINDS, type Fault, type FaultKind, type FaultPoint } from "../core/run-record.ts";
import type { AttemptControl, BoundaryPlace } from "../runtime/boundary.ts";
import { interruptionOf } from "../runtime/interruption.ts";
import { silentLog } from "../testing/silent-log.ts";
import { createFaultPlans } from "./faults.ts";

const RUN = asRunId("run_1");

/** Fault plans over recorded controls. `acts`: what was done to whom, in order. */
function sceneOf(faults: readonly Fault[], attempts: readonly number[] = [1]) {
  const acts: string[] = [];
  const controls = attempts.map((attempt): AttemptControl => ({
    runId: RUN,
    attempt,
    faults,
    stop: (reason) => void acts.push(`${attempt} stop ${reason}`),
    cut: (reason) => void acts.push(`${attempt} cut ${reason}`),
    die: () => void acts.push(`${attempt} die`),
  }));
  const plans = createFaultPlans({
    controls: (runId) => (runId === RUN ? controls : []),
    takeOver: (runId) => {
      acts.push(`take over ${runId}`);
      return Promise.resolve();
    },
    kill: () => void acts.push("kill"),
    log: silentLog,
  });
  /** How the boundary ended: it returned, it threw, or it never came back. */
  const reach = async (point: FaultPoint, more: Partial<BoundaryPlace> = {}) => {
    const place = { point, runId: RUN, attempt: 1, ...more };
    const never = new Promise<string>((resolve) => setImmediate(() => resolve("never returned")));
    return Promise.race([
      plans.boundary(place).then(
        () => "returned",
        (error: unknown) => error,
      ),
      never,
    ]);
  };
  return { acts, plans, reach };
}

describe("each kind acts through what the runtime offers", () => {
  test.each<[FaultKind, string[], string]>([
    ["soft_timeout", ["1 stop soft_timeout"], "returned"],
    ["gateway_timeout", ["1 cut gateway_timeout"], "returned"],
    ["transport_error", ["1 cut transport_error"], "returned"],
    ["lease_lost", ["take over run_1"], "returned"],
    ["process_lost", ["1 die"], "never returned"],
    ["process_killed", ["kill"], "never returned"],
  ])("%s around a call", async (as, acts, ended) => {
    const scene = sceneOf([{ at: "in_body", as }]);
    expect(await scene.reach("in_body")).toBe(ended);
    expect(scene.acts).toEqual(acts);
  });

  test.each(["in_text", "in_arguments"] as const)(
    "%s breaks the stream as a gateway does",
    async (at) => {
      const { acts, reach } = sceneOf([{ at, as: "gateway_timeout" }]);
      const error = await reach(at);
      expect(APICallError.isInstance(error)).toBe(true);
      expect(interruptionOf(error)).toMatchObject({ kind: "cut", reason: "gateway_timeout" });
      expect(acts).toEqual([]);
    },
  );

  test.each(["in_text", "in_arguments"] as const)(
    "%s breaks the stream as a socket does",
    async (at) => {
      const { reach } = sceneOf([{ at, as: "transport_error" }]);
      expect(interruptionOf(await reach(at))).toMatchObject({
        kind: "cut",
        reason: "transport_error",
      });
    },
  );
});

describe("where it fires", () => {
  const cut = (more: Partial<Fault>): Fault => ({
    at: "after_done",
    as: "gateway_timeout",
    ...more,
  });

  test("only at its point, its action and its attempt", async () => {
    const { acts, reach } = sceneOf([cut({ action: "send_email", attempt: 2 })], [1, 2]);
    await reach("after_done", { attempt: 1, action: "send_email" });
    await reach("after_effect", { attempt: 2, action: "send_email" });
    await reach("after_done", { attempt: 2, action: "charge_card" });
    expect(acts).toEqual([]);
    await reach("after_done", { attempt: 2, action: "send_email" });
    expect(acts).toEqual(["2 cut gateway_timeout"]);
  });

  test("the n-th time that it is reached, and never again", async () => {
    const { acts, reach } = sceneOf([cut({ action: "send_email", nth: 2 })]);
    const seen: number[] = [];
    for (const action of ["send_email", "charge_card", "send_email", "send_email", "send_email"]) {
      await reach("after_done", { action });
      seen.push(acts.length);
    }
    expect(seen).toEqual([0, 0, 1, 1, 1]);
  });

  test("each fault of a plan counts for itself", async () => {
    const { acts, reach } = sceneOf([cut({}), cut({ nth: 2, as: "soft_timeout" })]);
    await reach("after_done");
    await reach("after_done");
    expect(acts).toEqual(["1 cut gateway_timeout", "1 stop soft_timeout"]);
  });

  test("in the model's text whatever action it names: there is no call yet", async () => {
    const { reach } = sceneOf([{ at: "in_text", as: "gateway_timeout", action: "send_email" }]);
    expect(await reach("in_text")).toBeInstanceOf(APICallError);
  });

  test("not on a run without a live attempt", async () => {
    const { acts, reach } = sceneOf([cut({})]);
    expect(await reach("after_done", { runId: asRunId("run_2") })).toBe("returned");
    expect(await reach("after_done", { attempt: 7 })).toBe("returned");
    expect(acts).toEqual([]);
  });
});

describe("cut now", () => {
  test.each(FAULT_KINDS)("by %s cuts the newest attempt and answers", async (as) => {
    const { acts, plans } = sceneOf([], [1, 2]);
    expect(await plans.cutNow(RUN, as)).toBe(true);
    expect(acts).toHaveLength(1);
    expect(acts[0]).toMatch(/^(2 |take over|kill)/);
  });

  test("says when there is nothing to cut", async () => {
    const { plans } = sceneOf([]);
    expect(await plans.cutNow(asRunId("run_2"), "soft_timeout")).toBe(false);
  });
});

test("a takeover that the database refuses does not throw into the attempt", async () => {
  const control: AttemptControl = {
    runId: RUN,
    attempt: 1,
    faults: [{ at: "in_body", as: "lease_lost" }],
    stop: () => undefined,
    cut: () => undefined,
    die: () => undefined,
  };
  const { boundary } = createFaultPlans({
    controls: () => [control],
    takeOver: () => Promise.reject(new Error("the database is away")),
    kill: () => undefined,
    log: silentLog,
  });
  await expect(boundary({ point: "in_body", runId: RUN, attempt: 1 })).resolves.toBeUndefined();
});
