import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { foldChat, foldChatAll, initialChatState } from "./chat.ts";
import type { ChatPart, ChatState } from "./chat-view.ts";
import type { RunEvent } from "./event.ts";
import {
  attemptEnded,
  attemptStarted,
  BLOCKED,
  HELD,
  ledgerOf,
  PLAIN,
  runStarted,
  stepStarted,
  textDelta,
  THREE_MAILS,
} from "../testing/ledgers.ts";

const fold = (events: readonly RunEvent[]) => foldChatAll(initialChatState(), events);

function lineOf(part: ChatPart): string {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return `${part.kind} "${part.text}"${part.cut ? ` ${part.cut}` : ""}${part.open ? " open" : ""}`;
    case "call":
      return `call ${part.callId}`;
    case "cut":
      return `cut ${part.attempt} ${part.reason} after seq ${part.lastSeq}${part.next ? `, attempt ${part.next.attempt} after ${part.next.afterMs} ms` : ""}`;
    case "resumed":
      return `resumed ${part.attempt} ${part.reason}`;
    case "waiting":
      return `waiting for ${part.heldCallIds.join(", ")}${part.over ? " over" : ""}`;
    case "failure":
      return `failure ${part.code}${part.over ? " over" : ""}`;
    case "cancelled":
      return `cancelled by ${part.by}`;
    case "stopped":
      return `stopped by ${part.processor}`;
  }
}

const linesOf = (state: ChatState) =>
  state.messages.map((message) => [message.role, ...message.parts.map(lineOf)]);

describe("conversation", () => {
  test("a plain run is a request and an answer with its calls in order", () => {
    expect(linesOf(fold(PLAIN))).toEqual([
      ["user", 'text "Email ada@example.com the March report"'],
      ["assistant", 'text "I\'ll send it."', "call call_1_1_0", "call call_1_1_1", 'text "Done."'],
    ]);
  });

  test("a cut between steps leaves the text alone and says when the next attempt began", () => {
    expect(linesOf(fold(BLOCKED))[1]).toEqual([
      "assistant",
      'text "I\'ll send it."',
      "call call_1_1_0",
      "cut 1 process_lost after seq 7, attempt 2 after 5100 ms",
      'text "I\'ll send it."',
      "call call_2_1_0",
      'text "Done."',
    ]);
  });

  const cutInText = [
    runStarted("Hello"),
    attemptStarted(1),
    stepStarted(1),
    textDelta(1, "I'll se"),
    attemptEnded(1, "transport_error"),
  ];

  test("text that was cut off is dropped when nobody goes on from it", () => {
    const on = ledgerOf(...cutInText, attemptStarted(2), stepStarted(2), textDelta(2, "I'll send"));
    expect(linesOf(fold(on))[1]).toEqual([
      "assistant",
      'text "I\'ll se" dropped',
      "cut 1 transport_error after seq 4, attempt 2 after 200 ms",
      'text "I\'ll send" open',
    ]);
  });

  test("text that was cut off and handed to the next attempt is continued, not repeated", () => {
    const on = ledgerOf(
      ...cutInText,
      attemptStarted(2, { prefix: "I'll se" }),
      stepStarted(2),
      textDelta(2, "nd it."),
    );
    expect(linesOf(fold(on))[1]).toEqual([
      "assistant",
      'text "I\'ll se" continued',
      "cut 1 transport_error after seq 4, attempt 2 after 200 ms",
      'text "nd it." open',
    ]);
  });

  test("an attempt that begins before the last one's end was stored shows the cut as well", () => {
    const on = ledgerOf(...cutInText.slice(0, 4), attemptStarted(2));
    expect(linesOf(fold(on))[1]).toEqual([
      "assistant",
      'text "I\'ll se" dropped',
      "cut 1 process_lost after seq 4, attempt 2 after 100 ms",
    ]);
  });

  test("a model stream that is retried drops what it had said", () => {
    const on = ledgerOf(
      ...cutInText.slice(0, 4),
      { type: "clear", attempt: 1, scope: "text" },
      textDelta(1, "I'll send"),
    );
    expect(linesOf(fold(on))[1]).toEqual([
      "assistant",
      'text "I\'ll se" dropped',
      'text "I\'ll send" open',
    ]);
  });

  test("a held call has its card, and the wait is over when the run goes on", () => {
    expect(linesOf(fold(HELD))[1]).toEqual([
      "assistant",
      "call call_1_1_0",
      "cut 1 gateway_timeout after seq 6, attempt 2 after 200 ms",
      "call call_2_1_0",
      "waiting for call_2_1_0",
    ]);
    const after = linesOf(fold(THREE_MAILS))[1] ?? [];
    expect(after.filter((line) => /waiting|resumed/.test(line))).toEqual([
      "waiting for call_2_1_0, call_2_1_1, call_2_1_2 over",
      "resumed 3 settled",
    ]);
  });

  test("a failure is a part, and is over when the run is resumed", () => {
    const failed = ledgerOf(...cutInText.slice(0, 4), {
      type: "run_failed",
      attempt: 1,
      code: "model-limit",
      message: "The model refused.",
      resumable: true,
    });
    expect(linesOf(fold(failed))[1]).toEqual([
      "assistant",
      'text "I\'ll se" dropped',
      "failure model-limit",
    ]);
    const resumed = ledgerOf(...cutInText.slice(0, 4)).concat(failed.slice(4), {
      ...attemptStarted(2, { reason: "manual" }),
      seq: 6,
      at: failed[4]!.at,
    } as RunEvent);
    expect(linesOf(fold(resumed))[1]?.slice(2)).toEqual([
      "failure model-limit over",
      "resumed 2 manual",
    ]);
  });
});

const wild = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      type: fc.constantFrom(
        ...["run_started", "attempt_started", "step_started", "text", "text", "reasoning"],
        ...["step_finished", "tool_start", "tool_done", "tool_blocked", "tool_held", "clear"],
        ...["attempt_ended", "run_waiting", "run_failed", "run_done", "tripwire", "toString"],
      ),
      attempt: fc.nat(3),
      text: fc.constantFrom("ab", "c", undefined, 5),
      callId: fc.constantFrom("a", "b", undefined),
      reason: fc.constantFrom("process_lost", "settled", undefined, 1),
      prefix: fc.constantFrom("ab", undefined),
      calls: fc.constantFrom([{ callId: "a" }, null], undefined, 3),
      heldCallIds: fc.constantFrom(["a"], "a", undefined),
    }),
  },
  { weight: 1, arbitrary: fc.anything() },
);

describe("properties", () => {
  test("folding on from a state equals folding everything; keys are unique; text is never lost", () => {
    fc.assert(
      fc.property(fc.array(wild, { maxLength: 40 }), fc.nat(40), (values, at) => {
        const events = values.map((value, i) =>
          typeof value === "object" && value !== null && "type" in value
            ? { ...value, seq: i + 1, at: new Date(i * 10).toISOString() }
            : value,
        ) as RunEvent[];
        const whole = fold(events);
        expect(foldChatAll(fold(events.slice(0, at)), events.slice(at))).toEqual(whole);
        const keys = whole.messages.flatMap((message) => message.parts.map((part) => part.key));
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test("however often events are delivered again, each counts once", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(BLOCKED.length), { maxLength: 5 }), (restarts) => {
        let state = initialChatState();
        for (const from of [...restarts, 0]) {
          const upTo = BLOCKED.filter((event) => event.seq <= Math.max(from, state.lastSeq));
          for (const event of upTo) state = foldChat(state, event);
        }
        expect(foldChatAll(state, BLOCKED)).toEqual(fold(BLOCKED));
      }),
    );
  });
});
