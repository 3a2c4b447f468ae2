/** Threads and runs in memory. One active run per thread and one run per client token, as unique indexes keep them. */
import { isDeepStrictEqual } from "node:util";
import { idempotencyConflict, runBusy, runNotFound, runTerminal } from "../core/errors.ts";
import { threadNotFound } from "../core/errors.ts";
import type { OwnerId, RunId, ThreadId } from "../core/ids.ts";
import type { NewRun, Runs } from "../core/ports.ts";
import type { RunRecord, ThreadRecord } from "../core/run-record.ts";
import { callEventsOf, pageOfRuns } from "./memory-queries.ts";
import { encodeEvents } from "./memory-state.ts";
import type { MemoryState, RunRow, ThreadRow } from "./memory-state.ts";

/** Makes the runs of a memory store. */
export function memoryRuns(state: MemoryState): Runs {
  return { ...threadVerbs(state), ...runVerbs(state) };
}

type ThreadVerb = "createThread" | "listThreads" | "getThread" | "listThreadRuns";

function threadVerbs(state: MemoryState): Pick<Runs, ThreadVerb> {
  return {
    createThread: (ownerId, threadId) =>
      state.statement("createThread", () => {
        const activity = state.nextNumber();
        const row = { id: threadId, ownerId, createdAt: state.nowIso(), title: "", activity };
        state.threads.set(threadId, row);
        return threadRecord(state, row);
      }),
    listThreads: (ownerId, limit) =>
      state.statement("listThreads", () =>
        [...state.threads.values()]
          .filter((thread) => thread.ownerId === ownerId)
          .sort((a, b) => b.activity - a.activity)
          .slice(0, limit)
          .map((thread) => threadRecord(state, thread)),
      ),
    getThread: (ownerId, threadId) =>
      state.statement("getThread", () => threadRecord(state, ownThread(state, ownerId, threadId))),
    listThreadRuns: (threadId) =>
      state.statement("listThreadRuns", () =>
        runsOf(state, threadId).map((row) => state.record(row)),
      ),
  };
}

function runVerbs(state: MemoryState): Omit<Runs, ThreadVerb> {
  return {
    createRun: (run) => {
      const asked = structuredClone(run);
      return state.statement("createRun", () => createRun(state, asked));
    },
    getRun: (ownerId, runId) =>
      state.statement("getRun", () => {
        const row = state.row(runId);
        if (row.ownerId !== ownerId) throw runNotFound(runId);
        return state.record(row);
      }),
    listRuns: (query) => state.statement("listRuns", () => pageOfRuns(state, query)),
    listCallEvents: (runIds) =>
      state.statement("listCallEvents", () => callEventsOf(state, runIds)),
    heads: (runIds) =>
      state.statement("heads", () =>
        runIds.flatMap((runId) => {
          const row = state.runs.get(runId);
          return row ? [state.head(row)] : [];
        }),
      ),
    requestCancel: (runId) => state.statement("requestCancel", () => requestCancel(state, runId)),
    reopen: (runId) => state.statement("reopen", () => reopen(state, runId)),
  };
}

function createRun(state: MemoryState, asked: NewRun): { run: RunRecord; created: boolean } {
  const thread = ownThread(state, asked.ownerId, asked.threadId);
  const earlier = runByToken(state, asked);
  if (earlier) {
    if (!isSameRequest(earlier, asked)) throw idempotencyConflict(asked.clientToken ?? "");
    return { run: state.record(earlier), created: false };
  }
  assertNoneActive(state, thread.id);
  const row = newRow(state, asked);
  state.runs.set(row.id, row);
  if (thread.title === "") thread.title = titleOf(asked);
  thread.activity = state.nextNumber();
  const started = { type: "run_started", attempt: 0, input: asked.input } as const;
  state.insert(row, "run_started", encodeEvents([started]));
  return { run: state.record(row), created: true };
}

function newRow(state: MemoryState, asked: NewRun): RunRow {
  const { runId, ownerId, threadId, clientToken, input, model, faults } = asked;
  const created = { createdAt: state.nowIso(), number: state.nextNumber() };
  const place = { id: runId, ownerId, threadId, clientToken, input, model, faults };
  return {
    ...place,
    ...created,
    status: "running",
    attempts: 0,
    lastSeq: 0,
    fence: 0,
    leaseOwner: null,
    leaseExpiresMs: state.nowMs(),
    nextTryMs: null,
    cancelRequestedAt: null,
    resumable: false,
    endedAt: null,
    events: [],
    appends: new Map(),
  };
}

function runByToken(state: MemoryState, { ownerId, clientToken }: NewRun): RunRow | undefined {
  if (clientToken === undefined) return undefined;
  return [...state.runs.values()].find(
    (row) => row.ownerId === ownerId && row.clientToken === clientToken,
  );
}

function isSameRequest(row: RunRow, { threadId, input, model, faults }: NewRun): boolean {
  const stored = { threadId: row.threadId, input: row.input, model: row.model, faults: row.faults };
  return isDeepStrictEqual(stored, { threadId, input, model, faults });
}

function assertNoneActive(state: MemoryState, threadId: ThreadId): void {
  const active = activeRun(state, threadId);
  if (active) throw runBusy("The conversation has a run at work.", { runId: active.id });
}

function requestCancel(state: MemoryState, runId: RunId): RunRecord {
  const row = state.row(runId);
  // What was asked for has happened: asking again changes nothing.
  if (row.status === "cancelled") return state.record(row);
  if (row.status !== "running" && row.status !== "waiting") throw runTerminal(row.status);
  row.cancelRequestedAt ??= state.nowIso();
  if (row.status === "waiting") state.makeDue(row);
  state.changed(row);
  return state.record(row);
}

function reopen(state: MemoryState, runId: RunId): RunRecord {
  const row = state.row(runId);
  if (row.status === "running" || row.status === "waiting") {
    throw runBusy(`The run is ${row.status}.`, { runId });
  }
  if (row.status !== "failed" || !row.resumable) throw runTerminal(row.status);
  assertNoneActive(state, row.threadId);
  row.resumable = false;
  state.makeDue(row);
  state.changed(row);
  return state.record(row);
}

/** Throws `thread-not-found`, also for another owner's. */
function ownThread(state: MemoryState, ownerId: OwnerId, threadId: ThreadId): ThreadRow {
  const row = state.threads.get(threadId);
  if (!row || row.ownerId !== ownerId) throw threadNotFound(threadId);
  return row;
}

function threadRecord(state: MemoryState, row: ThreadRow): ThreadRecord {
  const { id, ownerId, title, createdAt } = row;
  const activeRunId = activeRun(state, id)?.id ?? null;
  const lastRunStatus = runsOf(state, id).at(-1)?.status ?? null;
  return { id, ownerId, title, createdAt, activeRunId, lastRunStatus };
}

function runsOf(state: MemoryState, threadId: ThreadId): RunRow[] {
  return [...state.runs.values()].filter((row) => row.threadId === threadId);
}

function activeRun(state: MemoryState, threadId: ThreadId): RunRow | undefined {
  return runsOf(state, threadId).find(
    (row) => row.status === "running" || row.status === "waiting",
  );
}

function titleOf({ input }: NewRun): string {
  return (input.kind === "message" ? input.text : input.action).trim().slice(0, 80);
}
