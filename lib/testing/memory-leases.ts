/** Leases in memory. Every verb that takes a lease looks at fence, owner and status alike. */
import { fenceStale } from "../core/errors.ts";
import type { Claimed, Leases } from "../core/ports.ts";
import { holds } from "./memory-state.ts";
import type { MemoryState, RunRow } from "./memory-state.ts";

/** Makes the leases of a memory store. */
export function memoryLeases(state: MemoryState): Leases {
  return {
    claim: (runId, owner, leaseMs) =>
      state.statement("claim", () => {
        const row = state.runs.get(runId);
        return row && isDue(state, row) ? take(state, row, owner, leaseMs) : undefined;
      }),
    claimDue: (owner, leaseMs, limit) =>
      state.statement("claimDue", () =>
        dueRuns(state)
          .slice(0, limit)
          .map((row) => take(state, row, owner, leaseMs)),
      ),
    renew: (lease, leaseMs) =>
      state.statement("renew", () => {
        const row = state.runs.get(lease.runId);
        if (!row || !holds(row, lease)) throw fenceStale(lease.runId, lease.fence);
        row.leaseExpiresMs = Math.max(row.leaseExpiresMs, state.nowMs() + leaseMs);
        return { cancelRequested: row.cancelRequestedAt !== null };
      }),
    isCurrent: (lease) =>
      state.statement("isCurrent", () => {
        const row = state.runs.get(lease.runId);
        return row !== undefined && holds(row, lease);
      }),
    release: (lease, dueInMs) =>
      state.statement("release", () => {
        const row = state.runs.get(lease.runId);
        if (!row || !holds(row, lease)) return;
        row.leaseOwner = null;
        row.leaseExpiresMs = state.nowMs();
        row.nextTryMs = dueInMs === undefined ? null : state.nowMs() + dueInMs;
        state.changed(row);
      }),
    ...expiries(state),
  };
}

function expiries(state: MemoryState): Pick<Leases, "expireOwner" | "expireAll" | "expireRun"> {
  return {
    expireOwner: (owner) =>
      state.statement("expireOwner", () => expire(state, (row) => row.leaseOwner === owner)),
    expireAll: () => state.statement("expireAll", () => expire(state, () => true)),
    expireRun: (runId) =>
      state.statement("expireRun", () => void expire(state, (row) => row.id === runId)),
  };
}

function isDue(state: MemoryState, row: RunRow): boolean {
  const now = state.nowMs();
  if (row.status !== "running" || row.leaseExpiresMs > now) return false;
  return row.nextTryMs === null || row.nextTryMs <= now || row.cancelRequestedAt !== null;
}

function dueRuns(state: MemoryState): RunRow[] {
  return [...state.runs.values()]
    .filter((row) => isDue(state, row))
    .sort((a, b) => a.leaseExpiresMs - b.leaseExpiresMs || a.number - b.number);
}

function take(state: MemoryState, row: RunRow, owner: string, leaseMs: number): Claimed {
  row.fence += 1;
  row.leaseOwner = owner;
  row.leaseExpiresMs = state.nowMs() + leaseMs;
  row.nextTryMs = null;
  state.changed(row);
  return {
    lease: { runId: row.id, owner, fence: row.fence },
    run: state.record(row),
    at: state.nowIso(),
  };
}

/** Ends live leases and keeps their owner's name: until somebody takes over, the owner may still write. */
function expire(state: MemoryState, applies: (row: RunRow) => boolean): number {
  const now = state.nowMs();
  const live = [...state.runs.values()].filter(
    (row) =>
      row.status === "running" &&
      row.leaseOwner !== null &&
      row.leaseExpiresMs > now &&
      applies(row),
  );
  for (const row of live) {
    row.leaseExpiresMs = now;
    state.changed(row);
  }
  return live.length;
}
