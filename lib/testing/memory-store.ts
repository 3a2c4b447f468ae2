/**
 * A store in memory that keeps every promise of the ports, for tests of what stands above it. The contract suite
 * runs against it as against the real ones. Its time is the clock's it was made with; `gates` lets a test count,
 * fail and hold statements.
 */
import type { Clock, Effects, Leases, Ledger, Runs, Wakeups } from "../core/ports.ts";
import type { RunEvent } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import type { RunRecord } from "../core/run-record.ts";
import { Gates, type StoreGates } from "./memory-gates.ts";
import { memoryLeases } from "./memory-leases.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { memoryRuns } from "./memory-runs.ts";
import { MemoryState } from "./memory-state.ts";
import { memoryEffects, memoryWakeups } from "./memory-world.ts";

export interface MemoryStore {
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly runs: Runs;
  readonly wakeups: Wakeups;
  readonly effects: Effects;
  readonly gates: StoreGates;
  /** Looks at a run's events without a statement. */
  eventsOf(runId: RunId): RunEvent[];
  /** Looks at a run's row without a statement. */
  runOf(runId: RunId): RunRecord;
}

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** The date at the clock's zero, in milliseconds since 1970. Default: 2026-01-01. */
  readonly epochMs?: number;
}

/** Makes an empty store. */
export function createMemoryStore({ clock, epochMs }: MemoryStoreOptions): MemoryStore {
  const gates = new Gates();
  const state = new MemoryState(clock, gates, epochMs ?? Date.UTC(2026, 0, 1));
  return {
    ledger: memoryLedger(state),
    leases: memoryLeases(state),
    runs: memoryRuns(state),
    wakeups: memoryWakeups(state),
    effects: memoryEffects(state),
    gates,
    eventsOf: (runId) => state.eventsOf(state.row(runId)),
    runOf: (runId) => state.record(state.row(runId)),
  };
}
