/**
 * Rows to domain and back. A row that is not what this project writes is `store-corrupt`, told with its place,
 * never repaired or skipped. The check is of structure only: it runs for every event of every read.
 */
import { storeCorrupt } from "../core/errors.ts";
import type { NewEvent, RunEvent, RunInput } from "../core/event.ts";
import { isRecord } from "../core/event-fields.ts";
import { asOwnerId, asRunId, asThreadId } from "../core/ids.ts";
import type { RunHead } from "../core/ports.ts";
import type { Fault, ModelChoice, RunRecord, RunStatus } from "../core/run-record.ts";
import type { runEvents, runs } from "./schema.ts";

type RunColumns = typeof runs.$inferSelect;
type EventColumns = typeof runEvents.$inferSelect;

/** A run's row as `RUN_COLUMNS` selects it. */
export type RunRow = Omit<
  RunColumns,
  "number" | "clientToken" | "searchText" | "leaseExpiresAt"
> & { readonly leaseLeftMs: number };

export const RUN_COLUMNS = `
  runs.id,
  runs.thread_id as "threadId",
  runs.owner_id as "ownerId",
  runs.status,
  runs.input,
  runs.model,
  runs.faults,
  runs.attempts,
  runs.last_seq as "lastSeq",
  runs.fence,
  runs.lease_owner as "leaseOwner",
  ceil(extract(epoch from runs.lease_expires_at - clock_timestamp()) * 1000)::bigint as "leaseLeftMs",
  runs.next_try_at as "nextTryAt",
  runs.cancel_requested_at as "cancelRequestedAt",
  runs.resumable,
  runs.created_at as "createdAt",
  runs.ended_at as "endedAt"`;

const STATUSES: Record<RunStatus, true> = {
  running: true,
  waiting: true,
  done: true,
  failed: true,
  cancelled: true,
};

/** Throws `store-corrupt`. */
export function toRunRecord(row: RunRow): RunRecord {
  if (!isRecord(row.input) || !isRecord(row.model) || !Array.isArray(row.faults)) {
    throw storeCorrupt(`run ${row.id} has no input, model or faults`);
  }
  return {
    ...row,
    id: asRunId(row.id),
    threadId: asThreadId(row.threadId),
    ownerId: asOwnerId(row.ownerId),
    status: toStatus(row.id, row.status),
    input: row.input as unknown as RunInput,
    model: row.model as unknown as ModelChoice,
    faults: row.faults as Fault[],
  };
}

export type HeadRow = Pick<
  RunRow,
  "id" | "lastSeq" | "status" | "attempts" | "leaseOwner" | "leaseLeftMs" | "fence" | "nextTryAt"
>;

/** Throws `store-corrupt`. */
export function toRunHead({ id, status, ...row }: HeadRow): RunHead {
  return { runId: asRunId(id), status: toStatus(id, status), ...row };
}

export function toStatus(runId: string, status: string): RunStatus {
  if (Object.hasOwn(STATUSES, status)) return status as RunStatus;
  throw storeCorrupt(`run ${runId} has the status ${status}`);
}

/** An event's row as `EVENT_COLUMNS` selects it. JSON comes as text: only then is null apart from no value. */
export type EventRow = Pick<EventColumns, "seq" | "attempt" | "type" | "at"> & {
  readonly payload: string;
  readonly result: string | null;
};

export const EVENT_COLUMNS = `seq, attempt, type, at, payload::text as payload, result::text as result`;

/** Throws `store-corrupt`. */
export function toEvent(row: EventRow): RunEvent {
  const payload = parseJson(row.payload);
  if (!isRecord(payload) || row.type === "" || row.seq < 1 || row.attempt < 0) {
    throw storeCorrupt(`event ${row.seq} of type "${row.type}" is not an event`);
  }
  const { seq, at, attempt, type, result } = row;
  const event = { seq, at, attempt, type, ...payload };
  return (result === null ? event : { ...event, result: parseJson(result) }) as RunEvent;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw storeCorrupt("a payload is not JSON", cause);
  }
}

/** Events in the form the append statement takes them: one array per column. */
export interface EncodedEvents {
  readonly types: readonly string[];
  readonly attempts: readonly number[];
  readonly payloads: readonly string[];
  readonly results: readonly (string | null)[];
}

/** Throws a programmer's error for what JSON cannot express. */
export function encodeEvents(events: readonly NewEvent[]): EncodedEvents {
  const encoded = events.map(encodeEvent);
  return {
    types: events.map((event) => event.type),
    attempts: events.map((event) => event.attempt),
    payloads: encoded.map(({ payload }) => payload),
    results: encoded.map(({ result }) => result),
  };
}

function encodeEvent(event: NewEvent): { payload: string; result: string | null } {
  const { type: _type, attempt: _attempt, ...fields } = event;
  if (!("result" in fields)) return { payload: JSON.stringify(fields), result: null };
  const { result, ...payload } = fields;
  const text = JSON.stringify(result) as string | undefined;
  return { payload: JSON.stringify(payload), result: text ?? null };
}
