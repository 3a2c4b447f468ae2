/**
 * One small interface for both drivers: text with `$n` in, rows out, errors translated. Everything above it is the
 * same SQL on PostgreSQL and on the embedded database. What a driver hands out is converted here and nowhere else.
 */
import type { Limits } from "../core/limits.ts";
import type { Clock, Log, Tx, TxValue } from "../core/ports.ts";

export type SqlValue = TxValue;

/** Runs statements. Throws `store-unavailable`; other errors of the database as they are. */
export type Sql = Tx;

export interface Database extends Sql {
  readonly kind: "postgres" | "pglite";
  /**
   * Runs statements in one transaction (read committed) on one connection; a throw rolls back. Nothing else may be
   * awaited inside. The fate of a commit whose answer is lost is unknown: the caller sees `store-unavailable`.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
}

/** Type numbers of PostgreSQL's catalogue. */
const INT8 = 20;
const TIMESTAMPTZ = 1184;

/** How both drivers read what JavaScript has no exact type for. */
export const PARSERS = {
  [INT8]: parseWhole,
  [TIMESTAMPTZ]: (text: string) => new Date(text).toISOString(),
} as const;

export { INT8, TIMESTAMPTZ };

function parseWhole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not an exact number`);
  return value;
}

/**
 * Makes values that the wire can carry: `text` has no NUL. Nothing stored as text can hold one, so a replaced one
 * just matches nothing. JSON escapes it and stays as it is. (Both drivers replace a lone surrogate themselves.)
 */
export function storable(value: SqlValue): SqlValue {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) {
    return (value as readonly (string | number | null)[]).map((item) =>
      typeof item === "string" ? storableText(item) : item,
    );
  }
  return value;
}

export function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}
