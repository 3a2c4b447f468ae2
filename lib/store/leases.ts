/**
 * Who may write to a run. Every statement names run, fence, owner and status, and the only clock is the
 * database's. Claiming grows the fence, so that the owner before can store nothing from that moment on.
 */
import { fenceStale } from "../core/errors.ts";
import { asRunId } from "../core/ids.ts";
import type { Claimed, Leases } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import type { OnCommitted } from "./append-statement.ts";
import type { Database, SqlValue } from "./database.ts";
import { RUN_COLUMNS, type RunRow, toRunRecord } from "./rows.ts";

/** A run that nobody drives and whose time has come. A cancel is honoured before the time. */
const IS_DUE = `runs.status = 'running'
    and runs.lease_expires_at <= clock_timestamp()
    and (
      runs.next_try_at is null
      or runs.next_try_at <= clock_timestamp()
      or runs.cancel_requested_at is not null
    )`;

const TAKE = `fence = runs.fence + 1,
    lease_owner = $1,
    lease_expires_at = clock_timestamp() + $2::float8 * interval '1 millisecond',
    next_try_at = null`;

const CLAIM = `
update runs
set ${TAKE}
where id = $3
  and ${IS_DUE}
returning ${RUN_COLUMNS}, clock_timestamp() as claimed_at`;

const CLAIM_DUE = `
with due as materialized (
  select id, lease_expires_at as expired_at, number
  from runs
  where ${IS_DUE}
  order by lease_expires_at, number
  limit $3
  -- Another sweep's rows are passed over, not waited for.
  for update skip locked
),
taken as (
  update runs
  set ${TAKE}
  from due
  where runs.id = due.id
  returning ${RUN_COLUMNS}, clock_timestamp() as claimed_at, due.expired_at, due.number
)
select *
from taken
order by expired_at, number`;

const IS_HELD = `id = $1
  and fence = $2
  and lease_owner = $3
  and status = 'running'`;

const RENEW = `
update runs
-- Never shortened: a lease may have been taken for longer.
set lease_expires_at = greatest(
  lease_expires_at,
  clock_timestamp() + $4::float8 * interval '1 millisecond'
)
where ${IS_HELD}
returning cancel_requested_at is not null as "cancelRequested"`;

const RELEASE = `
update runs
set lease_owner = null,
    lease_expires_at = clock_timestamp(),
    next_try_at = clock_timestamp() + $4::float8 * interval '1 millisecond'
where ${IS_HELD}
returning last_seq as "lastSeq"`;

/** The owner's name stays: until somebody claims the run, an owner that lives after all may still write. */
const expire = (which: string) => `
update runs
set lease_expires_at = clock_timestamp()
where status = 'running'
  and lease_owner is not null
  and lease_expires_at > clock_timestamp()
  ${which}
returning id`;

const EXPIRE_ALL = expire("");
const EXPIRE_OWNER = expire("and lease_owner = $1");
const EXPIRE_RUN = expire("and id = $1");

type ClaimedRow = RunRow & {
  readonly claimed_at: string;
  readonly expired_at?: string;
  readonly number?: number;
};

export function createLeases(database: Database, onChanged: OnCommitted): Leases {
  const claimed = (row: ClaimedRow, owner: string): Claimed => {
    const { claimed_at: at, expired_at: _expiredAt, number: _number, ...columns } = row;
    const run = toRunRecord(columns);
    onChanged(run.id, run.lastSeq);
    return { lease: { runId: run.id, owner, fence: run.fence }, run, at };
  };
  const countExpired = async (text: string, values: SqlValue[]) =>
    (await database.query(text, values)).length;
  return {
    claim: async (runId, owner, leaseMs) => {
      const [row] = await database.query<ClaimedRow>(CLAIM, [owner, leaseMs, runId]);
      return row && claimed(row, owner);
    },
    claimDue: async (owner, leaseMs, limit) => {
      const rows = await database.query<ClaimedRow>(CLAIM_DUE, [owner, leaseMs, limit]);
      return rows.map((row) => claimed(row, owner));
    },
    renew: async (lease, leaseMs) => {
      const values = [...heldBy(lease), leaseMs];
      const [row] = await database.query<{ cancelRequested: boolean }>(RENEW, values);
      if (!row) throw fenceStale(lease.runId, lease.fence);
      return row;
    },
    isCurrent: async (lease) => {
      const text = `select from runs where ${IS_HELD}`;
      return (await database.query(text, heldBy(lease))).length > 0;
    },
    release: async (lease, dueInMs) => {
      const values = [...heldBy(lease), dueInMs ?? null];
      const [row] = await database.query<{ lastSeq: number }>(RELEASE, values);
      if (row) onChanged(asRunId(lease.runId), row.lastSeq);
    },
    expireOwner: (owner) => countExpired(EXPIRE_OWNER, [owner]),
    expireAll: () => countExpired(EXPIRE_ALL, []),
    expireRun: async (runId) => void (await countExpired(EXPIRE_RUN, [runId])),
  };
}

function heldBy({ runId, fence, owner }: Lease): SqlValue[] {
  return [runId, fence, owner];
}
