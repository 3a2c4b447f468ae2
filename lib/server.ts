/**
 * The composition root: every dependency is built here, once per process. The server lives on `globalThis`, because
 * Next loads this module once for each of its bundles and again after each reload in development; it opens with the
 * first use and never while the app is being built.
 */
import { cpus } from "node:os";
import { assert } from "./core/errors.ts";
import { assertLimits, DEFAULT_LIMITS, type Limits } from "./core/limits.ts";
import type { Log } from "./core/ports.ts";
import { addressOf } from "./address.ts";
import { systemClock } from "./clock.ts";
import { createDemo } from "./demo/demo.ts";
import { createFaultPlans, type FaultPlans } from "./demo/faults.ts";
import { type Env, getEnv } from "./env.ts";
import { EventStreams } from "./http/event-stream.ts";
import { createLog } from "./log.ts";
import { randomIds, randomText } from "./random-ids.ts";
import type { RuntimeDeps } from "./runtime/deps.ts";
import { createRunner, type Runner, type VerbDeps } from "./runtime/runner.ts";
import { openStore, type Store } from "./store/store.ts";

export interface Server {
  readonly env: Env;
  readonly limits: Limits;
  readonly log: Log;
  readonly store: Store;
  readonly runner: Runner;
  /** What the verbs of lib/runtime take. */
  readonly verbs: VerbDeps;
  readonly streams: EventStreams;
  /** Only where `LAB=1`. */
  readonly faults: FaultPlans | undefined;
  /** Ends streams, then attempts in order, then the store. Doing it twice changes nothing. */
  shutdown(): Promise<void>;
}

const slot = globalThis as { durableResume?: Promise<Server> | undefined };

/** The server of this process. A failed opening is tried again with the next use. */
export function getServer(): Promise<Server> {
  const opening = slot.durableResume ?? openServer(getEnv());
  slot.durableResume = opening;
  opening.catch(() => {
    if (slot.durableResume === opening) slot.durableResume = undefined;
  });
  return opening;
}

/** The server, if one was opened. */
export function findServer(): Promise<Server> | undefined {
  return slot.durableResume;
}

async function openServer(env: Env): Promise<Server> {
  assert(!env.building, "nothing is opened while the app is being built");
  const limits = limitsOf(env);
  assertLimits(limits);
  const log = createLog(env.logLevel);
  const store = await openStore({
    databaseUrl: env.databaseUrl,
    dataDir: env.dataDir,
    address: addressOf(env.host, env.port),
    predecessors: env.runnerPredecessors,
    limits,
    clock: systemClock,
    log,
  });
  const { runner, verbs, faults } = assemble(env, { limits, log, store });
  const build = `${env.distDir}-${randomText(6)}`;
  const streams = new EventStreams({ ...store, limits, clock: systemClock, log, build });
  runner.start();
  log.info(
    { database: store.kind, owner: runner.owner, cpus: cpus().length },
    "the server is ready",
  );
  let closing: Promise<void> | undefined;
  const close = async () => {
    streams.closeAll();
    await runner.shutdown();
    await store.close();
  };
  const shutdown = () => (closing ??= close());
  return { env, limits, log, store, runner, verbs, streams, faults, shutdown };
}

function limitsOf(env: Env): Limits {
  const pingMs = env.pingMs ?? DEFAULT_LIMITS.pingMs;
  return {
    ...DEFAULT_LIMITS,
    leaseMs: env.leaseMs,
    renewEveryMs: Math.floor(env.leaseMs / 5),
    startFreshMs: Math.min(DEFAULT_LIMITS.startFreshMs, Math.floor(env.leaseMs / 4)),
    softTimeoutMs: env.softTimeoutMs,
    pingMs,
    watcherIdleMs: Math.max(DEFAULT_LIMITS.watcherIdleMs, pingMs * 2),
  };
}

/** The runner needs the fault plans' boundary, and the plans the runner's controls: they meet here. */
function assemble(
  env: Env,
  { limits, log, store }: { readonly limits: Limits; readonly log: Log; readonly store: Store },
) {
  let runner: Runner | undefined;
  const faults = env.lab
    ? createFaultPlans({
        controls: (runId) => runner?.controls(runId) ?? [],
        takeOver: async (runId) => runner?.takeOver(runId),
        kill: () => process.kill(process.pid, "SIGKILL"),
        log,
      })
    : undefined;
  const boundary = faults?.boundary;
  const demo = createDemo({ effects: store.effects, clock: systemClock, boundary });
  const deps: RuntimeDeps = {
    ledger: store.ledger,
    leases: store.leases,
    runs: store.runs,
    clock: systemClock,
    ids: randomIds,
    log,
    limits,
    ...demo,
    unknownWrites: env.unknownWrites,
    owner: env.runnerOwner ?? `own_${randomText(8)}`,
    boundary,
  };
  runner = createRunner(deps);
  return { runner, verbs: { ...deps, runner }, faults };
}
