import { describe, expect, test } from "vitest";
import { aLedger, type Sketch } from "../testing/builders.ts";
import type { ActionPolicy } from "./action-policy.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { classifyJournal } from "./journal.ts";

const input = { to: "ann" };
const opened = (callId: string): Sketch => ({ type: "tool_start", callId, tool: "send", input });
const closed = (callId: string): Sketch => ({ type: "tool_done", callId, tool: "send" });
const call = { tool: "send", input };

function guardOf(
  sketches: readonly Sketch[],
  action: ActionPolicy = {},
  options: GuardOptions = {},
) {
  return createGuard(classifyJournal(aLedger(sketches)), { send: action }, options);
}

describe("an interrupted write that is asked for again", () => {
  test.each<[string, ActionPolicy, GuardOptions, string]>([
    ["is held by default", {}, {}, "hold"],
    ["runs where the model is trusted", {}, { unknownWrites: "model" }, "run"],
    ["is held where the action says so", { onUnknown: "hold" }, { unknownWrites: "model" }, "hold"],
    ["runs where the action says so", { onUnknown: "run" }, {}, "run"],
    ["is verified where the action can", { verify: () => null, idempotent: true }, {}, "verify"],
    [
      "runs where the other side honours the key",
      { idempotent: true, onUnknown: "hold" },
      {},
      "run",
    ],
  ])("%s", (_name, action, options, decision) => {
    expect(guardOf([opened("c1")], action, options).decide(call)).toMatchObject({
      decision,
      entry: { callId: "c1" },
    });
  });

  test("runs under its own first key when it is idempotent", () => {
    expect(guardOf([opened("c1")], { idempotent: true }).decide(call).idempotencyKey).toBe(
      "run_test:c1",
    );
  });

  test("makes equal calls wait behind the one that is held", () => {
    const guard = guardOf([opened("c1")]);
    const first = guard.decide(call);
    guard.hold(first, "c2");
    expect(guard.decide(call)).toMatchObject({
      decision: "hold",
      behind: "c2",
      entry: { callId: "c1" },
    });
  });

  test("a completed one answers before an interrupted one asks", () => {
    const guard = guardOf([opened("c1"), opened("c2"), closed("c2")]);
    expect([guard.decide(call).decision, guard.decide(call).decision]).toEqual(["block", "hold"]);
  });
});

describe("an absent entry", () => {
  const absent: Sketch[] = [
    opened("c1"),
    { type: "tool_resolved", callId: "c1", outcome: "absent" },
  ];

  test("lets the call run under its first key, once", () => {
    const guard = guardOf(absent);
    expect(guard.decide(call)).toMatchObject({
      decision: "run",
      idempotencyKey: "run_test:c1",
      entry: { callId: "c1" },
    });
    expect(guard.decide(call).idempotencyKey).toBeUndefined();
  });
});

describe("a near miss", () => {
  test("names the earlier start that was left over", () => {
    expect(
      guardOf([opened("c1"), closed("c1")]).decide({ tool: "send", input: { to: "bob" } }),
    ).toMatchObject({ decision: "run", nearOf: 1 });
  });

  test("names none when the earlier one was claimed", () => {
    const guard = guardOf([opened("c1"), closed("c1")]);
    guard.decide(call);
    expect(guard.decide({ tool: "send", input: { to: "bob" } }).nearOf).toBeUndefined();
  });

  test("a write that can't be compared is held when its action has an entry", () => {
    expect(
      guardOf([opened("c1"), closed("c1")]).decide({ tool: "send", input: Number.NaN }).decision,
    ).toBe("hold");
    expect(guardOf([]).decide({ tool: "send", input: Number.NaN }).decision).toBe("run");
  });
});

describe("a held step that is being finished", () => {
  test("its own calls never answer it, and claims it made stay made", () => {
    const ledger = [
      opened("c1"),
      closed("c1"),
      opened("c2"),
      closed("c2"),
      opened("c3"),
      closed("c3"),
    ];
    const guard = guardOf(ledger, {}, { claimed: [1], excluded: ["c2", "c3"] });
    expect(guard.decide(call).decision).toBe("run");
  });
});

describe("what becomes known during the attempt", () => {
  test("an unknown outcome of the attempt itself can't be asked for again in silence", () => {
    const guard = guardOf([]);
    const [entry] = classifyJournal(aLedger([opened("c9")])).interrupted;
    if (entry) guard.noteUnknown(entry);
    expect(guard.decide(call)).toMatchObject({ decision: "hold", entry: { callId: "c9" } });
  });

  test("an entry that was closed meanwhile answers as what it is now", () => {
    const guard = guardOf([opened("c1")]);
    const { entry } = guard.decide(call);
    guard.learn(aLedger([opened("c1"), closed("c1")]), entry);
    expect(guard.decide(call)).toMatchObject({ decision: "block", entry: { callId: "c1" } });
    const other = guardOf([opened("c1")]);
    const claimed = other.decide(call).entry;
    other.learn(
      aLedger([opened("c1"), { type: "tool_done", callId: "c1", tool: "send", outcome: "failed" }]),
      claimed,
    );
    expect(other.decide(call)).toMatchObject({ decision: "run" });
  });
});
