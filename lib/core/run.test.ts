import { describe, expect, test } from "vitest";
import fc from "fast-check";
import type { RunEvent } from "./event.ts";
import { foldRun, foldRunAll, initialRunState } from "./run.ts";
import type { RunState } from "./run-view.ts";
import {
  attemptEnded,
  attemptStarted,
  BLOCKED,
  HELD,
  ledgerOf,
  MAIL,
  PLAIN,
  planned,
  runDone,
  runStarted,
  SAME_KEY,
  type Step,
  stepFinished,
  THREE_MAILS,
  toolDone,
  toolHeld,
  toolResolved,
  toolStart,
} from "../testing/ledgers.ts";

const fold = (events: readonly RunEvent[]) => foldRunAll(initialRunState(), events);

/** The rows as short lines: state of the row, then each call with its attempt and state. */
function rowsOf(state: RunState): string[] {
  return state.intents.map(
    (row) =>
      `${row.tool} ${row.state}: ${row.calls.map((call) => `${call.callId}@${call.attempt} ${call.state}`).join(", ")}`,
  );
}

const countsOf = ({ counts: c }: RunState) =>
  `asked ${c.asked} effects ${c.effects} prevented ${c.prevented} unknown ${c.unknown} needsYou ${c.needsYou}`;

const a = planned("a", "send_email", MAIL);
const b = planned("b", "send_email", MAIL);
const open = (...more: readonly Step[]): RunEvent[] =>
  ledgerOf(runStarted(), attemptStarted(1), stepFinished(1, [a]), toolStart(1, a), ...more);

