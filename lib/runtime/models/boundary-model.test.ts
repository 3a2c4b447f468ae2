import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { simulateReadableStream } from "ai";
import { expect, test } from "vitest";
import { boundaryModel } from "./boundary-model.ts";

const textOf = (id: string, ...deltas: string[]): LanguageModelV3StreamPart[] => [
  { type: "text-start", id },
  ...deltas.map((delta) => ({ type: "text-delta" as const, id, delta })),
  { type: "text-end", id },
];
const argumentsOf = (
  id: string,
  toolName: string,
  ...deltas: string[]
): LanguageModelV3StreamPart[] => [
  { type: "tool-input-start", id, toolName },
  ...deltas.map((delta) => ({ type: "tool-input-delta" as const, id, delta })),
  { type: "tool-input-end", id },
];

function modelOf(parts: readonly LanguageModelV3StreamPart[]): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not here")),
    doStream: () => Promise.resolve({ stream: simulateReadableStream({ chunks: [...parts] }) }),
  };
}

const PARTS = [
  ...textOf("t1", "I'll ", "send ", "it."),
  ...argumentsOf("c1", "send_email", "{", '"a":1', "}"),
  ...argumentsOf("c2", "create_ticket", "{", "}"),
  ...textOf("t2", "Done."),
];

/** What came through, in one word each, with the places reached in between. */
async function traceOf(breakAt?: string): Promise<string[]> {
  const trace: string[] = [];
  const model = boundaryModel(modelOf(PARTS), (point, action) => {
    const place = action === undefined ? point : `${point} ${action}`;
    trace.push(`<${place}>`);
    return place === breakAt ? Promise.reject(new Error("broken")) : Promise.resolve();
  });
  const { stream } = await model.doStream({ prompt: [] });
  try {
    for await (const part of stream) trace.push("delta" in part ? part.delta : part.type);
  } catch (error) {
    trace.push(String(error));
  }
  return trace;
}

test("each text is stopped at once, between its pieces, and so are the arguments of each call", async () => {
  const places = (await traceOf()).filter((each) => each.startsWith("<"));
  expect(places).toEqual([
    "<in_text>",
    "<in_arguments send_email>",
    "<in_arguments create_ticket>",
  ]);
});

test("without a throw every part comes through, in order", async () => {
  const through = (await traceOf()).filter((each) => !each.startsWith("<"));
  expect(through).toEqual(PARTS.map((part) => ("delta" in part ? part.delta : part.type)));
});

test("a throw breaks the stream with that error: a complete call stands, the next one is half", async () => {
  const trace = await traceOf("in_arguments create_ticket");
  expect(trace.at(-1)).toBe("Error: broken");
  expect(trace).toContain("tool-input-end");
  expect(trace).not.toContain("Done.");
});
