/**
 * A model that says what a test wants: one script per request, in order, or a function of the prompt. It goes
 * through the AI SDK like a real one, and keeps every prompt it was given.
 */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";

/** One answer: text, then calls; or what breaks it. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finishReason?: LanguageModelV3FinishReason["unified"];
  /** Refuses the request. */
  readonly refuse?: unknown;
  /** Breaks the stream after the text and the calls. */
  readonly breakWith?: unknown;
  /** Ends the stream after the text and the calls, without saying that it was finished. */
  readonly endEarly?: boolean;
  /** Keeps silent after the text and the calls, until the request is aborted. */
  readonly stall?: boolean;
}

export interface ScriptedCall {
  readonly tool: string;
  /** JSON, or a text that is sent as it is. */
  readonly input: unknown;
  readonly providerCallId?: string;
}

export type Script = (prompt: LanguageModelV3Prompt, request: number) => ScriptedAnswer;

export interface ScriptedModel extends LanguageModelV3 {
  readonly prompts: LanguageModelV3Prompt[];
}

/** A list of answers is used in order; asking for more than there are fails the request as a bad one. */
export function scriptedModel(script: readonly ScriptedAnswer[] | Script): ScriptedModel {
  const prompts: LanguageModelV3Prompt[] = [];
  const answer: Script =
    typeof script === "function"
      ? script
      : (_prompt, request) => script[request] ?? { refuse: new Error("the script has ended") };
  return {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    prompts,
    doGenerate: () => Promise.reject(new Error("the loop streams")),
    doStream(options) {
      prompts.push(options.prompt);
      const wanted = answer(options.prompt, prompts.length - 1);
      if (wanted.refuse !== undefined) return Promise.reject(wanted.refuse as Error);
      return Promise.resolve({ stream: streamOf(wanted, options) });
    },
  };
}

function streamOf(answer: ScriptedAnswer, options: LanguageModelV3CallOptions) {
  const parts = partsOf(answer);
  return new ReadableStream<LanguageModelV3StreamPart>({
    start(controller) {
      options.abortSignal?.addEventListener("abort", () => {
        controller.error(new DOMException("aborted", "AbortError"));
      });
    },
    pull(controller) {
      const part = parts.shift();
      if (part) return controller.enqueue(part);
      if (answer.stall) return new Promise<void>(() => undefined);
      if (answer.breakWith !== undefined) return controller.error(answer.breakWith);
      return controller.close();
    },
  });
}

function partsOf(answer: ScriptedAnswer): LanguageModelV3StreamPart[] {
  const parts: LanguageModelV3StreamPart[] = [{ type: "stream-start", warnings: [] }];
  if (answer.text !== undefined) {
    parts.push({ type: "text-start", id: "t" });
    parts.push({ type: "text-delta", id: "t", delta: answer.text });
    parts.push({ type: "text-end", id: "t" });
  }
  const calls = answer.calls ?? [];
  calls.forEach(({ tool, input, providerCallId = `provider_${parts.length}` }) => {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    parts.push({ type: "tool-input-start", id: providerCallId, toolName: tool });
    parts.push({ type: "tool-input-delta", id: providerCallId, delta: text });
    parts.push({ type: "tool-input-end", id: providerCallId });
    parts.push({ type: "tool-call", toolCallId: providerCallId, toolName: tool, input: text });
  });
  const broken = answer.endEarly ?? answer.stall ?? answer.breakWith !== undefined;
  if (!broken) {
    const unified = answer.finishReason ?? (calls.length > 0 ? "tool-calls" : "stop");
    parts.push({
      type: "finish",
      finishReason: { unified, raw: unified },
      usage: {
        inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 5, text: 5, reasoning: 0 },
      },
    });
  }
  return parts;
}
