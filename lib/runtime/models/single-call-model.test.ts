import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { createSingleCallModel } from "./single-call-model.ts";

const REQUEST: LanguageModelV3Prompt = [
  { role: "user", content: [{ type: "text", text: "Call" }] },
];
const NUDGE: LanguageModelV3Prompt = [
  { role: "user", content: [{ type: "text", text: "Continue from where you left off." }] },
];

function answered(
  type: "json" | "error-json",
  value: Record<string, string>,
): LanguageModelV3Prompt {
  const call = { toolCallId: "c", toolName: "send_email" };
  return [
    { role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output: { type, value } }] },
  ];
}

async function partsFor(prompt: LanguageModelV3Prompt): Promise<string[]> {
  const model = createSingleCallModel({ action: "send_email", input: { to: "a" } });
  const { stream } = await model.doStream({ prompt });
  const parts: string[] = [];
  for await (const part of stream) {
    parts.push(part.type === "tool-call" ? `${part.toolName} ${part.input}` : part.type);
  }
  return parts;
}

const ASKS = ['send_email {"to":"a"}', "finish"];
const ENDS = ["finish"];
const unknown = answered("json", { status: "outcome unknown" });

test.each<[string, LanguageModelV3Prompt, string[]]>([
  ["the call has not been asked for", REQUEST, ASKS],
  ["it has a result", [...REQUEST, ...answered("json", { messageId: "msg-1" })], ENDS],
  ["it was refused", [...REQUEST, ...answered("error-json", { error: "no" })], ENDS],
  ["it happened, says a person", [...REQUEST, ...answered("json", { status: "happened" })], ENDS],
  [
    "it never started",
    [...REQUEST, ...answered("json", { status: "not started" }), ...NUDGE],
    ASKS,
  ],
  [
    "its body was not entered, which is stored as a failure",
    [
      ...REQUEST,
      ...answered("error-json", { error: "not entered", status: "not started" }),
      ...NUDGE,
    ],
    ASKS,
  ],
  [
    "it did not happen",
    [...REQUEST, ...answered("json", { status: "did not happen" }), ...NUDGE],
    ASKS,
  ],
  ["nobody knows, in this attempt", [...REQUEST, ...unknown], ASKS],
  ["nobody knows although it was asked for again", [...REQUEST, ...unknown, ...unknown], ENDS],
  ["nobody knows, after a resume", [...REQUEST, ...unknown, ...unknown, ...NUDGE], ASKS],
])("when %s", async (_when, prompt, parts) => {
  expect(await partsFor(prompt)).toEqual(parts);
});
