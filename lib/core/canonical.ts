/**
 * RFC 8785 canonical JSON: one text for every value that JSON can express, whatever the order of its keys or the
 * spelling of its numbers. What JSON can't express has no text (null); nothing here throws.
 *
 * Decisions where the RFC leaves room or refuses: strings and keys are compared in Unicode NFC; a lone surrogate
 * is written as its escape, so that a broken emoji still has one text; members that are undefined are dropped and
 * undefined array items are null, as in JSON; a Date, Map or instance of a class is not JSON and has no text.
 */

/** Nesting that no real input reaches; deeper values have no text. Source: half of what the stack takes. */
const DEPTH_MAX = 1_000;

/** Thrown inside this file only, to leave a nested value that has no text. */
const NO_TEXT = new Error("no canonical text");

/** Returns the canonical text of a JSON value, or null where JSON can't express it exactly. */
export function canonicalText(value: unknown): string | null {
  const parts: string[] = [];
  try {
    write(value, parts, new Set());
  } catch {
    // Not JSON, too deep, or a getter that throws: either way there is no text to compare.
    return null;
  }
  return parts.join("");
}

/** Tells whether a value is an object as JSON has them: no array, no instance of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The second look lets objects of another realm pass, whose Object.prototype is not ours.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function write(value: unknown, parts: string[], ancestors: Set<object>): void {
  switch (typeof value) {
    case "string":
      parts.push(JSON.stringify(value.normalize("NFC")));
      return;
    case "number":
      parts.push(numberText(value));
      return;
    case "boolean":
      parts.push(value ? "true" : "false");
      return;
    case "object":
      if (value === null) parts.push("null");
      else writeNested(value, parts, ancestors);
      return;
    default:
      throw NO_TEXT;
  }
}

/** An integer beyond 2^53 may already be another number than the one that was sent. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) throw NO_TEXT;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw NO_TEXT;
  return JSON.stringify(value);
}

function writeNested(value: object, parts: string[], ancestors: Set<object>): void {
  if (ancestors.has(value) || ancestors.size >= DEPTH_MAX) throw NO_TEXT;
  ancestors.add(value);
  if (Array.isArray(value)) writeArray(value, parts, ancestors);
  else if (isPlainObject(value)) writeObject(value, parts, ancestors);
  else throw NO_TEXT;
  ancestors.delete(value);
}

function writeArray(items: readonly unknown[], parts: string[], ancestors: Set<object>): void {
  parts.push("[");
  for (let i = 0; i < items.length; i += 1) {
    if (i > 0) parts.push(",");
    write(items[i] === undefined ? null : items[i], parts, ancestors);
  }
  parts.push("]");
}

function writeObject(
  object: Readonly<Record<string, unknown>>,
  parts: string[],
  ancestors: Set<object>,
): void {
  const keys = Object.keys(object)
    .map((key) => ({ key, text: key.normalize("NFC") }))
    // By UTF-16 code units, as the RFC says; keys that differ only before NFC keep an order of their own.
    .sort((a, b) => compare(a.text, b.text) || compare(a.key, b.key));
  let separator = "{";
  for (const { key, text } of keys) {
    const member = object[key];
    if (member === undefined) continue;
    parts.push(separator, JSON.stringify(text), ":");
    write(member, parts, ancestors);
    separator = ",";
  }
  parts.push(separator === "{" ? "{}" : "}");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
