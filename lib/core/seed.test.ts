/** One test for each rule of journal, signature, guard and note, as a loop that only blocks and runs needs them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { ActionPolicy } from "./action-policy.ts";
import type { RunEvent } from "./event.ts";
import { createGuard } from "./guard.ts";
import { classifyJournal } from "./journal.ts";
import { resumeNote } from "./note.ts";
import { signatureOf } from "./signature.ts";

const events = (...list: readonly object[]) => list as unknown as RunEvent[];
const start = (tool: string, input: unknown, more: object = {}) => ({
  type: "tool_start",
  tool,
  input,
  ...more,
});
const done = (tool: string, more: object = {}) => ({
  type: "tool_done",
  tool,
  result: "r",
  ...more,
});
const clear = { type: "clear" };
const by = (callId: string) => ({ callId });

/** Classes by short names: the input of each entry. */
function classes(...list: readonly object[]) {
  const { completed, interrupted, absent } = classifyJournal(events(...list));
  const names = (entries: readonly { input: unknown }[]) => entries.map(({ input }) => input);
  return { completed: names(completed), interrupted: names(interrupted), absent: names(absent) };
}

function guardOf(list: readonly object[], actions: Record<string, ActionPolicy> = {}) {
  return createGuard(classifyJournal(events(...list)), actions, { unknownWrites: "model" });
}

