/**
 * A request becomes a run: the row and its `run_started` in one commit. Look-ups only find the answer in the common
 * case; the unique indexes decide, also between two servers: whoever violates one looks again and then finds the
 * other's run.
 */
import { isDeepStrictEqual } from "node:util";
import { idempotencyConflict, runBusy, storeUnavailable, threadNotFound } from "../core/errors.ts";
import type { NewEvent, RunInput } from "../core/event.ts";
import type { ThreadId } from "../core/ids.ts";
import type { NewRun } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import { appendStatement, appendValues } from "./append-statement.ts";
import { type Database, type Sql, storableText } from "./database.ts";
import { RUN_COLUMNS, type RunRow, toRunRecord } from "./rows.ts";
import { violates } from "./store-error.ts";

export interface RunCreated {
  readonly run: RunRecord;
  readonly created: boolean;
}

/** Source: after one violation the other request has committed, and the next look finds its run. */
const TRIES_MAX = 5;

/** Throws `thread-not-found`, `run-busy`, `idempotency-conflict`, `store-unavailable`. */
export async function createRun(database: Database, asked: NewRun): Promise<RunCreated> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      return await database.transaction((tx) => createIn(tx, asked));
    } catch (error) {
      if (!RACES.some((index) => violates(error, index))) throw error;
    }
  }
  throw storeUnavailable(`thread ${asked.threadId} changed during every look at it`);
}

const RACES = ["runs_client_token", "runs_one_active_per_thread"];

const FIND_THREAD = `
select
from threads
where owner_id = $1
  and id = $2
-- Taken before any look at the thread's runs: what a request at the same time has made is then seen as committed.
for update`;

async function createIn(tx: Sql, asked: NewRun): Promise<RunCreated> {
  const [thread] = await tx.query(FIND_THREAD, [asked.ownerId, asked.threadId]);
  if (!thread) throw threadNotFound(asked.threadId);
  const earlier = await findEarlier(tx, asked);
  if (earlier) {
    if (!isSameRequest(earlier, asked)) throw idempotencyConflict(asked.clientToken ?? "");
    return { run: earlier, created: false };
  }
  await assertNoneActive(tx, asked.threadId);
  await insertRun(tx, asked);
  const run = await insertStarted(tx, asked);
  return { run, created: true };
}

const FIND_EARLIER = `
select ${RUN_COLUMNS}
from runs
where owner_id = $1
  and client_token = $2`;

async function findEarlier(tx: Sql, asked: NewRun): Promise<RunRecord | undefined> {
  if (asked.clientToken === undefined) return undefined;
  const [row] = await tx.query<RunRow>(FIND_EARLIER, [asked.ownerId, asked.clientToken]);
  return row && toRunRecord(row);
}

function isSameRequest(earlier: RunRecord, asked: NewRun): boolean {
  return isDeepStrictEqual(requestOf(earlier), asJson(requestOf(asked)));
}

function requestOf({ threadId, input, model, faults }: NewRun | RunRecord) {
  return { threadId, input, model, faults };
}

/** What becomes of a value that is stored: fields that are undefined are gone. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Throws `run-busy` with the active run's id. */
export async function assertNoneActive(sql: Sql, threadId: ThreadId): Promise<void> {
  const [active] = await sql.query<{ id: string }>(
    `select id from runs where thread_id = $1 and status in ('running', 'waiting')`,
    [threadId],
  );
  if (active) throw runBusy("The conversation has a run at work.", { runId: active.id });
}

const INSERT_RUN = `
with thread as (
  update threads
  set active_at = clock_timestamp(), title = case when title = '' then $9 else title end
  where id = $2
)
insert into runs (
  id, thread_id, owner_id, client_token, input, search_text, model, faults,
  status, attempts, last_seq, fence, resumable, lease_expires_at, created_at
)
select
  $1, $2, $3, $4, $5::text::json, $6, $7::text::json, $8::text::json,
  'running', 0, 0, 0, false, now, now
from clock_timestamp() as now`;

async function insertRun(tx: Sql, asked: NewRun): Promise<void> {
  const words = wordsOf(asked.input);
  await tx.query(INSERT_RUN, [
    asked.runId,
    asked.threadId,
    asked.ownerId,
    asked.clientToken ?? null,
    JSON.stringify(asked.input),
    storableText(words),
    JSON.stringify(asked.model),
    JSON.stringify(asked.faults),
    words.trim().slice(0, TITLE_CHARS_MAX),
  ]);
}

/** Source: what a list shows of a conversation. */
const TITLE_CHARS_MAX = 80;

function wordsOf(input: RunInput): string {
  return input.kind === "message" ? input.text : input.action;
}

const APPEND_STARTED = appendStatement({ set: "", where: "and last_seq = 0" });

async function insertStarted(tx: Sql, asked: NewRun): Promise<RunRecord> {
  const started: NewEvent = { type: "run_started", attempt: 0, input: asked.input };
  await tx.query(APPEND_STARTED, appendValues(asked.runId, "run_started", [started]));
  const [row] = await tx.query<RunRow>(`select ${RUN_COLUMNS} from runs where id = $1`, [
    asked.runId,
  ]);
  if (!row) throw storeUnavailable(`run ${asked.runId} is not where it was inserted`);
  return toRunRecord(row);
}
