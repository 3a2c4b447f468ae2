import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differencesOf, nearFormsOf } from "./near.ts";

const isNear = (a: unknown, b: unknown) => {
  const [x, y] = [nearFormsOf(a), nearFormsOf(b)];
  if (x.whole === null || y.whole === null) return false;
  return x.whole === y.whole || x.shorter.includes(y.whole) || y.shorter.includes(x.whole);
};

describe("near matches", () => {
  it.each([
    ["a number as a text", { amount: 20 }, { amount: "20" }],
    ["a number with decimals", { amount: "20.00" }, { amount: 20 }],
    ["a number with an exponent", { amount: "2e1" }, { amount: 20 }],
    ["leading zeros", { zip: "00123" }, { zip: 123 }],
    ["letter case", { to: "Ada@Example.com" }, { to: "ada@example.com" }],
    ["white space", { subject: " March  report\n" }, { subject: "March report" }],
    ["a day written out", { on: "2026-12-04" }, { on: "4 December 2026" }],
    ["a day with the month first", { on: "2026-12-04" }, { on: "Dec 4th, 2026" }],
    ["a day with slashes", { on: "2026-12-04" }, { on: "2026/12/04" }],
    ["a day as its midnight", { on: "2026-12-04" }, { on: "2026-12-04T00:00:00Z" }],
    ["one moment in two zones", { at: "2026-12-04T10:00:00+01:00" }, { at: "2026-12-04T09:00Z" }],
    ["one field more", { to: "a", amount: 1 }, { to: "a", amount: 1, memo: "x" }],
    [
      "one field less, in another form",
      { to: "A", amount: 1, memo: "x" },
      { to: "a", amount: "1" },
    ],
    ["a form inside a list", { items: [{ price: 5 }] }, { items: [{ price: "5.0" }] }],
  ])("are: %s", (_, a, b) => {
    expect([isNear(a, b), isNear(b, a)]).toEqual([true, true]);
  });

  it.each([
    ["another value", { to: "ada" }, { to: "bob" }],
    ["another number", { amount: 20 }, { amount: "20.01" }],
    ["a date that names two days", { on: "04/12/2026" }, { on: "2026-12-04" }],
    ["a day that is none", { on: "31 February 2026" }, { on: "2026-03-03" }],
    ["a word that begins like a month", { on: "4 Marble 2026" }, { on: "2026-03-04" }],
    ["two fields more", { a: 1 }, { a: 1, b: 2, c: 3 }],
    ["a field more and another value", { a: 1, b: 1 }, { a: 2, b: 1, c: 3 }],
    ["the order of a list", { v: [1, 2] }, { v: [2, 1] }],
    ["a text that looks like our mark", { v: "moment 0" }, { v: "1970-01-01" }],
    ["digits beyond what a number keeps", { v: "12345678901234567" }, { v: "12345678901234568" }],
    ["what is not JSON", { v: Number.NaN }, { v: Number.NaN }],
    ["the only field left out", { a: 1 }, {}],
  ])("are not: %s", (_, a, b) => {
    expect([isNear(a, b), isNear(b, a)]).toEqual([false, false]);
  });

  it("never throw, and every JSON value is near itself", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isNear(value, structuredClone(value))).toBe(nearFormsOf(value).whole !== null);
      }),
    );
    fc.assert(fc.property(fc.anything(), (value) => void nearFormsOf(value)));
  });
});

describe("differences", () => {
  it("name each field with its kind and both values", () => {
    const before = { to: "Ada", amount: 20, on: "2026-12-04", note: "a  b", old: 1, same: [1] };
    const after = { to: "ada", amount: "20.0", on: "4 Dec 2026", note: "a b", fresh: 2, same: [1] };
    expect(differencesOf(before, after)).toEqual([
      { path: "to", kind: "case", before: "Ada", after: "ada" },
      { path: "amount", kind: "number", before: 20, after: "20.0" },
      { path: "on", kind: "date", before: "2026-12-04", after: "4 Dec 2026" },
      { path: "note", kind: "space", before: "a  b", after: "a b" },
      { path: "old", kind: "missing", before: 1 },
      { path: "fresh", kind: "added", after: 2 },
    ]);
  });

  it("name the place inside lists and objects", () => {
    expect(differencesOf({ a: { b: [1, { c: "x" }] } }, { a: { b: [1, { c: "y" }] } })).toEqual([
      { path: "a.b[1].c", kind: "value", before: "x", after: "y" },
    ]);
  });

  it("are none between equal inputs, whatever the order of keys", () => {
    expect(differencesOf({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
  });
});
