/**
 * The demo's model: deterministic, offline, and behind the same interface as a real one. It streams its text word
 * by word and its arguments in pieces, so that a cut can land anywhere.
 */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import type { Clock } from "../core/ports.ts";
import type { Temper } from "../core/run-record.ts";
import { readConversation } from "./conversation.ts";
import { type Answer, nextAnswer } from "./next-answer.ts";

export interface DemoModelOptions {
  readonly temper: Temper;
  readonly clock: Clock;
  /** Pause between two words, in milliseconds. */
  readonly paceMs: number;
}

export function createDemoModel({ temper, clock, paceMs }: DemoModelOptions): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider: "demo",
    modelId: `demo-${temper}`,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The demo model streams.")),
    doStream: (options) => {
      const answer = nextAnswer(temper, readConversation(options.prompt));
      return Promise.resolve({ stream: streamOf(answer, options, { clock, paceMs }) });
    },
  };
}

/** Streams an answer at a pace. Errors with an abort when the request is aborted. */
export function streamOf(
  answer: Answer,
  { abortSignal, prompt }: Pick<LanguageModelV3CallOptions, "abortSignal" | "prompt">,
  { clock, paceMs }: Pick<DemoModelOptions, "clock" | "paceMs">,
): ReadableStream<LanguageModelV3StreamPart> {
  const parts = partsOf(answer, JSON.stringify(prompt).length);
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      const part = parts[sent];
      if (part === undefined) return controller.close();
      if (part.type === "text-delta" || part.type === "tool-input-delta") {
        await clock.sleep(paceMs, abortSignal);
      }
      if (abortSignal?.aborted) {
        return controller.error(new DOMException("The request was aborted.", "AbortError"));
      }
      sent += 1;
      controller.enqueue(part);
    },
  });
}

function partsOf({ text, calls }: Answer, promptChars: number): LanguageModelV3StreamPart[] {
  const parts: LanguageModelV3StreamPart[] = [{ type: "stream-start", warnings: [] }];
  parts.push({ type: "text-start", id: "text" });
  for (const delta of text.match(/\S*\s*/g) ?? []) {
    if (delta !== "") parts.push({ type: "text-delta", id: "text", delta });
  }
  parts.push({ type: "text-end", id: "text" });
  calls.forEach(({ tool, input }, i) => {
    const id = `demo_${promptChars}_${i + 1}`;
    const json = JSON.stringify(input);
    parts.push({ type: "tool-input-start", id, toolName: tool });
    for (const delta of inThree(json)) parts.push({ type: "tool-input-delta", id, delta });
    parts.push({ type: "tool-input-end", id });
    parts.push({ type: "tool-call", toolCallId: id, toolName: tool, input: json });
  });
  const unified = calls.length > 0 ? "tool-calls" : "stop";
  parts.push({
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: usageOf(promptChars, text.length),
  });
  return parts;
}

function inThree(text: string): string[] {
  const third = Math.ceil(text.length / 3);
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)].filter(
    (piece) => piece !== "",
  );
}

/** About four characters a token, as a real tokenizer has on English text. */
function usageOf(promptChars: number, textChars: number) {
  const input = Math.ceil(promptChars / 4);
  const output = Math.ceil(textChars / 4);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}
