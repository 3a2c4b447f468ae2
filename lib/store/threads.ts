/** Conversations: made, listed by their last activity, and read only by the one they belong to. */
import { threadNotFound } from "../core/errors.ts";
import { asOwnerId, asRunId, asThreadId } from "../core/ids.ts";
import type { Runs } from "../core/ports.ts";
import type { ThreadRecord } from "../core/run-record.ts";
import type { Database } from "./database.ts";
import { RUN_COLUMNS, type RunRow, toRunRecord, toStatus } from "./rows.ts";
import type { threads } from "./schema.ts";

type ThreadRow = Omit<typeof threads.$inferSelect, "activeAt"> & {
  readonly activeRunId: string | null;
  readonly lastRunStatus: string | null;
};

const SELECT_THREADS = `
select
  threads.id,
  threads.owner_id as "ownerId",
  threads.title,
  threads.created_at as "createdAt",
  active.id as "activeRunId",
  last.status as "lastRunStatus"
from threads
left join runs active
  -- At most one row: runs_one_active_per_thread.
  on active.thread_id = threads.id
  and active.status in ('running', 'waiting')
left join lateral (
  select status
  from runs
  where thread_id = threads.id
  order by number desc
  limit 1
) last on true`;

const GET_THREAD = `${SELECT_THREADS}
where threads.owner_id = $1
  and threads.id = $2`;

const LIST_THREADS = `${SELECT_THREADS}
where threads.owner_id = $1
order by threads.active_at desc, threads.id
limit $2`;

const LIST_THREAD_RUNS = `
select ${RUN_COLUMNS}
from runs
where thread_id = $1
order by number`;

const CREATE_THREAD = `
insert into threads (id, owner_id, created_at, active_at)
select $1, $2, now, now
from clock_timestamp() as now
-- Asked for twice at once, it is the same thread.
on conflict (id) do nothing`;

type ThreadVerbs = Pick<Runs, "createThread" | "listThreads" | "getThread" | "listThreadRuns">;

export function createThreads(database: Database): ThreadVerbs {
  const getThread: Runs["getThread"] = async (ownerId, threadId) => {
    const [row] = await database.query<ThreadRow>(GET_THREAD, [ownerId, threadId]);
    if (!row) throw threadNotFound(threadId);
    return toThreadRecord(row);
  };
  return {
    getThread,
    createThread: async (ownerId, threadId) => {
      await database.query(CREATE_THREAD, [threadId, ownerId]);
      return getThread(ownerId, threadId);
    },
    listThreads: async (ownerId, limit) => {
      const rows = await database.query<ThreadRow>(LIST_THREADS, [ownerId, limit]);
      return rows.map(toThreadRecord);
    },
    listThreadRuns: async (threadId) => {
      const rows = await database.query<RunRow>(LIST_THREAD_RUNS, [threadId]);
      return rows.map(toRunRecord);
    },
  };
}

function toThreadRecord(row: ThreadRow): ThreadRecord {
  return {
    ...row,
    id: asThreadId(row.id),
    ownerId: asOwnerId(row.ownerId),
    activeRunId: row.activeRunId === null ? null : asRunId(row.activeRunId),
    lastRunStatus: row.lastRunStatus === null ? null : toStatus(row.id, row.lastRunStatus),
  };
}
