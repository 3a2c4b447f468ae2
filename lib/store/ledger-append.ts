/**
 * One fenced append as a statement, and why it stored nothing when it did. Used by itself and inside a transaction
 * that takes an effect along.
 */
import { fenceStale, ledgerClosed, runNotFound } from "../core/errors.ts";
import type { Appended, AppendPlace, AppendRequest } from "../core/ports.ts";
import { runChangeOf } from "../core/run-change.ts";
import { appendStatement, appendValues, type StoredRow } from "./append-statement.ts";
import type { Sql, SqlValue } from "./database.ts";

/** Source: each look is decided by a row that only moves on; a second one is already rare. */
export const LOOKS_MAX = 5;

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

/** Sends the append; undefined when the run's row did not match. */
export async function appendOn(sql: Sql, request: AppendRequest): Promise<Appended | undefined> {
  const [stored] = await sql.query<StoredRow>(FENCED_APPEND, fencedValues(request));
  return stored && firstTime(request, stored);
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

function firstTime(
  { events }: AppendRequest,
  { firstSeq, at, cancelRequested }: StoredRow,
): Appended {
  const lastSeq = firstSeq + events.length - 1;
  const fresh = { repeated: false, fenceCurrent: true };
  return { kind: "appended", firstSeq, lastSeq, at, cancelRequested, ...fresh };
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
export async function whyNot(
  sql: Sql,
  { lease, appendId, events, expectLastSeq }: AppendPlace & Partial<AppendRequest>,
): Promise<Appended | undefined> {
  const [row] = await sql.query<Standing>(STANDING, [lease.runId, appendId]);
  if (!row) throw runNotFound(lease.runId);
  const fenceCurrent = row.fence === lease.fence;
  if (row.firstSeq !== null && row.at !== null) {
    const { firstSeq, at, cancelRequested } = row;
    const lastSeq = events ? firstSeq + events.length - 1 : row.lastSeq;
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
