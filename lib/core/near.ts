/**
 * Near matches: two inputs of one action that a person would take for the same, though they are not equal. The rules
 * are exact and need no model:
 *
 *   number  a number and a text that is a decimal number of the same value: 20, "20", "20.00", "2e1"
 *   case    texts that are equal in lower case
 *   space   texts that are equal with white space trimmed and each run of it taken as one space
 *   date    texts that name the same day or the same moment: 2026-12-04, 2026/12/04, "4 December 2026",
 *           "Dec 4, 2026", 2026-12-04T00:00:00Z; a day is midnight UTC; 04/12/2026 names two days and is no date
 *   field   one field of the input more or less, all others equal by the rules above
 *
 * What the rules take as equal has one text, the loose one, so that a near match is found by look-up.
 */
import { canonicalText, isPlainObject } from "./canonical.ts";

export type DifferenceKind = "value" | "number" | "case" | "space" | "date" | "added" | "missing";

/** One place at which a call differs from an earlier one. */
export interface FieldDifference {
  /** As in `items[0].price`; empty for the whole input. */
  readonly path: string;
  readonly kind: DifferenceKind;
  /** Of the earlier call; not there with `added`. */
  readonly before?: unknown;
  /** Of this call; not there with `missing`. */
  readonly after?: unknown;
}

/** By what an input is found from near ones. */
export interface NearForms {
  /** The loose text; null for what is not JSON. */
  readonly whole: string | null;
  /** The loose texts without one field each. */
  readonly shorter: readonly string[];
}

/** Inputs with more fields are compared as a whole only. Source: the texts grow with the square of the fields. */
const FIELDS_MAX = 32;

/** The forms of an input, or of what an identity made of it. Never throws. */
export function nearFormsOf(value: unknown): NearForms {
  const whole = looseText(value);
  if (whole === null || !isPlainObject(value)) return { whole, shorter: [] };
  const fields = Object.keys(value).filter((name) => value[name] !== undefined);
  if (fields.length < 2 || fields.length > FIELDS_MAX) return { whole, shorter: [] };
  const shorter = fields.map((left) =>
    looseText(Object.fromEntries(fields.filter((f) => f !== left).map((f) => [f, value[f]]))),
  );
  return { whole, shorter: shorter.filter((text) => text !== null) };
}

/** Where two inputs differ, field by field, in the order of the fields. Equal ones have no difference. */
export function differencesOf(before: unknown, after: unknown): readonly FieldDifference[] {
  const found: FieldDifference[] = [];
  compare("", before, after, found);
  return found;
}

function compare(path: string, before: unknown, after: unknown, found: FieldDifference[]): void {
  if (canonicalText(before) === canonicalText(after) && canonicalText(before) !== null) return;
  if (isPlainObject(before) && isPlainObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const name of names) {
      compare(path === "" ? name : `${path}.${name}`, before[name], after[name], found);
    }
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    before.forEach((item, i) => compare(`${path}[${i}]`, item, after[i], found));
    return;
  }
  if (before === undefined) found.push({ path, kind: "added", after });
  else if (after === undefined) found.push({ path, kind: "missing", before });
  else found.push({ path, kind: kindOf(before, after), before, after });
}

function kindOf(before: unknown, after: unknown): DifferenceKind {
  if (numberOf(before) !== undefined && numberOf(before) === numberOf(after)) return "number";
  if (typeof before !== "string" || typeof after !== "string") return "value";
  if (momentOf(before) !== undefined && momentOf(before) === momentOf(after)) return "date";
  if (spaced(before) === spaced(after)) return "space";
  return spaced(before).toLowerCase() === spaced(after).toLowerCase() ? "case" : "value";
}

function looseText(value: unknown): string | null {
  // What JSON can't express is found here: the walk below meets only trees.
  return canonicalText(value) === null ? null : canonicalText(loose(value));
}

/** Texts carry a mark, so that none can look like a number or a date. */
function loose(value: unknown): unknown {
  if (typeof value === "number") return value;
  if (typeof value === "string") return looseOfText(value);
  if (Array.isArray(value)) return value.map(loose);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, loose(item)]));
}

function looseOfText(text: string): unknown {
  const number = numberOf(text);
  if (number !== undefined) return number;
  const moment = momentOf(text);
  return moment === undefined ? `text ${spaced(text).toLowerCase()}` : `moment ${moment}`;
}

const spaced = (text: string): string => text.normalize("NFC").trim().replace(/\s+/gu, " ");

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value.trim())) {
    return undefined;
  }
  const number = Number(value);
  // Digits that a number can't keep are a text: two of them may round to one.
  return Number.isFinite(number) && String(value).replace(/\D/g, "").length <= 15
    ? number
    : undefined;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const ISO =
  /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d*)?)?\s*([Zz]|[+-]\d{2}:?\d{2})?)?$/;
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)?\.? ([a-z]{3,9})\.?,? (\d{4})$/;
const MONTH_FIRST = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/;

/** Milliseconds since 1970 of what a text names; a time without a zone is taken as UTC. */
function momentOf(text: string): number | undefined {
  const trimmed = spaced(text);
  const iso = ISO.exec(trimmed);
  if (iso) return momentOfIso(iso);
  const lower = trimmed.toLowerCase();
  const [, day, month, year] = DAY_FIRST.exec(lower) ?? [];
  if (day !== undefined) return dayOf(year, monthOf(month), day);
  const [, named, ofMonth, inYear] = MONTH_FIRST.exec(lower) ?? [];
  return dayOf(inYear, monthOf(named), ofMonth);
}

function momentOfIso(found: RegExpExecArray): number | undefined {
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone] = found;
  const date = dayOf(year, Number(month), day);
  if (date === undefined) return undefined;
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (h > 23 || m > 59 || s > 59) return undefined;
  return date + ((h * 60 + m) * 60 + s) * 1000 + Number(fraction.padEnd(3, "0")) - offsetOf(zone);
}

function offsetOf(zone: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? "");
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return (match[1] === "-" ? -minutes : minutes) * 60_000;
}

const FULL_MONTHS =
  "january february march april may june july august september october november december";

function monthOf(name: string | undefined): number {
  const month = MONTHS.indexOf((name ?? "").slice(0, 3));
  const full = FULL_MONTHS.split(" ")[month] ?? "";
  // "marble" is no month although it begins like one.
  return name === MONTHS[month] || name === full || (name === "sept" && month === 8)
    ? month + 1
    : 0;
}

function dayOf(year: string | undefined, month: number, day: string | undefined) {
  if (year === undefined || day === undefined || month < 1 || month > 12) return undefined;
  const moment = Date.UTC(Number(year), month - 1, Number(day));
  // The 31st of February is no day.
  return new Date(moment).getUTCDate() === Number(day) ? moment : undefined;
}
