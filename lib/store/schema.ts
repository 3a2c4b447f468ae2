/**
 * The tables, as drizzle-kit turns them into migrations. lib/store is the only folder that knows PostgreSQL: it
 * implements the ports of lib/core/ports.ts and nothing else imports a driver.
 * Times are `timestamptz` on the database's clock, numbers that may grow are 64 bit. Payloads are `json`, not
 * `jsonb`: `json` keeps the text as it was sent, with key order, escaped NUL and lone surrogates.
 */
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";

const time = () => timestamp({ withTimezone: true, mode: "string" });
const whole = () => bigint({ mode: "number" });

/** A conversation. */
export const threads = pgTable(
  "threads",
  {
    id: text().primaryKey(),
    ownerId: text().notNull(),
    /** First words of the first message; empty before it. */
    title: text().notNull().default(""),
    createdAt: time().notNull(),
    /** When the last run was created, or the thread itself. */
    activeAt: time().notNull(),
  },
  (table) => [index("threads_by_activity").on(table.ownerId, table.activeAt)],
);

/** One message and all the work done for it. Its row is locked by everything that appends to its ledger. */
export const runs = pgTable(
  "runs",
  {
    id: text().primaryKey(),
    /** In the order of creation: what pages of runs go by. */
    number: whole().generatedAlwaysAsIdentity(),
    threadId: text()
      .notNull()
      .references(() => threads.id),
    ownerId: text().notNull(),
    /** What the client named its request; the same request again finds this run. */
    clientToken: text(),
    status: text().notNull(),
    input: json().notNull(),
    /** The request's words, for the filter of the runs list: without what `text` can't hold. */
    searchText: text().notNull(),
    model: json().notNull(),
    faults: json().notNull(),
    /** Number of the last attempt that started; 0 before the first. */
    attempts: integer().notNull(),
    /** seq of the newest event; the next append goes on from it. */
    lastSeq: whole().notNull(),
    /** Grows with every change of owner; every append names it. */
    fence: whole().notNull(),
    /** The process that may append, or null when nobody may. */
    leaseOwner: text(),
    /** From then on anybody may claim a running run. */
    leaseExpiresAt: time().notNull(),
    /** Nobody claims the run before, except to cancel it. */
    nextTryAt: time(),
    cancelRequestedAt: time(),
    /** For a failed run: whether a person may let it go on. */
    resumable: boolean().notNull(),
    createdAt: time().notNull(),
    endedAt: time(),
  },
  (table) => [
    // A second active run of a thread is refused by the database, not by a look-up. The sweep reads it too: it
    // holds exactly the active runs.
    uniqueIndex("runs_one_active_per_thread")
      .on(table.threadId)
      .where(sql`status in ('running', 'waiting')`),
    // A token belongs to its owner: two owners may use the same one.
    uniqueIndex("runs_client_token")
      .on(table.ownerId, table.clientToken)
      .where(sql`client_token is not null`),
    index("runs_by_owner").on(table.ownerId, table.number),
    index("runs_by_thread").on(table.threadId, table.number),
    check("runs_status", sql`status in ('running', 'waiting', 'done', 'failed', 'cancelled')`),
  ],
);

/**
 * The ledger: append-only, seq from 1 without gaps in each run. No foreign key: the one statement that inserts
 * takes the run's id from the row it has just updated.
 */
export const runEvents = pgTable(
  "run_events",
  {
    runId: text().notNull(),
    seq: whole().notNull(),
    /** 0 before the first attempt. */
    attempt: integer().notNull(),
    type: text().notNull(),
    /** The same for all events of one append. */
    at: time().notNull(),
    /** On the first event of an append: a repeat of the append finds it, or violates the index. */
    appendId: text(),
    /** The event without seq, at, attempt, type and result. */
    payload: json().notNull(),
    /** The event's result, apart, so that lists of calls do not load it; null = it has none. */
    result: json(),
  },
  (table) => [
    primaryKey({ name: "run_events_pk", columns: [table.runId, table.seq] }),
    uniqueIndex("run_events_append")
      .on(table.runId, table.appendId)
      .where(sql`append_id is not null`),
  ],
);

/** What the demo world received. It stands for the outside world: no reference to a run, never in a run's commit. */
export const effects = pgTable(
  "effects",
  {
    number: whole().generatedAlwaysAsIdentity().primaryKey(),
    runId: text().notNull(),
    action: text().notNull(),
    input: json().notNull(),
    idempotencyKey: text().notNull(),
    /** Whether the action honours the key: then the world takes it once. */
    onceByKey: boolean().notNull(),
    at: time().notNull(),
  },
  (table) => [
    uniqueIndex("effects_once_by_key")
      .on(table.idempotencyKey)
      .where(sql`once_by_key`),
    index("effects_by_key").on(table.idempotencyKey),
    index("effects_by_run").on(table.runId),
  ],
);