describe("rows", () => {
  test("a plain run has one completed row per call", () => {
    const state = fold(PLAIN);
    expect(rowsOf(state)).toEqual([
      "send_email completed: call_1_1_0@1 completed",
      "list_mail completed: call_1_1_1@1 completed",
    ]);
    expect(countsOf(state)).toBe("asked 1 effects 1 prevented 0 unknown 0 needsYou 0");
    expect([state.status, state.phase, state.usage]).toEqual([
      "done",
      "done",
      { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
    ]);
  });

  test("a blocked repeat shares the row of the call it repeats", () => {
    const state = fold(BLOCKED);
    expect(rowsOf(state)).toEqual([
      "send_email completed: call_1_1_0@1 completed, call_2_1_0@2 blocked",
    ]);
    expect(countsOf(state)).toBe("asked 2 effects 1 prevented 1 unknown 0 needsYou 0");
  });

  test("a held repeat shares the row of the open call and asks a person", () => {
    const state = fold(HELD);
    expect(rowsOf(state)).toEqual(["send_email held: call_1_1_0@1 interrupted, call_2_1_0@2 held"]);
    expect(countsOf(state)).toBe("asked 2 effects 0 prevented 0 unknown 1 needsYou 1");
    expect([state.status, state.phase]).toEqual(["waiting", "waiting"]);
  });

  test("calls that wait behind a held one stand in its row until they start", () => {
    expect(rowsOf(fold(THREE_MAILS.slice(0, 13)))).toEqual([
      "send_email held: call_1_1_0@1 interrupted, call_2_1_0@2 held, call_2_1_1@2 held, call_2_1_2@2 held",
      "send_email not_started: call_1_1_1@1 not_started",
      "send_email not_started: call_1_1_2@1 not_started",
    ]);
  });

  test("three wanted mails are three rows in the end, and three effects", () => {
    const state = fold(THREE_MAILS);
    expect(rowsOf(state)).toEqual([
      "send_email settled_landed: call_1_1_0@1 settled_landed, call_2_1_0@2 blocked, call_3_1_0@3 blocked",
      "send_email completed: call_1_1_1@1 not_started, call_2_1_1@2 completed, call_3_1_1@3 blocked",
      "send_email completed: call_1_1_2@1 not_started, call_2_1_2@2 completed, call_3_1_2@3 blocked",
    ]);
    expect(countsOf(state)).toBe("asked 9 effects 3 prevented 4 unknown 0 needsYou 0");
  });

  test("two starts under one key are one row and one effect once one of them is proven", () => {
    const state = fold(SAME_KEY);
    expect(rowsOf(state)).toEqual([
      "charge_card completed: call_1_1_0@1 completed, call_2_1_0@2 completed",
    ]);
    expect(state.calls[0]?.provenBy).toBe("call_2_1_0");
    expect(countsOf(state)).toBe("asked 2 effects 1 prevented 0 unknown 0 needsYou 0");
  });

  test("the same input in another row's place runs as an intent of its own", () => {
    const again = planned("c", "send_email", MAIL);
    const state = fold(
      open(
        toolDone(1, a, { outcome: "failed", result: "refused" }),
        attemptEnded(1, "soft_timeout"),
        attemptStarted(2),
        stepFinished(2, [again]),
        toolStart(2, again),
      ),
    );
    expect(rowsOf(state)).toEqual([
      "send_email failed: a@1 failed",
      "send_email running: c@2 running",
    ]);
  });

  test("a read that runs again after a resume shares the row of the first", () => {
    const first = planned("r1", "list_mail", {});
    const second = planned("r2", "list_mail", {});
    const state = fold(
      ledgerOf(
        attemptStarted(1),
        stepFinished(1, [first]),
        toolStart(1, first, { kind: "read" }),
        attemptEnded(1, "process_lost"),
        attemptStarted(2),
        stepFinished(2, [second]),
        toolStart(2, second, { kind: "read" }),
        toolDone(2, second),
      ),
    );
    expect(rowsOf(state)).toEqual(["list_mail completed: r1@1 discarded, r2@2 completed"]);
    expect(countsOf(state)).toBe("asked 0 effects 0 prevented 0 unknown 0 needsYou 0");
  });
});

describe("states of one call", () => {
  const cases: readonly (readonly [string, RunEvent[], string, string])[] = [
    ["asked for", ledgerOf(attemptStarted(1), stepFinished(1, [a])), "not_started", "running"],
    ["started", open(), "running", "running"],
    ["done", open(toolDone(1, a)), "completed", "running"],
    ["failed", open(toolDone(1, a, { outcome: "failed" })), "failed", "running"],
    [
      "unknown in its attempt",
      open(toolDone(1, a, { outcome: "unknown" })),
      "interrupted",
      "running",
    ],
    ["its attempt was cut", open(attemptEnded(1, "process_lost")), "interrupted", "resuming"],
    ["another attempt began", open(attemptStarted(2)), "interrupted", "running"],
    ["another attempt is mentioned", open(toolStart(2, b)), "interrupted", "running"],
    [
      "the run ended",
      open({ type: "run_cancelled", attempt: 1, by: "local" }),
      "interrupted",
      "cancelled",
    ],
    [
      "late outcome",
      open(attemptEnded(1, "process_lost"), toolDone(1, a, { late: true })),
      "completed",
      "resuming",
    ],
    [
      "settled: happened",
      open(attemptEnded(1, "shutdown"), toolResolved(1, "a", "landed")),
      "settled_landed",
      "resuming",
    ],
    [
      "settled: did not",
      open(attemptEnded(1, "shutdown"), toolResolved(1, "a", "absent")),
      "settled_absent",
      "resuming",
    ],
    ["cleared", open({ type: "clear", attempt: 1 }), "discarded", "running"],
    ["text cleared", open({ type: "clear", attempt: 1, scope: "text" }), "running", "running"],
    [
      "proof after a clear",
      open({ type: "clear", attempt: 1 }, toolDone(1, a)),
      "completed",
      "running",
    ],
    [
      "settled without a start",
      ledgerOf(toolResolved(1, "a", "landed"), toolStart(1, a)),
      "running",
      "running",
    ],
    [
      "a done before its start",
      ledgerOf(attemptStarted(1), toolDone(1, a), toolStart(1, a)),
      "completed",
      "running",
    ],
    [
      "refused without a start",
      ledgerOf(attemptStarted(1), toolDone(1, a, { outcome: "failed" })),
      "failed",
      "running",
    ],
  ];
  test.each(cases)("%s", (_name, events, state, phase) => {
    const folded = fold(events);
    expect([folded.calls[0]?.state, folded.phase]).toEqual([state, phase]);
  });

  test("an outcome that contradicts a settlement is kept and changes no state", () => {
    const state = fold(
      open(
        attemptEnded(1, "shutdown"),
        toolResolved(1, "a", "absent"),
        toolDone(1, a, { late: true }),
      ),
    );
    expect(state.calls[0]?.state).toBe("settled_absent");
    expect(state.calls[0]?.contradiction).toEqual({
      seq: 7,
      at: state.lastAt,
      outcome: "ok",
      result: { id: "send_email_1" },
    });
    expect(countsOf(state)).toBe("asked 1 effects 0 prevented 0 unknown 0 needsYou 0");
  });

  test("a call held for a start that closed meanwhile waits no longer", () => {
    const state = fold([
      ...HELD,
      ...ledgerOf(
        ...Array<Step>(12).fill(runStarted()),
        toolDone(1, { ...a, callId: "call_1_1_0" }, { late: true }),
      ).slice(12),
    ]);
    expect(state.calls.map((call) => `${call.state} ${call.settlement?.by ?? "-"}`)).toEqual([
      "completed -",
      "settled_landed late",
    ]);
    expect([state.status, state.phase, state.calls[0]?.late]).toEqual([
      "running",
      "resuming",
      true,
    ]);
  });

  test("a settled hold that runs once more counts once", () => {
    const state = fold(
      ledgerOf(
        attemptStarted(1),
        toolStart(1, a),
        attemptEnded(1, "process_lost"),
        attemptStarted(2),
        stepFinished(2, [b]),
        toolHeld(2, b, 2),
        { type: "run_waiting", attempt: 2, heldCallIds: ["b"] },
        toolResolved(2, "a", "again", "b"),
        attemptStarted(3, { reason: "settled" }),
        toolStart(3, b, { originalSeq: 2, idempotencyKey: "run_1:a" }),
        toolDone(3, b),
        runDone(3),
      ),
    );
    expect(rowsOf(state)).toEqual(["send_email completed: a@1 settled_absent, b@2 completed"]);
    expect(countsOf(state)).toBe("asked 2 effects 1 prevented 0 unknown 0 needsYou 0");
  });

  test("a ledger without call ids pairs starts and dones in order", () => {
    const start = { type: "tool_start", tool: "t" } as unknown as RunEvent;
    const done = { type: "tool_done", tool: "t", result: 1 } as unknown as RunEvent;
    const state = fold([
      start,
      start,
      done,
      { type: "attempt_ended", attempt: 0 } as unknown as RunEvent,
    ]);
    expect(state.calls.map((call) => `${call.callId} ${call.state}`)).toEqual([
      "seq:1 completed",
      "seq:2 running",
    ]);
  });
});

describe("attempts", () => {
  test("each attempt says who owned it, what was told to the model, and how it ended", () => {
    const brief = fold(BLOCKED).attempts.map((attempt) => [
      attempt.attempt,
      attempt.owner,
      attempt.fence,
      attempt.reason,
      attempt.note,
      attempt.endReason,
      attempt.endDetail,
      attempt.lastSeq,
      attempt.endSeq,
      attempt.steps.map((step) => [step.step, step.textFromSeq, step.textToSeq]),
    ]);
    expect(brief).toEqual([
      [
        1,
        "host-1",
        1,
        "first",
        null,
        "process_lost",
        "The server process was lost.",
        7,
        8,
        [[1, 4, 4]],
      ],
      [
        2,
        "host-2",
        2,
        "process_lost",
        "Completed before the cut: send_email.",
        "done",
        "",
        16,
        17,
        [
          [1, 11, 11],
          [2, 15, 15],
        ],
      ],
    ]);
  });

  test("a resumable failure stands until the next attempt begins", () => {
    const failed = open({
      type: "run_failed",
      attempt: 1,
      code: "model-limit",
      message: "No.",
      resumable: true,
    });
    expect([fold(failed).status, fold(failed).failure?.code]).toEqual(["failed", "model-limit"]);
    const resumed = foldRun(fold(failed), { ...attemptStarted(2), seq: 6, at: "" } as RunEvent);
    expect([resumed.status, resumed.phase, resumed.failure]).toEqual(["running", "running", null]);
  });
});

const sometimes = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined });
const callId = fc.constantFrom("a", "b", "c");
const wild = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom(
        "run_started",
        "attempt_started",
        "step_started",
        "text",
        "step_finished",
        "tool_start",
        "tool_done",
        "tool_blocked",
        "tool_held",
        "tool_resolved",
        "clear",
        "attempt_ended",
        "run_waiting",
        "run_done",
        "run_failed",
        "run_cancelled",
        "tripwire",
        "constructor",
        "__proto__",
        "new_type",
      ),
      attempt: sometimes(fc.nat(3)),
      callId: sometimes(callId),
      tool: sometimes(fc.constantFrom("t", "u", "__proto__")),
      input: fc.constantFrom(undefined, null, 1, { x: 1 }),
      kind: sometimes(fc.constantFrom("read", "write")),
      outcome: sometimes(
        fc.constantFrom("ok", "failed", "unknown", "landed", "absent", "again", "denied", 5),
      ),
      idempotencyKey: sometimes(fc.constantFrom("k1", "k2")),
      originalSeq: sometimes(fc.nat(20)),
      behind: sometimes(callId),
      calls: sometimes(
        fc.array(fc.record({ callId, tool: fc.constant("t"), input: fc.constant(1) })),
      ),
      scope: sometimes(fc.constant("text")),
    }),
  },
  { weight: 1, arbitrary: fc.anything() },
);
const numbered = (events: readonly unknown[]): RunEvent[] =>
  events.map((event, i) =>
    typeof event === "object" && event !== null && "type" in event
      ? { ...event, seq: i + 1, at: new Date(i * 10).toISOString() }
      : event,
  ) as RunEvent[];

