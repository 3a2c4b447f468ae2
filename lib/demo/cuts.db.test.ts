/**
 * The demo agent on real databases, cut at every named point in every way that leaves the process alive, with every
 * temper of interest: what the world received is counted in its own table, which no part of the loop reads.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { asOwnerId, type RunId } from "../core/ids.ts";
import { DEFAULT_LIMITS, type Limits } from "../core/limits.ts";
import { FAULT_POINTS, type Fault, type FaultKind, type Temper } from "../core/run-record.ts";
import { randomIds } from "../random-ids.ts";
import { createRunner, type Runner, type VerbDeps } from "../runtime/runner.ts";
import { resolveCall } from "../runtime/resolve-call.ts";
import { startRun } from "../runtime/start-run.ts";
import type { Store } from "../store/store.ts";
import { silentLog } from "../testing/silent-log.ts";
import { storyOf } from "../testing/transcript.ts";
import { makeStorePlace, STORE_KINDS, type StorePlace } from "../testing/test-stores.ts";
import { createDemo } from "./demo.ts";
import { createFaultPlans } from "./faults.ts";

const LOCAL = asOwnerId("local");
const REQUEST =
  "Email ada@example.com the March report and open a ticket about it, then charge customer 42 20 euros";
const WANTED = ["send_email", "create_ticket", "charge_card"];
const KINDS: readonly FaultKind[] = [
  "soft_timeout",
  "gateway_timeout",
  "transport_error",
  "lease_lost",
  "process_lost",
];
const TEMPERS: readonly Temper[] = ["heeds", "forgets", "rewords", "reorders"];

const limits: Limits = {
  ...DEFAULT_LIMITS,
  leaseMs: 300,
  renewEveryMs: 60,
  sweepEveryMs: 30,
  startFreshMs: 100,
  graceMs: 300,
  catchUpEveryMs: 100,
};

interface Agent {
  readonly deps: VerbDeps;
  readonly runner: Runner;
}

function agentOn(store: Store, unknownWrites: "hold" | "model"): Agent {
  let runner: Runner | undefined;
  const { boundary } = createFaultPlans({
    controls: (runId) => runner?.controls(runId) ?? [],
    takeOver: async (runId) => runner?.takeOver(runId),
    kill: () => undefined,
    log: silentLog,
  });
  const demo = createDemo({
    effects: store.effects,
    clock: systemClock,
    boundary,
    bodyMs: 20,
    paceMs: 0,
  });
  const base = { ledger: store.ledger, leases: store.leases, runs: store.runs };
  const shared = { clock: systemClock, ids: randomIds, log: silentLog, limits };
  const deps = {
    ...base,
    ...shared,
    ...demo,
    unknownWrites,
    owner: `own_${randomIds.appendId()}`,
    boundary,
  };
  runner = createRunner(deps);
  runner.start();
  return { deps: { ...deps, runner }, runner };
}

async function begin({ deps }: Agent, temper: Temper, faults: readonly Fault[]): Promise<RunId> {
  const threadId = randomIds.threadId();
  await deps.runs.createThread(LOCAL, threadId);
  const input = { kind: "message", text: REQUEST } as const;
  const { run } = await startRun(deps, {
    ownerId: LOCAL,
    threadId,
    input,
    model: { temper },
    faults,
  });
  return run.id;
}

const effectsOf = async (store: Store, runId: RunId) =>
  (await store.effects.list({ runId, limit: 100 })).effects.map(({ action }) => action);

/** Plays the person: looks at the world, and answers what is held accordingly. */
async function driveToEnd(agent: Agent, store: Store, runId: RunId): Promise<void> {
  const isAtRest = async () => (await store.runs.getRun(LOCAL, runId)).status !== "running";
  for (let answers = 0; answers < 10; answers += 1) {
    await expect.poll(isAtRest, { timeout: 10_000, interval: 10 }).toBe(true);
    const { status } = await store.runs.getRun(LOCAL, runId);
    if (status !== "waiting") return;
    const events = await store.ledger.read(runId, 0, 1_000);
    const held = events.findLast((event) => event.type === "run_waiting");
    const callId = held && "heldCallIds" in held ? (held.heldCallIds as string[])[0] : undefined;
    const call = events.findLast(
      (event) => "callId" in event && event["callId"] === callId && event.type === "tool_held",
    );
    const tool = call && "tool" in call ? String(call["tool"]) : "";
    const happened = (await effectsOf(store, runId)).includes(tool);
    const outcome = happened ? "landed" : "absent";
    await resolveCall(agent.deps, { ownerId: LOCAL, runId, callId: callId ?? "", outcome }).catch(
      (error: unknown) => {
        // A late outcome may have settled it while we looked.
        expect(error).toMatchObject({
          code: expect.stringMatching(/^(call-settled|run-busy)$/) as string,
        });
      },
    );
  }
}

describe.each(STORE_KINDS)("on %s", (kind) => {
  let place: StorePlace;
  let store: Store;
  let agent: Agent;

  beforeAll(async () => {
    place = await makeStorePlace(kind);
    store = await place.open({ limits });
    agent = agentOn(store, "hold");
  });
  afterAll(async () => {
    await agent.runner.shutdown();
    await place.remove();
  });

  describe.each(FAULT_POINTS)("cut %s", (at) => {
    test.each(KINDS)("by %s: every wanted effect once, with every temper", async (as) => {
      const action = at === "in_text" ? {} : { action: "send_email" };
      const runs = await Promise.all(
        TEMPERS.map((temper) => begin(agent, temper, [{ at, as, ...action }])),
      );
      await Promise.all(runs.map((runId) => driveToEnd(agent, store, runId)));
      for (const [i, runId] of runs.entries()) {
        const temper = TEMPERS[i];
        expect([temper, (await store.runs.getRun(LOCAL, runId)).status]).toEqual([temper, "done"]);
        const story = storyOf(await store.ledger.read(runId, 0, 1_000)).join("\n");
        expect((await effectsOf(store, runId)).sort(), `${temper}\n${story}`).toEqual(
          [...WANTED].sort(),
        );
      }
    });
  });

  test.each(["charge_card", "create_ticket"])(
    "cut after the effect of %s, the world has it once",
    async (action) => {
      for (const as of KINDS) {
        const runId = await begin(agent, "forgets", [{ at: "after_effect", as, action }]);
        await driveToEnd(agent, store, runId);
        expect([as, (await effectsOf(store, runId)).sort()]).toEqual([as, [...WANTED].sort()]);
      }
    },
  );

  test("a model that is trusted to check loses nothing where nothing had happened", async () => {
    // A store of its own: another owner's sweep would decide by another setting.
    const other = await makeStorePlace(kind);
    const trusting = await other.open({ limits });
    const truster = agentOn(trusting, "model");
    for (const as of ["gateway_timeout", "transport_error", "process_lost"] as const) {
      const runId = await begin(truster, "heeds", [{ at: "in_body", as, action: "send_email" }]);
      await driveToEnd(truster, trusting, runId);
      expect([as, (await effectsOf(trusting, runId)).sort()]).toEqual([as, [...WANTED].sort()]);
    }
    await truster.runner.shutdown();
    await other.remove();
  });

  test.each(["after_done", "after_effect"] as const)(
    "three wanted mails are three, cut %s of the first",
    async (at) => {
      const runId = await begin(agent, "repeats", [
        { at, as: "gateway_timeout", action: "send_email" },
      ]);
      await driveToEnd(agent, store, runId);
      const effects = await effectsOf(store, runId);
      expect(WANTED.map((name) => effects.filter((effect) => effect === name).length)).toEqual([
        3, 3, 3,
      ]);
    },
  );
});
