/**
 * The two appends without a fence: a late outcome, by whoever has it, and a person's settlement. Each locks the
 * run's row first and looks at the call in a second statement, so that what it sees is what every commit before
 * it has left; of two at once the first wins. One that closes the last awaited call of a waiting run makes the run
 * due in the same commit; a run that has ended stays as it is.
 */
import { assert, runNotFound } from "../core/errors.ts";
import type { NewEvent, RunEvent } from "../core/event.ts";
import { isKnownEvent } from "../core/event.ts";
import { findCall, openHeldEntries } from "../core/held-step.ts";
import type { RunId } from "../core/ids.ts";
import type { LateOutcome, LateStored, Settlement } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import { settlementEvent } from "../core/settlement.ts";
import {
  appendStatement,
  appendValues,
  type OnCommitted,
  type StoredRow,
} from "./append-statement.ts";
import type { Database, Sql } from "./database.ts";
import {
  EVENT_COLUMNS,
  type EventRow,
  RUN_COLUMNS,
  type RunRow,
  toEvent,
  toRunRecord,
} from "./rows.ts";

/** Throws `run-not-found`, `store-unavailable`. */
export async function appendLate(
  database: Database,
  late: LateOutcome,
  onCommitted: OnCommitted,
): Promise<LateStored> {
  const stored = await database.transaction((tx) => appendLateIn(tx, late));
  if (stored.kind !== "known") onCommitted(late.runId, stored.seq);
  return stored;
}

async function appendLateIn(tx: Sql, { runId, appendId, event }: LateOutcome): Promise<LateStored> {
  const run = await lockRun(tx, runId);
  const events = await readCallEvents(tx, runId);
  const earlierSeq = await findAppend(tx, runId, appendId);
  // A repeat is told what its first try was told, so it looks at the ledger of then.
  const before = earlierSeq === undefined ? events : events.filter(({ seq }) => seq < earlierSeq);
  const call = findCall(before, event.callId);
  const kind = call?.state === "open" ? "stored" : "contradiction";
  if (earlierSeq !== undefined) return { kind, seq: earlierSeq };
  if (!call || call.state === "known") return { kind: "known" };
  return { kind, seq: await insert(tx, { run, events, appendId, event }) };
}

/** Throws `run-not-found`, `run-busy`, `call-not-found`, `call-not-held`, `call-settled`, `store-unavailable`. */
export async function settle(
  database: Database,
  settlement: Settlement,
  onCommitted: OnCommitted,
): Promise<{ readonly seq: number; readonly run: RunRecord }> {
  const settled = await database.transaction((tx) => settleIn(tx, settlement));
  onCommitted(settlement.runId, settled.seq);
  return settled;
}

async function settleIn(tx: Sql, settlement: Settlement) {
  const { runId } = settlement;
  const run = await lockRun(tx, runId);
  const events = await readCallEvents(tx, runId);
  const event = settlementEvent(run, events, settlement);
  // The run's row lock makes its next seq unique, and with it the append's id.
  const seq = await insert(tx, { run, events, appendId: `settle:${run.lastSeq + 1}`, event });
  return { seq, run: await readRun(tx, runId) };
}

async function lockRun(tx: Sql, runId: RunId): Promise<RunRecord> {
  const [row] = await tx.query<RunRow>(`select ${RUN_COLUMNS} from runs where id = $1 for update`, [
    runId,
  ]);
  if (!row) throw runNotFound(runId);
  return toRunRecord(row);
}

async function readRun(tx: Sql, runId: RunId): Promise<RunRecord> {
  const [row] = await tx.query<RunRow>(`select ${RUN_COLUMNS} from runs where id = $1`, [runId]);
  if (!row) throw runNotFound(runId);
  return toRunRecord(row);
}

const CALL_EVENTS = `
select ${EVENT_COLUMNS}
from run_events
where run_id = $1
  and (starts_with(type, 'tool_') or type in ('clear', 'run_waiting'))
order by seq`;

/** A statement of its own after the lock: it sees all that was committed before the lock was granted. */
async function readCallEvents(tx: Sql, runId: RunId): Promise<RunEvent[]> {
  return (await tx.query<EventRow>(CALL_EVENTS, [runId])).map(toEvent);
}

async function findAppend(tx: Sql, runId: RunId, appendId: string): Promise<number | undefined> {
  const text = "select seq from run_events where run_id = $1 and append_id = $2";
  const [row] = await tx.query<{ seq: number }>(text, [runId, appendId]);
  return row?.seq;
}

const APPEND = appendStatement({ set: "", where: "" });

const APPEND_AND_WAKE = appendStatement({
  set: `,
      status = 'running',
      lease_owner = null,
      lease_expires_at = clock_timestamp(),
      next_try_at = null`,
  where: "and status = 'waiting'",
});

interface Insert {
  readonly run: RunRecord;
  readonly events: readonly RunEvent[];
  readonly appendId: string;
  readonly event: NewEvent;
}

async function insert(tx: Sql, { run, events, appendId, event }: Insert): Promise<number> {
  const seq = run.lastSeq + 1;
  const after = [...events, { ...event, seq, at: "" } as RunEvent];
  const text = run.status === "waiting" && nothingIsAwaited(after) ? APPEND_AND_WAKE : APPEND;
  const [stored] = await tx.query<StoredRow>(text, appendValues(run.id, appendId, [event]));
  assert(stored?.firstSeq === seq, "nothing comes between a row lock and its append");
  return seq;
}

/** Tells whether every call that the last wait was for has been closed. */
function nothingIsAwaited(events: readonly RunEvent[]): boolean {
  const waiting = events.findLast((event) => event.type === "run_waiting");
  if (!waiting || !isKnownEvent(waiting) || waiting.type !== "run_waiting") return false;
  return openHeldEntries(events, waiting.heldCallIds).length === 0;
}