describe("properties", () => {
  test("folding on from a state equals folding everything, also from a copy that came over the wire", () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 40 }), fc.nat(40), (events, cut) => {
        const all = numbered(events);
        const whole = fold(all);
        const half = fold(all.slice(0, cut));
        expect(foldRunAll(half, all.slice(cut))).toEqual(whole);
        const copy = JSON.parse(JSON.stringify(half)) as RunState;
        expect(JSON.stringify(foldRunAll(copy, all.slice(cut)))).toBe(JSON.stringify(whole));
      }),
    );
  });

  test("an event that was already applied changes nothing", () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 30 }), (events) => {
        const all = numbered(events).filter((event) => typeof event?.seq === "number");
        const state = fold(all);
        for (const event of all) expect(foldRun(state, event)).toBe(state);
      }),
    );
  });

  test("counts are the sum over the calls, rows hold each call once, and nothing runs in an ended attempt", () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 40 }), (events) => {
        const state = fold(numbered(events));
        const { calls, counts, intents, attempts } = state;
        expect(counts.prevented).toBe(calls.filter((call) => call.state === "blocked").length);
        expect(counts.unknown).toBe(calls.filter((call) => call.state === "interrupted").length);
        expect(
          intents
            .flatMap((row) => row.calls)
            .map((call) => call.callId)
            .sort(),
        ).toEqual(calls.map((call) => call.callId).sort());
        const live = attempts.at(-1)?.endSeq === undefined ? (attempts.at(-1)?.attempt ?? 0) : -1;
        for (const call of calls) {
          if (call.state === "running" && attempts.length > 0) {
            expect(call.decidedAttempt).toBe(live);
          }
        }
      }),
    );
  });

  test("states that share a past do not mislead each other", () => {
    fc.assert(
      fc.property(
        fc.array(wild, { maxLength: 15 }),
        fc.array(wild, { maxLength: 15 }),
        fc.array(wild, { maxLength: 15 }),
        (past, one, two) => {
          const start = numbered(past);
          const on = (more: readonly unknown[]) => numbered([...past, ...more]).slice(past.length);
          const base = fold(start);
          const first = foldRunAll(base, on(one));
          const second = foldRunAll(base, on(two));
          expect(first).toEqual(fold([...start, ...on(one)]));
          expect(second).toEqual(fold([...start, ...on(two)]));
          expect(foldRunAll(base, on(one))).toEqual(first);
        },
      ),
    );
  });
});
