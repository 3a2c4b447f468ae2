/** The ledger's fenced side in memory: append and read, with the rules of the port and no more. */
import { assert, fenceStale, ledgerClosed } from "../core/errors.ts";
import type {
  Appended,
  AppendPlace,
  AppendRequest,
  AppendWork,
  Ledger,
  TakenAppend,
} from "../core/ports.ts";
import { runChangeOf } from "../core/run-change.ts";
import type { Lease } from "../core/run-record.ts";
import { encodeEvents, parseStored } from "./memory-state.ts";
import type { MemoryState, RunRow } from "./memory-state.ts";
import { appendLate, settle } from "./memory-settle.ts";
import { MemoryTx } from "./memory-world.ts";

/** Makes the ledger of a memory store. */
export function memoryLedger(state: MemoryState): Ledger {
  return {
    append: (request) => {
      const texts = encodeEvents(request.events);
      return state.statement("append", () => append(state, request, texts));
    },
    appendWith: (place, work) => appendWith(state, place, work),
    read: (runId, afterSeq, limit) =>
      state.statement("read", () => {
        const events = state.runs.get(runId)?.events ?? [];
        return events.slice(afterSeq, afterSeq + limit).map(parseStored);
      }),
    appendLate: (late) => {
      const [json = ""] = encodeEvents([late.event]);
      return state.statement("appendLate", () => appendLate(state, late, json));
    },
    settle: (settlement) => state.statement("settle", () => settle(state, settlement)),
  };
}

/** The work runs before the commit, which is one tick as everywhere: its effects are kept until then. */
async function appendWith(
  state: MemoryState,
  place: AppendPlace,
  work: AppendWork,
): Promise<TakenAppend> {
  const tx = new MemoryTx();
  // What the work ran into may be its own effect, of an earlier try whose answer was lost.
  const events = await work(tx).catch((error: unknown) => {
    if (state.runs.get(place.lease.runId)?.appends.has(place.appendId)) return [];
    throw error;
  });
  const request = { ...place, events };
  const texts = encodeEvents(events);
  return state.statement("appendWith", () => {
    const appended = append(state, request, texts);
    const isFirst = appended.kind === "appended" && !appended.repeated;
    if (isFirst) state.effects.push(...tx.effects);
    return { appended, events: isFirst ? events : undefined };
  });
}

function append(state: MemoryState, request: AppendRequest, texts: readonly string[]): Appended {
  const row = state.row(request.lease.runId);
  const known = row.appends.get(request.appendId);
  if (known) return answer(row, request.lease, known, true);
  assert(texts.length > 0, "an append has at least one event");
  assertWritable(row, request.lease);
  if (request.expectLastSeq !== undefined && request.expectLastSeq !== row.lastSeq) {
    return { kind: "moved", lastSeq: row.lastSeq };
  }
  changeRow(state, row, request);
  const stored = state.insert(row, request.appendId, texts);
  return answer(row, request.lease, stored, false);
}

function answer(
  row: RunRow,
  lease: Lease,
  stored: { readonly firstSeq: number; readonly lastSeq: number; readonly at: string },
  repeated: boolean,
): Appended {
  const { firstSeq, lastSeq, at } = stored;
  return {
    kind: "appended",
    firstSeq,
    lastSeq,
    at,
    cancelRequested: row.cancelRequestedAt !== null,
    repeated,
    fenceCurrent: row.fence === lease.fence,
  };
}

/** A moved fence is told before a closed ledger: the owner was replaced, whatever became of the run. */
function assertWritable(row: RunRow, lease: Lease): void {
  if (row.fence !== lease.fence) throw fenceStale(row.id, lease.fence);
  if (row.status !== "running") throw ledgerClosed(row.id, row.status);
  if (row.leaseOwner !== lease.owner) throw fenceStale(row.id, lease.fence);
}

function changeRow(state: MemoryState, row: RunRow, request: AppendRequest): void {
  const change = runChangeOf(request.events);
  const ends = change.status !== "running" && change.status !== "waiting";
  row.status = change.status;
  row.resumable = change.resumable;
  row.endedAt = ends ? state.nowIso() : null;
  if (change.attempts !== null) row.attempts = change.attempts;
  if (!change.releases) return;
  row.leaseOwner = null;
  row.leaseExpiresMs = state.nowMs();
  const { nextTryInMs } = request;
  row.nextTryMs = nextTryInMs === undefined ? null : state.nowMs() + nextTryInMs;
}
