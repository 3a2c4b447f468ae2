/**
 * "A model" that asks for one given call and then ends: how an action that is posted over HTTP takes the same path
 * as one that a model asked for. After a cut it asks again, and the guard decides.
 */
import type {
  LanguageModelV3,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";

export function createSingleCallModel(call: {
  readonly action: string;
  readonly input: unknown;
}): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider: "none",
    modelId: "single-call",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The loop streams.")),
    doStream: ({ prompt }) => {
      const parts = isAnswered(prompt) ? [finish("stop")] : [toolCall(call), finish("tool-calls")];
      return Promise.resolve({ stream: streamOf(parts) });
    },
  };
}

function streamOf(parts: readonly LanguageModelV3StreamPart[]) {
  return new ReadableStream<LanguageModelV3StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

function toolCall({ action, input }: { readonly action: string; readonly input: unknown }) {
  const part: LanguageModelV3StreamPart = {
    type: "tool-call",
    toolCallId: "single",
    toolName: action,
    input: JSON.stringify(input ?? {}),
  };
  return part;
}

function finish(unified: "stop" | "tool-calls"): LanguageModelV3StreamPart {
  return {
    type: "finish",
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
  };
}

const UNANSWERED = new Set<unknown>(["outcome unknown", "not started", "did not happen"]);

/** Times the call is asked for in one attempt. Source: once, and once more so that the guard decides an unknown. */
const ASKS_MAX = 2;

/**
 * Whether there is nothing left to ask for: a result, a refusal, a person's word that it happened. A call that did
 * not happen is asked for again, also when that was stored as a failure. An unknown outcome is asked about again for
 * the guard to decide, a bounded number of times, or an action that always fails would be repeated without end.
 */
function isAnswered(prompt: LanguageModelV3Prompt): boolean {
  const message = prompt.findLast(({ role }) => role === "tool");
  if (message?.role !== "tool") return false;
  const last = message.content.findLast((part) => part.type === "tool-result");
  const status = last ? statusOf(last.output) : undefined;
  const asked = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
  const asks = asked.filter(({ role }) => role === "tool").length;
  return !UNANSWERED.has(status) || asks >= ASKS_MAX;
}

function statusOf(output: { readonly type: string; readonly value?: unknown }): unknown {
  const { value } = output;
  return typeof value === "object" && value !== null && "status" in value
    ? value.status
    : undefined;
}
