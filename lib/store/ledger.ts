/**
 * The ledger on PostgreSQL: append under a fence, and read. Invariants: an append and its change of the run's row
 * are one commit; it happens once however often it is sent; an owner whose fence is not the current one stores
 * nothing. It never notifies: it says `onCommitted` after the commit.
 */
import { assert, storeCorrupt, storeUnavailable } from "../core/errors.ts";
import type { RunEvent } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import type { Appended, AppendRequest, Ledger } from "../core/ports.ts";
import { type OnCommitted } from "./append-statement.ts";
import { appendWith } from "./append-with.ts";
import type { Database } from "./database.ts";
import { appendOn, LOOKS_MAX, whyNot } from "./ledger-append.ts";
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
    appendWith: async (request, work) => {
      const taken = await appendWith(database, request, work);
      const { appended } = taken;
      if (appended.kind === "appended") onCommitted(request.lease.runId, appended.lastSeq);
      return taken;
    },
    read: (runId, afterSeq, limit) => read(database, runId, afterSeq, limit),
    appendLate: (late) => appendLate(database, late, onCommitted),
    settle: (settlement) => settle(database, settlement, onCommitted),
  };
}

async function append(database: Database, request: AppendRequest): Promise<Appended> {
  assert(request.events.length > 0, "an append has at least one event");
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const stored = await tryAppend(database, request);
    if (stored) return stored;
    const decided = await whyNot(database, request);
    if (decided) return decided;
  }
  throw storeUnavailable(`run ${request.lease.runId} changed during every look at it`);
}

async function tryAppend(
  database: Database,
  request: AppendRequest,
): Promise<Appended | undefined> {
  try {
    return await appendOn(database, request);
  } catch (error) {
    // An earlier try of the same append was stored, perhaps while this one waited for the row: a repeat.
    if (violates(error, "run_events_append")) return undefined;
    throw error;
  }
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
