/** Runs as their owner sees them, and the two status changes a person asks for: cancel and resume. */
import { runBusy, runNotFound, runTerminal, storeUnavailable } from "../core/errors.ts";
import { asThreadId, type RunId } from "../core/ids.ts";
import type { RunHead, Runs } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import type { OnCommitted } from "./append-statement.ts";
import { assertNoneActive, createRun } from "./create-run.ts";
import type { Database } from "./database.ts";
import { listCallEvents, listRuns } from "./list-runs.ts";
import { type HeadRow, RUN_COLUMNS, type RunRow, toRunHead, toRunRecord } from "./rows.ts";
import { violates } from "./store-error.ts";
import { createThreads } from "./threads.ts";

export function createRuns(database: Database, onChanged: OnCommitted): Runs {
  const told = (run: RunRecord) => {
    onChanged(run.id, run.lastSeq);
    return run;
  };
  return {
    ...createThreads(database),
    createRun: async (asked) => {
      const result = await createRun(database, asked);
      if (result.created) told(result.run);
      return result;
    },
    getRun: async (ownerId, runId) => {
      const run = await findRun(database, runId);
      if (run?.ownerId !== ownerId) throw runNotFound(runId);
      return run;
    },
    listRuns: (query) => listRuns(database, query),
    listCallEvents: (runIds) => listCallEvents(database, runIds),
    heads: (runIds) => heads(database, runIds),
    requestCancel: async (runId) => told(await requestCancel(database, runId)),
    reopen: async (runId) => told(await reopen(database, runId)),
  };
}

async function findRun(database: Database, runId: RunId): Promise<RunRecord | undefined> {
  const text = `select ${RUN_COLUMNS} from runs where id = $1`;
  const [row] = await database.query<RunRow>(text, [runId]);
  return row && toRunRecord(row);
}

const HEADS = `
select
  id,
  last_seq as "lastSeq",
  status,
  attempts,
  lease_owner as "leaseOwner",
  ceil(extract(epoch from lease_expires_at - clock_timestamp()) * 1000)::bigint as "leaseLeftMs",
  fence,
  next_try_at as "nextTryAt"
from runs
where id = any($1::text[])`;

/** Where runs stand, in one statement however many they are. Unknown ids are left out. */
export async function heads(database: Database, runIds: readonly RunId[]): Promise<RunHead[]> {
  if (runIds.length === 0) return [];
  const rows = await database.query<HeadRow>(HEADS, [runIds]);
  return rows.map(toRunHead);
}

const REQUEST_CANCEL = `
update runs
set
  cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp()),
  -- A waiting run has no owner; due at once, it is claimed in order to end.
  status = 'running',
  lease_expires_at = case when status = 'waiting' then clock_timestamp() else lease_expires_at end
where id = $1
  and status in ('running', 'waiting')
returning ${RUN_COLUMNS}`;

async function requestCancel(database: Database, runId: RunId): Promise<RunRecord> {
  const [row] = await database.query<RunRow>(REQUEST_CANCEL, [runId]);
  if (row) return toRunRecord(row);
  const run = await findRun(database, runId);
  if (!run) throw runNotFound(runId);
  // What was asked for has happened: asking again changes nothing.
  if (run.status === "cancelled") return run;
  throw isActive(run) ? changing(runId) : runTerminal(run.status);
}

const REOPEN = `
update runs
set
  status = 'running',
  resumable = false,
  ended_at = null,
  lease_owner = null,
  lease_expires_at = clock_timestamp(),
  next_try_at = null
where id = $1
  and status = 'failed'
  and resumable
returning ${RUN_COLUMNS}`;

async function reopen(database: Database, runId: RunId): Promise<RunRecord> {
  const row = await tryReopen(database, runId);
  if (row) return toRunRecord(row);
  const run = await findRun(database, runId);
  if (!run) throw runNotFound(runId);
  if (isActive(run)) throw runBusy(`The run is ${run.status}.`, { runId });
  if (run.status === "failed" && run.resumable) {
    await assertNoneActive(database, asThreadId(run.threadId));
    throw changing(runId);
  }
  throw runTerminal(run.status);
}

async function tryReopen(database: Database, runId: RunId): Promise<RunRow | undefined> {
  try {
    const [row] = await database.query<RunRow>(REOPEN, [runId]);
    return row;
  } catch (error) {
    // The thread has another run at work by now.
    if (violates(error, "runs_one_active_per_thread")) return undefined;
    throw error;
  }
}

function isActive({ status }: RunRecord): boolean {
  return status === "running" || status === "waiting";
}

/** The row changed between two looks; asking again is safe. */
const changing = (runId: RunId) => storeUnavailable(`run ${runId} changed during a look at it`);
