/**
 * The real loop on the in-memory store: a manual clock, a scripted model, and actions whose effects are counted
 * here, outside of everything that is tested.
 */
import * as z from "zod";
import { asOwnerId, asRunId, asThreadId, type RunId } from "../core/ids.ts";
import { DEFAULT_LIMITS, type Limits } from "../core/limits.ts";
import type { Log } from "../core/ports.ts";
import type { Fault, RunRecord } from "../core/run-record.ts";
import {
  type Action,
  type ActionContext,
  ActionRejected,
  defineAction,
  registryOf,
} from "../runtime/action.ts";
import type { Boundary } from "../runtime/boundary.ts";
import type { RuntimeDeps } from "../runtime/deps.ts";
import { createRunner, type Runner, type VerbDeps } from "../runtime/runner.ts";
import { startRun } from "../runtime/start-run.ts";
import { createGate } from "./gate.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";
import type { ScriptedModel } from "./scripted-model.ts";

export const LOCAL = asOwnerId("local");

/** One effect, as the world outside saw it. */
export interface SeenEffect {
  readonly action: string;
  readonly input: unknown;
  readonly key: string;
}

/** Stops a body at a named place until the test lets it go. */
export type BodyHook = (action: string, context: ActionContext) => Promise<void>;

export interface RuntimeHarness {
  readonly clock: ManualClock;
  readonly store: MemoryStore;
  readonly deps: VerbDeps;
  readonly runner: Runner;
  /** What really happened, in order. */
  readonly effects: SeenEffect[];
  /** How often each body was entered. */
  readonly entered: string[];
  /** Replaced by tests that stop bodies before their effect. */
  before: BodyHook;
  /** Replaced by tests that stop bodies after their effect. */
  after: BodyHook;
  /** A second process on the same store. */
  another(owner: string): Runner;
  /** Starts a run and returns its id. */
  start(text?: string, faults?: readonly Fault[]): Promise<RunId>;
  /** Lets time pass, at most a minute, until the run has one of these statuses. */
  until(runId: RunId, ...statuses: RunRecord["status"][]): Promise<RunRecord>;
  /** Lets time pass, at most a minute, until the condition holds. */
  untilTrue(condition: () => boolean): Promise<void>;
}

export interface HarnessOptions {
  readonly model: ScriptedModel;
  readonly limits?: Partial<Limits>;
  readonly unknownWrites?: RuntimeDeps["unknownWrites"];
  readonly boundary?: Boundary;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

export function runtimeHarness(options: HarnessOptions): RuntimeHarness {
  const clock = manualClock();
  const store = createMemoryStore({ clock });
  const effects: SeenEffect[] = [];
  const entered: string[] = [];
  let minted = 0;
  const mint = (prefix: string) => `${prefix}_${(minted += 1)}`;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const depsOf = (owner: string): RuntimeDeps => ({
    ledger: store.ledger,
    leases: store.leases,
    runs: store.runs,
    clock,
    ids: {
      runId: () => asRunId(mint("run")),
      threadId: () => asThreadId(mint("thr")),
      appendId: () => mint("append"),
    },
    log: silent,
    limits,
    actions: registryOf(actions),
    modelFor: () => options.model,
    system: "You are a test.",
    unknownWrites: options.unknownWrites ?? "hold",
    owner,
    boundary: options.boundary,
  });
  const harness: Pick<RuntimeHarness, "before" | "after"> = {
    before: () => Promise.resolve(),
    after: () => Promise.resolve(),
  };
  const actions = testActions({ effects, entered, hooks: harness });
  const deps = depsOf("p1");
  const runner = createRunner(deps);
  runner.start();
  const verbDeps: VerbDeps = { ...deps, runner };

  const untilTrue = async (condition: () => boolean) => {
    for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 20) {
      await clock.settle();
      if (condition()) return;
      await clock.advance(20);
    }
    throw new Error("the condition did not come true within a minute of the clock");
  };
  return Object.assign(harness, {
    clock,
    store,
    deps: verbDeps,
    runner,
    effects,
    entered,
    untilTrue,
    another: (owner: string) => createRunner(depsOf(owner)),
    async start(text = "go", faults: readonly Fault[] = []) {
      const threadId = asThreadId(mint("thr"));
      await store.runs.createThread(LOCAL, threadId);
      const { run } = await startRun(verbDeps, {
        ownerId: LOCAL,
        threadId,
        input: { kind: "message", text },
        model: { temper: "heeds" },
        faults,
      });
      return run.id;
    },
    async until(runId: RunId, ...statuses: RunRecord["status"][]) {
      await untilTrue(() => statuses.includes(store.runOf(runId).status));
      return store.runOf(runId);
    },
  });
}

function testActions(world: {
  readonly effects: SeenEffect[];
  readonly entered: string[];
  readonly hooks: Pick<RuntimeHarness, "before" | "after">;
}): Action[] {
  const act = async (action: string, input: unknown, context: ActionContext) => {
    world.entered.push(action);
    await world.hooks.before(action, context);
    world.effects.push({ action, input, key: context.idempotencyKey });
    const result = { ok: true, number: world.effects.length };
    await world.hooks.after(action, context);
    return result;
  };
  return [
    defineAction({
      name: "send",
      description: "Sends a text.",
      schema: z.object({ to: z.string(), text: z.string().optional() }),
      run: (input, context) => act("send", input, context),
    }),
    defineAction({
      name: "pay",
      description: "Pays; the other side honours the key.",
      schema: z.object({ amount: z.number() }),
      idempotent: true,
      run: (input, context) => act("pay", input, context),
    }),
    defineAction({
      name: "refuse",
      description: "Always rejects.",
      schema: z.object({}),
      run: async (_input, context) => {
        world.entered.push("refuse");
        await world.hooks.before("refuse", context);
        throw new ActionRejected("not yet due");
      },
    }),
    defineAction({
      name: "look",
      description: "Looks something up.",
      schema: z.object({ what: z.string() }),
      readOnly: true,
      run: async (input, context) => {
        world.entered.push("look");
        await world.hooks.before("look", context);
        return { found: input.what };
      },
    }),
  ];
}

/** A hook that stops the n-th entry of an action until it is released, whatever the signal says. */
export function stopAt(action: string, nth = 1) {
  const arrived = createGate();
  const released = createGate();
  let seen = 0;
  const hook: BodyHook = async (name) => {
    if (name !== action || (seen += 1) !== nth) return;
    arrived.open();
    await released.wait();
  };
  return { hook, reached: arrived.wait(), release: () => released.open() };
}
