import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "./event.ts";
import { createGuard } from "./guard.ts";
import { classifyJournal, JournalFold } from "./journal.ts";

const callId = fc.option(fc.constantFrom("x", "y", "z"), { nil: undefined });
const tool = fc.constantFrom("a", "b");
const input = fc.constantFrom(1, 2, null, { k: "v" });
const key = fc.option(fc.constantFrom("k1", "k2"), { nil: undefined });
const likely = fc.oneof(
  fc.record({
    type: fc.constant("tool_start"),
    tool,
    input,
    callId,
    idempotencyKey: key,
    kind: fc.constantFrom("read", "write", undefined),
  }),
  fc.record({
    type: fc.constant("tool_done"),
    tool,
    callId,
    input: fc.option(input, { nil: undefined }),
    outcome: fc.constantFrom("ok", "failed", "unknown", undefined),
    result: fc.anything(),
  }),
  fc.record({
    type: fc.constant("tool_resolved"),
    callId,
    outcome: fc.constantFrom("landed", "absent", "again", "denied", "approved"),
  }),
  fc.record({ type: fc.constant("clear"), scope: fc.constantFrom("text", undefined) }),
  fc.record({ type: fc.constant("tool_blocked"), tool, input, originalSeq: fc.nat() }),
  fc.record({ type: fc.constant("attempt_started"), attempt: fc.nat(5) }),
);
const ledger = fc.array(
  fc.oneof({ weight: 9, arbitrary: likely }, { weight: 1, arbitrary: fc.anything() }),
  { maxLength: 50 },
);
const asEvents = (list: readonly unknown[]) => list as RunEvent[];

test("classification never throws, on any list", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(likely, fc.anything())),
      (list) => void classifyJournal(asEvents(list)),
    ),
  );
});

test("reading event by event gives what reading at once gives, at every point", () => {
  fc.assert(
    fc.property(ledger, (list) => {
      const fold = new JournalFold();
      list.forEach((event, i) => {
        fold.push(event);
        expect(fold.result()).toEqual(classifyJournal(asEvents(list.slice(0, i + 1))));
      });
    }),
    { numRuns: 50 },
  );
});

test("adding a blocked or held event never changes the lists", () => {
  fc.assert(
    fc.property(
      ledger,
      fc.nat(),
      fc.constantFrom("tool_blocked", "tool_held"),
      (list, at, type) => {
        const place = at % (list.length + 1);
        const seq = (event: unknown, i: number) =>
          typeof event === "object" && event !== null ? { seq: i + 1, ...event } : event;
        const before = list.map(seq);
        const after = [
          ...before.slice(0, place),
          { seq: 9_999, type, tool: "a", input: 1, callId: "n" },
          ...before.slice(place),
        ];
        const { problems: _a, ...one } = classifyJournal(asEvents(before));
        const { problems: _b, ...two } = classifyJournal(asEvents(after));
        const plain = (journal: typeof one) =>
          JSON.stringify(journal, (name, value: unknown) =>
            name === "startSeq" ? undefined : value,
          );
        expect(plain(two)).toBe(plain(one));
      },
    ),
  );
});

test("every start is in at most one list, and keeps its order", () => {
  fc.assert(
    fc.property(ledger, (list) => {
      const { completed, interrupted, absent } = classifyJournal(asEvents(list));
      const orders = [...completed, ...interrupted, ...absent].map(({ order }) => order);
      expect(new Set(orders).size).toBe(orders.length);
      for (const entries of [completed, interrupted, absent]) {
        expect(entries.map(({ order }) => order)).toEqual(
          entries.map(({ order }) => order).sort((a, b) => a - b),
        );
      }
    }),
  );
});

test("a credit is never given twice in one attempt", () => {
  fc.assert(
    fc.property(ledger, fc.array(fc.record({ tool, input }), { maxLength: 30 }), (list, calls) => {
      const journal = classifyJournal(asEvents(list));
      const guard = createGuard(journal, {});
      const given = calls.flatMap((call) => {
        const decided = guard.decide(call);
        const { decision, entry, behind } = decided;
        if (decision === "hold" && entry && behind === undefined)
          guard.hold(decided, `held_${entry.startSeq}_${entry.order}`);
        return entry && behind === undefined ? [entry.order] : [];
      });
      expect(new Set(given).size).toBe(given.length);
    }),
  );
});

test("a long ledger in which every id is used again classifies in linear time", () => {
  const list = Array.from({ length: 40_000 }, (_, i) =>
    i % 2 === 0
      ? { type: "tool_start", tool: "a", input: i, callId: "same", idempotencyKey: "same" }
      : { type: "tool_done", tool: "a", callId: "same" },
  );
  expect(classifyJournal(asEvents(list)).completed).toHaveLength(20_000);
});
