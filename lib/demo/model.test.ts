import { streamText } from "ai";
import { expect, test } from "vitest";
import { NUDGE } from "../core/prompt.ts";
import { registryOf } from "../runtime/action.ts";
import { modelToolsOf } from "../runtime/model-tools.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { demoActions } from "./actions.ts";
import { createDemoModel } from "./model.ts";
import { HELP } from "./phrases.ts";

const ask = (text: string) => ({
  role: "user" as const,
  content: [{ type: "text" as const, text }],
});

function modelOf(paceMs = 0) {
  const clock = manualClock();
  return { clock, model: createDemoModel({ temper: "heeds", clock, paceMs }) };
}

/** The parts of one answer while the clock runs, in short. */
async function partsOf(texts: readonly string[], abortAfter = Infinity): Promise<string[]> {
  const { clock, model } = modelOf(10);
  const abort = new AbortController();
  const { stream } = await model.doStream({ prompt: texts.map(ask), abortSignal: abort.signal });
  const parts: string[] = [];
  const read = (async () => {
    for await (const part of stream) {
      parts.push("delta" in part ? part.delta : part.type);
      if (parts.length === abortAfter) abort.abort();
    }
  })().catch((error: unknown) => void parts.push((error as Error).name));
  await clock.advance(5_000);
  await read;
  return parts;
}

test("an answer streams its text by words and its arguments in pieces, then ends", async () => {
  expect(await partsOf(["Who is customer 42?"])).toEqual([
    "stream-start",
    "text-start",
    ..."I'll |look |up |customer |42.".split("|"),
    "text-end",
    "tool-input-start",
    '{"cust',
    'omer":',
    '"42"}',
    "tool-input-end",
    "tool-call",
    "finish",
  ]);
});

test("an aborted request breaks the stream with an abort", async () => {
  const parts = await partsOf(["Who is customer 42?"], 4);
  expect(parts.at(-1)).toBe("AbortError");
  expect(parts).not.toContain("finish");
});

test("what it does not understand is answered with examples and no call", async () => {
  expect((await partsOf(["Sing me a song"])).slice(2, -2).join("")).toBe(HELP);
});

test("a request that begins like the nudge is a request", async () => {
  const begun = NUDGE.slice(0, 35);
  const parts = await partsOf(["Email ada@example.com the report", `${begun}, and sing`]);
  expect(parts).not.toContain("tool-call");
});

test("through the AI SDK: charge first, the receipt after its result, then a summary with the ids", async () => {
  const { clock, model } = modelOf();
  const { effects } = createMemoryStore({ clock });
  const tools = modelToolsOf(
    registryOf(demoActions({ effects, clock, boundary: undefined, bodyMs: 0 })),
  );
  const results: Record<string, object> = {
    charge_card: { chargeId: "ch-7", amount: 20 },
    send_email: { messageId: "msg-8" },
  };
  const messages: Parameters<typeof streamText>[0]["messages"] = [
    { role: "user", content: "Charge customer 42 20 euros, then email her the receipt" },
  ];
  const asked: unknown[] = [];
  for (let step = 0; step < 5; step += 1) {
    const answer = streamText({ model, messages, tools });
    const reading = answer.consumeStream();
    await clock.advance(1_000);
    await reading;
    const calls = await answer.toolCalls;
    asked.push(
      calls.length > 0 ? calls.map(({ toolName, input }) => [toolName, input]) : await answer.text,
    );
    if (calls.length === 0) break;
    messages.push(...(await answer.response).messages, {
      role: "tool",
      content: calls.map(({ toolCallId, toolName }) => ({
        type: "tool-result",
        toolCallId,
        toolName,
        output: { type: "json", value: results[toolName] as { [name: string]: string } },
      })),
    });
  }
  const memo = "Charged by the agent for the order";
  expect(asked).toEqual([
    [["charge_card", { customer: "42", amount: 20, purpose: "order", memo }]],
    [
      [
        "send_email",
        {
          to: "ada@example.com",
          subject: "Receipt",
          body: "Hello,\n\nhere is your receipt for charge ch-7.",
        },
      ],
    ],
    "Customer 42 was charged €20 (ch-7).\n\n“Receipt” was sent to ada@example.com (msg-8).",
  ]);
});
