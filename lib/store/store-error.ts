/**
 * Tells what a driver's error means. Being away, overloaded, cut off or out of luck is `store-unavailable`, which
 * callers may repeat; everything else is a programmer's error and stays as it is. By code, never by text.
 */
import { AppError, storeUnavailable } from "../core/errors.ts";

/** SQLSTATE classes that pass: connection, resources, operator's intervention, system, access. */
const PASSING_CLASSES = ["08", "53", "57", "58", "28", "3D"];

/** serialization failure, deadlock, lock time-out, read-only after a failover, idle in transaction */
const PASSING_STATES = ["40001", "40P01", "55P03", "25006", "25P03"];

/** Of Node's sockets and of postgres.js. */
const PASSING_CODES = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
];

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Turns a driver's error into what callers see; an AppError passes unchanged. */
export function translateError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (code === undefined || !isPassing(code)) return error;
  return storeUnavailable(`${code}: ${error instanceof Error ? error.message : ""}`, error);
}

function isPassing(code: string): boolean {
  if (PASSING_CODES.includes(code) || PASSING_STATES.includes(code)) return true;
  return SQLSTATE.test(code) && PASSING_CLASSES.includes(code.slice(0, 2));
}

/** Tells whether a statement failed because this unique index already holds its values. */
export function violates(error: unknown, uniqueIndex: string): boolean {
  if (codeOf(error) !== "23505") return false;
  const { constraint, constraint_name: name } = error as {
    readonly constraint?: string;
    readonly constraint_name?: string;
  };
  return (constraint ?? name) === uniqueIndex;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
