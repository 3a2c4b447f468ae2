/**
 * The tables of the in-memory store and the one way to touch them. Invariant: a statement's work runs in one tick,
 * so statements never interleave; events are kept as JSON text and read by parsing it, so that nothing shared
 * with the caller can change what was stored. Time is the clock's that the store was made with.
 */
import { runNotFound } from "../core/errors.ts";
import type { NewEvent, RunEvent } from "../core/event.ts";
import type { OwnerId, RunId, ThreadId } from "../core/ids.ts";
import type { Clock, RunHead } from "../core/ports.ts";
import type { Effect, Lease, RunRecord } from "../core/run-record.ts";
import type { Gates, Statement } from "./memory-gates.ts";

export interface StoredEvent {
  readonly seq: number;
  readonly at: string;
  readonly json: string;
}

export interface StoredAppend {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: string;
}

/** A run's row; times in milliseconds on the store's clock. */
export type RunRow = {
  -readonly [Field in keyof Omit<RunRecord, "leaseLeftMs" | "nextTryAt">]: RunRecord[Field];
} & {
  readonly number: number;
  readonly clientToken: string | undefined;
  readonly events: StoredEvent[];
  readonly appends: Map<string, StoredAppend>;
  leaseExpiresMs: number;
  nextTryMs: number | null;
};

export interface ThreadRow {
  readonly id: ThreadId;
  readonly ownerId: OwnerId;
  readonly createdAt: string;
  title: string;
  /** Grows with each activity, so that the order is exact within one millisecond. */
  activity: number;
}

type Watcher = (head: RunHead) => void;

export class MemoryState {
  readonly runs = new Map<RunId, RunRow>();
  readonly threads = new Map<ThreadId, ThreadRow>();
  readonly effects: Effect[] = [];
  readonly watchers = new Map<RunId, Set<Watcher>>();
  readonly gates: Gates;
  readonly #clock: Clock;
  readonly #epochMs: number;
  #counter = 0;

  constructor(clock: Clock, gates: Gates, epochMs: number) {
    this.#clock = clock;
    this.gates = gates;
    this.#epochMs = epochMs;
  }

  nowMs(): number {
    return this.#epochMs + this.#clock.monotonicMs();
  }

  nowIso(): string {
    return isoOf(this.nowMs());
  }

  nextNumber(): number {
    return (this.#counter += 1);
  }

  /** Runs one statement: its gates, then its work in one tick, then its gates after the commit. */
  async statement<T>(name: Statement, work: () => T): Promise<T> {
    await this.gates.pass(name, "before");
    const result = work();
    await this.gates.pass(name, "after");
    return result;
  }

  /** Throws `run-not-found`. */
  row(runId: RunId): RunRow {
    const row = this.runs.get(runId);
    if (!row) throw runNotFound(runId);
    return row;
  }

  eventsOf(row: RunRow): RunEvent[] {
    return row.events.map(parseStored);
  }

  /** Numbers and inserts events, remembering the append. */
  insert(row: RunRow, appendId: string, texts: readonly string[]): StoredAppend {
    const at = this.nowIso();
    const firstSeq = row.lastSeq + 1;
    for (const json of texts) {
      row.lastSeq += 1;
      row.events.push({ seq: row.lastSeq, at, json });
    }
    const append = { firstSeq, lastSeq: row.lastSeq, at };
    row.appends.set(appendId, append);
    this.changed(row);
    return append;
  }

  /** Makes a run that nobody owns due at once. */
  makeDue(row: RunRow): void {
    row.status = "running";
    row.leaseOwner = null;
    row.leaseExpiresMs = this.nowMs();
    row.nextTryMs = null;
    row.endedAt = null;
  }

  record(row: RunRow): RunRecord {
    const { number: _n, clientToken: _c, events: _e, appends: _a, ...fields } = row;
    const { leaseExpiresMs, nextTryMs, ...shared } = fields;
    return {
      ...structuredClone(shared),
      leaseLeftMs: leaseExpiresMs - this.nowMs(),
      nextTryAt: nextTryMs === null ? null : isoOf(nextTryMs),
    };
  }

  head(row: RunRow): RunHead {
    const { id, lastSeq, status, attempts, leaseOwner, leaseLeftMs, fence, nextTryAt } =
      this.record(row);
    return { runId: id, lastSeq, status, attempts, leaseOwner, leaseLeftMs, fence, nextTryAt };
  }

  /** Tells watchers after the tick of the commit, as a notification would. */
  changed(row: RunRow): void {
    const watchers = this.watchers.get(row.id);
    if (!watchers || watchers.size === 0) return;
    queueMicrotask(() => {
      for (const watcher of [...watchers]) watcher(this.head(row));
    });
  }
}

/** Tells whether a lease still holds its run. Its expiry does not matter until somebody takes over. */
export function holds(row: RunRow, lease: Lease): boolean {
  return row.fence === lease.fence && row.status === "running" && row.leaseOwner === lease.owner;
}

/** Writes events as the database does, when the statement is sent. */
export function encodeEvents(events: readonly NewEvent[]): string[] {
  return events.map((event) => JSON.stringify(event));
}

export function parseStored({ seq, at, json }: StoredEvent): RunEvent {
  return { ...(JSON.parse(json) as Record<string, unknown>), seq, at } as RunEvent;
}

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
