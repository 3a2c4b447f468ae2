import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { aLedger, type Sketch } from "../testing/builders.ts";
import { buildPrompt, conversationOf, NUDGE, type PromptMessage } from "./prompt.ts";

const planned = (...callIds: string[]) =>
  callIds.map((callId) => ({ callId, providerCallId: "p", tool: "send", input: { to: callId } }));
const opening: Sketch[] = [{ type: "run_started" }, { type: "attempt_started" }];
const cut: Sketch[] = [{ type: "attempt_ended" }, { type: "attempt_started" }];
const step = (...callIds: string[]): Sketch => ({
  type: "step_finished",
  calls: planned(...callIds),
});
const opened = (callId: string): Sketch => ({ type: "tool_start", callId, tool: "send" });
const closed = (callId: string, more: object = {}): Sketch => ({
  type: "tool_done",
  callId,
  tool: "send",
  result: `of ${callId}`,
  ...more,
});

const promptOf = (sketches: readonly Sketch[], note: string | null = null) =>
  buildPrompt(aLedger(sketches), { note });

/** Results by call id, in the order of the messages. */
function resultsOf(messages: readonly PromptMessage[]) {
  return messages.flatMap((message) =>
    message.role === "tool"
      ? message.content.map(({ toolCallId, output }) => [toolCallId, output.type, output.value])
      : [],
  );
}

test("its messages are the AI SDK's", () => {
  const messages: ModelMessage[] = promptOf([...opening, step("c1")]);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
});

describe("each call has exactly one result", () => {
  test("of several, each its own, in the order they were asked for", () => {
    const messages = promptOf([
      ...opening,
      step("c1", "c2", "c3"),
      opened("c1"),
      opened("c2"),
      closed("c2"),
      closed("c1"),
      opened("c3"),
      closed("c3"),
    ]);
    expect(resultsOf(messages)).toEqual([
      ["c1", "json", "of c1"],
      ["c2", "json", "of c2"],
      ["c3", "json", "of c3"],
    ]);
  });

  test("an open call is unknown, a planned one not started, a failed one failed", () => {
    const messages = promptOf([
      ...opening,
      step("c1", "c2", "c3"),
      opened("c1"),
      closed("c3", { outcome: "failed" }),
      ...cut,
    ]);
    expect(resultsOf(messages)).toMatchObject([
      ["c1", "json", { status: "outcome unknown" }],
      ["c2", "json", { status: "not started" }],
      ["c3", "error-json", "of c3"],
    ]);
  });

  test("of two outcomes the first proven one stands", () => {
    const messages = promptOf([
      ...opening,
      step("c1"),
      opened("c1"),
      closed("c1"),
      closed("c1", { result: "again" }),
    ]);
    expect(resultsOf(messages)).toEqual([["c1", "json", "of c1"]]);
  });

  test("a blocked call carries the stored result untouched and the number of the attempt", () => {
    const messages = promptOf([
      ...opening,
      step("c1"),
      opened("c1"),
      closed("c1"),
      ...cut,
      step("c2"),
      { type: "tool_blocked", callId: "c2", tool: "send", originalSeq: 4, result: { id: 7 } },
    ]);
    expect(resultsOf(messages).at(-1)).toMatchObject([
      "c2",
      "json",
      { result: { id: 7 }, note: expect.stringContaining("attempt 1") },
    ]);
  });

  test("a settled call says what was found", () => {
    const settled = (outcome: "landed" | "absent", result?: unknown) =>
      resultsOf(
        promptOf([
          ...opening,
          step("c1"),
          opened("c1"),
          { type: "tool_resolved", callId: "c1", outcome, ...(result !== undefined && { result }) },
        ]),
      )[0]?.[2];
    expect(settled("landed", { id: 1 })).toEqual({ id: 1 });
    expect(settled("landed")).toMatchObject({ status: "happened" });
    expect(settled("absent")).toMatchObject({ status: "did not happen" });
  });
});

describe("a resumed attempt", () => {
  const interrupted: Sketch[] = [
    ...opening,
    { type: "text", text: "I am" },
    { type: "text", text: " about" },
    ...cut,
  ];

  test("gets the partial text, then one message with nudge and note, and nothing between or after", () => {
    expect(promptOf(interrupted, "the note").slice(1)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "I am about" }] },
      { role: "user", content: `${NUDGE}\n\nthe note` },
    ]);
    expect(NUDGE.startsWith("Continue from where you left off")).toBe(true);
  });

  test("has its own steps after the nudge, and only the last nudge", () => {
    const messages = promptOf(
      [...interrupted, step("c1"), opened("c1"), closed("c1"), ...cut, { type: "step_started" }],
      "n",
    );
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(
      messages.filter(({ content }) => typeof content === "string" && content.startsWith(NUDGE)),
    ).toHaveLength(1);
  });

  test("with no call on record its prompt is byte for byte what it is without a note", () => {
    expect(JSON.stringify(promptOf(interrupted, null))).toBe(
      JSON.stringify([
        { role: "user", content: "Email Ada the report" },
        { role: "assistant", content: [{ type: "text", text: "I am about" }] },
        { role: "user", content: NUDGE },
      ]),
    );
  });

  test("text and calls of one step stay in one message, in the order a provider accepts", () => {
    const messages = promptOf([
      ...opening,
      { type: "text", text: "First. " },
      step("c1"),
      opened("c1"),
      closed("c1"),
      { type: "text", text: "Then" },
      ...cut,
    ]);
    expect(
      messages.map(({ role, content }) => [
        role,
        typeof content === "string" ? "" : content.map(({ type }) => type),
      ]),
    ).toEqual([
      ["user", ""],
      ["assistant", ["text", "tool-call"]],
      ["tool", ["tool-result"]],
      ["assistant", ["text"]],
      ["user", ""],
    ]);
  });
});

test("arguments that were not JSON are shown as what they were, in an object", () => {
  const calls = [
    { callId: "c1", providerCallId: "p", tool: "send", input: '{"to":"an', malformed: "cut" },
  ];
  const messages = promptOf([...opening, { type: "step_finished", calls }]);
  expect(messages[1]).toMatchObject({ content: [{ input: { arguments: '{"to":"an' } }] });
});

test("an earlier run is told with its open calls, without nudge or note, and with an end", () => {
  const messages = conversationOf([
    aLedger([...opening, step("c1"), opened("c1"), ...cut, { type: "run_cancelled" }]),
  ]);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(resultsOf(messages)).toMatchObject([["c1", "json", { status: "outcome unknown" }]]);
});
