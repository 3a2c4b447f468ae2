/**
 * The one statement that adds events to a ledger: it advances the run's row and inserts the rows. Without the
 * row's update nothing is inserted, so whatever the update demands (a fence, a status) holds for the insert, and
 * the row's lock keeps the seqs without gaps.
 */
import type { NewEvent } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import type { SqlValue } from "./database.ts";
import { encodeEvents } from "./rows.ts";

/** Told after each commit that readers may care about; must not throw. */
export type OnCommitted = (runId: RunId, lastSeq: number) => void;

/** What the update of the run's row does beside `last_seq`, and when. Values start at `$7`. */
export interface RunUpdate {
  readonly set: string;
  readonly where: string;
}

export interface StoredRow {
  readonly firstSeq: number;
  readonly at: string;
  readonly cancelRequested: boolean;
}

/** The statement's text. It answers one `StoredRow`, or none when the run's row did not match. */
export function appendStatement({ set, where }: RunUpdate): string {
  return `
with head as (
  -- The lock of the run's row: appends to one run happen one after the other.
  update runs
  set last_seq = last_seq + cardinality($3::text[])${set}
  where id = $1
    ${where}
  returning
    last_seq - cardinality($3::text[]) as before,
    cancel_requested_at is not null as cancel_requested,
    -- Taken while the lock is held, so that times never run against seqs.
    clock_timestamp() as at
),
stored as (
  insert into run_events (run_id, seq, attempt, type, at, append_id, payload, result)
  select
    $1,
    head.before + event.place,
    event.attempt,
    event.type,
    head.at,
    case when event.place = 1 then $2 end,
    event.payload::json,
    event.result::json
  from
    head,
    unnest($3::text[], $4::int[], $5::text[], $6::text[])
      with ordinality as event (type, attempt, payload, result, place)
)
select before + 1 as "firstSeq", at, cancel_requested as "cancelRequested"
from head`;
}

/** The statement's first six values. */
export function appendValues(
  runId: string,
  appendId: string,
  events: readonly NewEvent[],
): SqlValue[] {
  const { types, attempts, payloads, results } = encodeEvents(events);
  return [runId, appendId, types, attempts, payloads, results];
}
