/**
 * Reads the fields of an event without trusting them: what a projection may rely on when a ledger is foreign,
 * damaged or newer than the reader. Never throws.
 */
import type { CallKind, Outcome, Usage } from "./event.ts";

/** An event whose place is known, whatever its fields hold. */
export interface Fact {
  readonly seq: number;
  readonly at: string;
  readonly attempt: number;
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What stands in for a missing place. */
export interface Place {
  readonly lastSeq: number;
  readonly attempt: number;
}

/** Reads an event's place; undefined when the value is no event at all. */
export function factOf(event: unknown, place: Place): Fact | undefined {
  if (!isRecord(event)) return undefined;
  const { type } = event;
  if (typeof type !== "string") return undefined;
  const seq = wholeNumber(event["seq"]) ?? place.lastSeq + 1;
  const attempt = wholeNumber(event["attempt"]) ?? place.attempt;
  return { seq, at: textOf(event["at"]), attempt, type, fields: event };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A text that says something, else undefined. */
export function someText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function wholeNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A done without an outcome reads as ok: so do ledgers that have no such field. */
export function outcomeOf(value: unknown): Outcome {
  return value === "failed" || value === "unknown" ? value : "ok";
}

export function kindOf(value: unknown): CallKind {
  return value === "read" ? "read" : "write";
}

/** Adds the numbers that were reported; what was never reported stays missing. */
export function addUsage(sum: Usage, value: unknown): Usage {
  if (!isRecord(value)) return sum;
  const total: Record<string, number> = { ...sum };
  for (const name of ["inputTokens", "outputTokens", "totalTokens"] as const) {
    const tokens = value[name];
    if (typeof tokens === "number" && Number.isFinite(tokens)) {
      total[name] = (total[name] ?? 0) + tokens;
    }
  }
  return total;
}

/** Tells whether two JSON values are equal; the order of keys does not count. */
export function sameJson(a: unknown, b: unknown, depth = 64): boolean {
  if (Object.is(a, b)) return true;
  if (depth === 0 || typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameJson(item, b[i], depth - 1))
    );
  }
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key], depth - 1))
  );
}