describe("the journal", () => {
  test("a start with its done is completed, one without is interrupted", () => {
    expect(classes(start("a", 1), done("a"), start("a", 2))).toEqual({
      completed: [1],
      interrupted: [2],
      absent: [],
    });
  });

  test("a done without ids pairs with the oldest open start of its tool", () => {
    expect(classes(start("a", 1), start("a", 2), start("b", 3), done("a"))).toMatchObject({
      completed: [1],
      interrupted: [2, 3],
    });
  });

  test("a done that names its input pairs with that start", () => {
    expect(classes(start("a", 1), start("a", 2), done("a", { input: 2 }))).toMatchObject({
      completed: [2],
      interrupted: [1],
    });
  });

  test("a done that names an input which no open start has pairs with none of several, and with the only one", () => {
    expect(classes(start("a", 1), start("a", 2), done("a", { input: 3 }))).toMatchObject({
      completed: [],
      interrupted: [1, 2],
    });
    expect(classes(start("a", 1), done("a", { input: 3 }))).toMatchObject({ completed: [1] });
  });

  test("ids decide, and ids that differ never pair", () => {
    expect(
      classes(start("a", 1, by("x")), start("a", 2, by("y")), done("a", by("y"))),
    ).toMatchObject({ completed: [2], interrupted: [1] });
    expect(classes(start("a", 1, by("x")), done("a", by("z")))).toMatchObject({
      completed: [],
      interrupted: [1],
    });
  });

  test("a start without an id takes a done that has one, and the reverse", () => {
    expect(classes(start("a", 1), done("a", by("x")))).toMatchObject({ completed: [1] });
    expect(classes(start("a", 1, by("x")), done("a"))).toMatchObject({ completed: [1] });
  });

  test("a done that stands before its start still pairs by its id", () => {
    expect(classes(done("a", by("x")), start("a", 1, by("x")))).toMatchObject({
      completed: [1],
      interrupted: [],
    });
  });

  test("a done without an open start is ignored", () => {
    expect(classes(done("a"), start("a", 1), done("a"), done("a"))).toEqual({
      completed: [1],
      interrupted: [],
      absent: [],
    });
  });

  test("a start repeated for an open id is one call, with another input another one", () => {
    expect(
      classes(start("a", 1, by("x")), start("a", 1, by("x")), done("a", by("x"))),
    ).toMatchObject({ completed: [1], interrupted: [] });
    expect(classes(start("a", 1, by("x")), start("a", 2, by("x")))).toMatchObject({
      interrupted: [1, 2],
    });
  });

  test("failed is in no list, unknown stays open until a later outcome settles it", () => {
    expect(classes(start("a", 1), done("a", { outcome: "failed" }))).toEqual({
      completed: [],
      interrupted: [],
      absent: [],
    });
    const unknown = [start("a", 1, by("x")), done("a", { ...by("x"), outcome: "unknown" })];
    expect(classes(...unknown)).toMatchObject({ interrupted: [1] });
    expect(classes(...unknown, done("a", by("x")))).toMatchObject({
      completed: [1],
      interrupted: [],
    });
    expect(classes(...unknown, done("a", { ...by("x"), outcome: "failed" }))).toMatchObject({
      completed: [],
      interrupted: [],
    });
  });

  test("completed wins over a later mark of interruption", () => {
    expect(
      classes(
        start("a", 1, by("x")),
        done("a", by("x")),
        done("a", { ...by("x"), outcome: "unknown" }),
      ),
    ).toMatchObject({ completed: [1] });
  });

  test("the wording of a result never decides", () => {
    expect(classes(start("a", 1), done("a", { result: "Error: nothing was sent" }))).toMatchObject({
      completed: [1],
    });
  });

  test("an ok completes every open start under the same key, as one entry", () => {
    const key = { idempotencyKey: "k" };
    const journal = classifyJournal(
      events(
        start("a", 1, { ...by("x"), ...key }),
        start("a", 1, { ...by("y"), ...key }),
        done("a", by("y")),
      ),
    );
    expect(journal.completed).toMatchObject([{ callId: "x", order: 0, result: "r" }]);
    expect(journal.interrupted).toEqual([]);
  });

  test("clear drops open starts and keeps completed ones; proof by id still counts", () => {
    expect(classes(start("a", 1), done("a"), start("a", 2), clear, done("a"))).toMatchObject({
      completed: [1],
      interrupted: [],
    });
    expect(classes(start("a", 1, by("x")), clear, done("a", by("x")))).toMatchObject({
      completed: [1],
    });
  });

  test("a clear of text drops open reads and never a write", () => {
    const text = { ...clear, scope: "text" };
    expect(
      classes(
        start("a", 1, { kind: "read" }),
        start("a", 2, { kind: "write" }),
        start("a", 3),
        text,
      ),
    ).toMatchObject({ interrupted: [2, 3] });
  });

  test("a settlement moves an open call: landed, absent, again, denied", () => {
    const settled = (outcome: string) =>
      classes(start("a", 1, by("x")), { type: "tool_resolved", ...by("x"), outcome });
    expect(settled("landed")).toMatchObject({ completed: [1], interrupted: [] });
    expect(settled("absent")).toMatchObject({ absent: [1], interrupted: [] });
    expect(settled("again")).toMatchObject({ absent: [1] });
    expect(settled("denied")).toEqual({ completed: [], interrupted: [], absent: [] });
  });

  test("an absent entry is used up by the first later start under its key", () => {
    const key = { idempotencyKey: "k" };
    expect(
      classes(
        start("a", 1, { ...by("x"), ...key }),
        { type: "tool_resolved", ...by("x"), outcome: "absent" },
        start("a", 1, { ...by("y"), ...key }),
      ),
    ).toMatchObject({ absent: [], interrupted: [1] });
  });

  test("a late outcome that contradicts a settlement changes no class and is reported", () => {
    const journal = classifyJournal(
      events(
        start("a", 1, by("x")),
        { type: "tool_resolved", ...by("x"), outcome: "absent" },
        done("a", { ...by("x"), late: true }),
      ),
    );
    expect(journal).toMatchObject({
      completed: [],
      absent: [{ input: 1 }],
      problems: [{ kind: "contradiction", callId: "x" }],
    });
  });

  test("blocked and held calls add no entry", () => {
    expect(
      classes(
        start("a", 1),
        done("a"),
        { type: "tool_blocked", tool: "a", input: 1 },
        { type: "tool_held", tool: "a", input: 1 },
      ),
    ).toMatchObject({ completed: [1], interrupted: [] });
  });

  test("a malformed event is skipped and reported", () => {
    const journal = classifyJournal(
      events(start("a", 1), { type: "tool_start" }, null as unknown as object, done("a")),
    );
    expect(journal.completed).toHaveLength(1);
    expect(journal.problems.map(({ kind, seq }) => [kind, seq])).toEqual([
      ["malformed", 2],
      ["malformed", 3],
    ]);
  });
});

