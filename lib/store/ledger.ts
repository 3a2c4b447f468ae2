/**
 * The ledger on PostgreSQL: append under a fence, and read. Invariants: an append and its change of the run's row
 * are one commit; it happens once however often it is sent; an owner whose fence is not the current one stores
 * nothing. It never notifies: it says `onCommitted` after the commit.
 */
import {
  assert,
  fenceStale,
  ledgerClosed,
  runNotFound,
  storeCorrupt,
  storeUnavailable,
} from "../core/errors.ts";
import type { RunEvent } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import type { Appended, AppendRequest, Ledger } from "../core/ports.ts";
import { runChangeOf } from "../core/run-change.ts";
import {
  appendStatement,
  appendValues,
  type OnCommitted,
  type StoredRow,
} from "./append-statement.ts";
import type { Database, SqlValue } from "./database.ts";
import { EVENT_COLUMNS, type EventRow, toEvent } from "./rows.ts";
import { violates } from "./store-error.ts";
import { appendLate, settle } from "./unfenced.ts";

export function createLedger(database: Database, onCommitted: OnCommitted): Ledger {
  return {
    append: async (request) => {
      const appended = await append(database, request);
      if (appended.kind === "appended") onCommitted(request.lease.runId, appended.lastSeq);
      return appended;
    },
    read: (runId, afterSeq, limit) => read(database, runId, afterSeq, limit),
    appendLate: (late) => appendLate(database, late, onCommitted),
    settle: (settlement) => settle(database, settlement, onCommitted),
  };
}

const FENCED_APPEND = appendStatement({
  set: `,
      attempts = coalesce($11::int, attempts),
      status = $12,
      resumable = $13::boolean,
      ended_at = case when $12 in ('done', 'failed', 'cancelled') then clock_timestamp() end,
      lease_owner = case when not $14::boolean then lease_owner end,
      lease_expires_at = case when $14::boolean then clock_timestamp() else lease_expires_at end,
      next_try_at = case
        when not $14::boolean then next_try_at
        else clock_timestamp() + $10::float8 * interval '1 millisecond'
      end`,
  where: `and fence = $7
    and lease_owner = $8
    and status = 'running'
    and ($9::bigint is null or last_seq = $9::bigint)`,
});

/** Source: each look is decided by a row that only moves on; a second one is already rare. */
const LOOKS_MAX = 5;

async function append(database: Database, request: AppendRequest): Promise<Appended> {
  assert(request.events.length > 0, "an append has at least one event");
  const values = fencedValues(request);
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const stored = await tryAppend(database, values);
    if (stored) return firstTime(request, stored);
    const decided = await whyNot(database, request);
    if (decided) return decided;
  }
  throw storeUnavailable(`run ${request.lease.runId} changed during every look at it`);
}

function fencedValues({ lease, appendId, events, ...request }: AppendRequest): SqlValue[] {
  const change = runChangeOf(events);
  return [
    ...appendValues(lease.runId, appendId, events),
    lease.fence,
    lease.owner,
    request.expectLastSeq ?? null,
    request.nextTryInMs ?? null,
    change.attempts,
    change.status,
    change.resumable,
    change.releases,
  ];
}

async function tryAppend(database: Database, values: SqlValue[]): Promise<StoredRow | undefined> {
  try {
    const [stored] = await database.query<StoredRow>(FENCED_APPEND, values);
    return stored;
  } catch (error) {
    // An earlier try of the same append was stored, perhaps while this one waited for the row: a repeat.
    if (violates(error, "run_events_append")) return undefined;
    throw error;
  }
}

function firstTime({ events }: AppendRequest, { firstSeq, at, cancelRequested }: StoredRow) {
  const lastSeq = firstSeq + events.length - 1;
  const fresh = { repeated: false, fenceCurrent: true };
  return { kind: "appended", firstSeq, lastSeq, at, cancelRequested, ...fresh } as const;
}

interface Standing {
  readonly fence: number;
  readonly leaseOwner: string | null;
  readonly status: string;
  readonly lastSeq: number;
  readonly cancelRequested: boolean;
  readonly firstSeq: number | null;
  readonly at: string | null;
}

const STANDING = `
select
  runs.fence,
  runs.lease_owner as "leaseOwner",
  runs.status,
  runs.last_seq as "lastSeq",
  runs.cancel_requested_at is not null as "cancelRequested",
  earlier.seq as "firstSeq",
  earlier.at
from runs
left join run_events earlier
  on earlier.run_id = runs.id
  and earlier.append_id = $2
where runs.id = $1`;

/**
 * Tells why an append stored nothing; undefined when nothing stands against it any more and it has to be sent
 * again. An earlier try is looked for first: what it stored stays stored, even if it gave the lease back.
 */
async function whyNot(
  database: Database,
  { lease, appendId, events, expectLastSeq }: AppendRequest,
): Promise<Appended | undefined> {
  const [row] = await database.query<Standing>(STANDING, [lease.runId, appendId]);
  if (!row) throw runNotFound(lease.runId);
  const fenceCurrent = row.fence === lease.fence;
  if (row.firstSeq !== null && row.at !== null) {
    const { firstSeq, at, cancelRequested } = row;
    const lastSeq = firstSeq + events.length - 1;
    const again = { repeated: true, fenceCurrent };
    return { kind: "appended", firstSeq, lastSeq, at, cancelRequested, ...again };
  }
  // A moved fence is told before a closed ledger: the owner was replaced, whatever became of the run.
  if (!fenceCurrent) throw fenceStale(lease.runId, lease.fence);
  if (row.status !== "running") throw ledgerClosed(lease.runId, row.status);
  if (row.leaseOwner !== lease.owner) throw fenceStale(lease.runId, lease.fence);
  if (expectLastSeq !== undefined && row.lastSeq !== expectLastSeq) {
    return { kind: "moved", lastSeq: row.lastSeq };
  }
  return undefined;
}

const READ = `
select ${EVENT_COLUMNS}
from run_events
where run_id = $1
  and seq > $2
order by seq
limit $3`;

async function read(
  database: Database,
  runId: RunId,
  afterSeq: number,
  limit: number,
): Promise<RunEvent[]> {
  const rows = await database.query<EventRow>(READ, [runId, afterSeq, limit]);
  rows.forEach(({ seq }, i) => {
    if (seq !== afterSeq + 1 + i) throw storeCorrupt(`run ${runId} has a gap before seq ${seq}`);
  });
  return rows.map(toEvent);
}
