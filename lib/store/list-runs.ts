/**
 * Lists over runs: pages by key, so that a run created meanwhile shifts nothing, and the call events that counts
 * are folded from.
 */
import { invalidCursor } from "../core/errors.ts";
import type { RunEvent } from "../core/event.ts";
import { asRunId, type RunId } from "../core/ids.ts";
import type { RunPage, RunQuery } from "../core/ports.ts";
import { type Database, type SqlValue, storableText } from "./database.ts";
import { type EventRow, RUN_COLUMNS, type RunRow, toEvent, toRunRecord } from "./rows.ts";

const LIST_RUNS = `
select ${RUN_COLUMNS}, runs.number
from runs
where owner_id = $1
  and ($2::text is null or status = $2)
  and ($3::bigint is null or number < $3)
  and search_text ilike all ($4::text[])
order by number desc
limit $5`;

/** Newest first. Throws `invalid-cursor`. */
export async function listRuns(database: Database, query: RunQuery): Promise<RunPage> {
  const { ownerId, status, text, cursor, limit } = query;
  const before = cursor === undefined ? null : parseCursor(cursor);
  // One more than asked for tells whether there is a next page.
  const values: SqlValue[] = [ownerId, status ?? null, before, patternsOf(text ?? ""), limit + 1];
  const rows = await database.query<RunRow & { readonly number: number }>(LIST_RUNS, values);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    runs: page.map(({ number: _number, ...row }) => toRunRecord(row)),
    next: rows.length > limit && last ? formatCursor(last.number) : null,
  };
}

/** Shape: `r` and the number of the last run of the page before. Example: `r42`. */
function formatCursor(number: number): string {
  return `r${number}`;
}

function parseCursor(cursor: string): number {
  if (!/^r[1-9][0-9]{0,14}$/.test(cursor))
    throw invalidCursor(cursor, "cursor", "the next of a page before");
  return Number(cursor.slice(1));
}

/** One pattern per word: all must occur, in any order. */
function patternsOf(text: string): string[] {
  const words = storableText(text).split(/\s+/).filter(Boolean);
  return words.map((word) => `%${word.replace(/[\\%_]/g, "\\$&")}%`);
}

/** Everything that says what became of a call: `clear` too, since it changes what a start means. */
const LIST_CALL_EVENTS = `
select run_id as "runId", seq, attempt, type, at, payload::text as payload,
  case when result is not null then 'null' end as result
from run_events
where run_id = any($1::text[])
  and (starts_with(type, 'tool_') or type = 'clear')
order by run_id, seq`;

/** A result that is there reads as null. */
export async function listCallEvents(
  database: Database,
  runIds: readonly RunId[],
): Promise<Map<RunId, RunEvent[]>> {
  const events = new Map<RunId, RunEvent[]>(runIds.map((runId) => [runId, []]));
  const rows = await database.query<EventRow & { readonly runId: string }>(LIST_CALL_EVENTS, [
    runIds,
  ]);
  for (const { runId, ...row } of rows) events.get(asRunId(runId))?.push(toEvent(row));
  return events;
}