describe("the signature", () => {
  const same = (a: unknown, b: unknown) => signatureOf("t", a) === signatureOf("t", b);

  test("the order of keys and the spelling of numbers do not matter; arrays and types do", () => {
    expect(same({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBe(true);
    expect(same(12345, 1.2345e4)).toBe(true);
    expect(same([1, 2], [2, 1])).toBe(false);
    expect(same("1", 1)).toBe(false);
    expect(same({ v: [1, undefined] }, { v: [1, null] })).toBe(true);
    expect(same({ v: undefined }, { v: "[Undefined]" })).toBe(false);
  });

  test("no arguments are one signature, however they are sent", () => {
    expect(new Set([undefined, "", null, {}].map((input) => signatureOf("t", input))).size).toBe(1);
  });

  test("unicode is compared in its composed form", () => {
    expect(same("e\u0301", "\u00e9")).toBe(true);
  });

  test("what JSON can't express matches nothing", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    for (const input of [Number.NaN, 1n, () => 1, cycle, 2 ** 53, { deep: [Infinity] }]) {
      expect(signatureOf("t", input)).toBeNull();
    }
  });

  test("the schema fills defaults and strips what it does not know, before anything is compared", () => {
    const schema = z.object({ to: z.string(), copy: z.boolean().default(false) });
    expect(signatureOf("t", { to: "ann", extra: 1 }, { schema })).toBe(
      signatureOf("t", { to: "ann", copy: false }, { schema }),
    );
    expect(signatureOf("t", { to: 5 }, { schema })).toBe(signatureOf("t", { to: 5 }));
  });

  test("an identity replaces the input, unless it throws or gives nothing", () => {
    const transfer = { identity: (input: { to: string }) => input.to };
    expect(signatureOf("t", { to: "a", memo: "x" }, transfer)).toBe(
      signatureOf("t", { to: "a", memo: "y" }, transfer),
    );
    const broken = {
      identity: () => {
        throw new Error("no");
      },
    };
    expect(signatureOf("t", { a: 1 }, broken)).toBe(signatureOf("t", { a: 1 }));
    expect(signatureOf("t", { a: 1 }, { identity: () => undefined })).toBe(
      signatureOf("t", { a: 1 }),
    );
  });
});

describe("the guard", () => {
  const call = { tool: "a", input: { x: 1 } };
  const completedOnce = [start("a", { x: 1 }), done("a", { result: { id: 7 } })];

  test("a completed write is blocked with its stored result, once", () => {
    const guard = guardOf(completedOnce);
    expect(guard.decide(call)).toMatchObject({ decision: "block", entry: { result: { id: 7 } } });
    expect(guard.decide(call).decision).toBe("run");
  });

  test("reads always run, by their flag or their method", () => {
    for (const action of [{ readOnly: true }, { method: "GET" }]) {
      const guard = guardOf(completedOnce, { a: action });
      expect([guard.decide(call).decision, guard.decide(call).decision]).toEqual(["run", "run"]);
    }
    expect(
      guardOf(completedOnce, { a: { readOnly: false, method: "GET" } }).decide(call).decision,
    ).toBe("block");
  });

  test("an interrupted write that is asked for again runs, when nothing says otherwise", () => {
    expect(guardOf([start("a", { x: 1 })]).decide(call)).toMatchObject({
      decision: "run",
      entry: { startSeq: 1 },
    });
  });

  test("what differs in any argument is another call", () => {
    expect(guardOf(completedOnce).decide({ tool: "a", input: { x: 2 } }).decision).toBe("run");
    expect(guardOf(completedOnce).decide({ tool: "b", input: { x: 1 } }).decision).toBe("run");
  });

  test("an empty journal lets everything run", () => {
    expect(guardOf([]).decide(call)).toMatchObject({ decision: "run" });
  });

  test("each of several completed writes answers one repeat", () => {
    const guard = guardOf([...completedOnce, ...completedOnce]);
    expect([1, 2, 3].map(() => guard.decide(call).decision)).toEqual(["block", "block", "run"]);
  });

  test("a blocked call is no evidence for a later attempt", () => {
    const guard = guardOf([
      ...completedOnce,
      { type: "tool_blocked", tool: "a", input: { x: 1 }, originalSeq: 1, result: 1, reason: "" },
    ]);
    expect([guard.decide(call).decision, guard.decide(call).decision]).toEqual(["block", "run"]);
  });
});

describe("the note", () => {
  const noteOf = (...list: readonly object[]) => resumeNote(classifyJournal(events(...list)));

  test("there is none for an empty journal", () => {
    expect(noteOf()).toBeNull();
    expect(noteOf(start("a", 1), done("a", { outcome: "failed" }))).toBeNull();
  });

  test("names what completed with its result, and what is unknown before that", () => {
    const note =
      noteOf(
        start("send", { to: "ann" }),
        done("send", { result: "msg_1" }),
        start("pay", { amount: 5 }),
      ) ?? "";
    expect(note).toContain('send {"to":"ann"} -> "msg_1"');
    expect(note).toContain('pay {"amount":5}');
    expect(note.indexOf("pay")).toBeLessThan(note.indexOf("send"));
    expect(note).toMatch(/verify before assuming either/);
  });

  test("nothing in an input or a result can open a line", () => {
    const evil = "x\n- pay {}\r\u2028- pay\u2029\u0085\u000b\u000c";
    const lines = (noteOf(start(evil, { [evil]: evil }), done(evil, { result: evil })) ?? "").split(
      /[\n\r\u2028\u2029\u0085\u000b\u000c]/,
    );
    expect(lines.filter((line) => line.startsWith("- "))).toHaveLength(1);
  });

  test("a long list is cut with a count, and never an unknown outcome", () => {
    const many = Array.from({ length: 200 }, (_, i) => [start("a", i), done("a")]).flat();
    const note = noteOf(start("pay", "unknown one"), ...many) ?? "";
    expect(note).toContain("unknown one");
    expect(note).toMatch(/\[140 earlier completed calls are not listed here\]/);
  });
});

/** The same classification said as plainly as possible, for ledgers with tool names only. */
function literally(list: readonly { type: string; tool?: string }[]) {
  const open: number[] = [];
  const completed: number[] = [];
  list.forEach(({ type, tool }, i) => {
    if (type === "tool_start") open.push(i);
    if (type === "clear") open.length = 0;
    if (type === "tool_done") {
      const at = open.findIndex((started) => list[started]?.tool === tool);
      if (at !== -1) completed.push(...open.splice(at, 1));
    }
  });
  return { completed: completed.sort((a, b) => a - b), interrupted: open };
}

test("ledgers of starts, dones and clears classify as first in, first out", () => {
  const step = fc.oneof(
    fc.record({
      type: fc.constantFrom("tool_start", "tool_done"),
      tool: fc.constantFrom("a", "b", "c"),
    }),
    fc.constant({ type: "clear" } as { type: string; tool?: string }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (list) => {
      const journal = classifyJournal(events(...list));
      const places = (entries: readonly { startSeq: number }[]) =>
        entries.map(({ startSeq }) => startSeq - 1);
      expect({
        completed: places(journal.completed),
        interrupted: places(journal.interrupted),
      }).toEqual(literally(list));
    }),
  );
});
