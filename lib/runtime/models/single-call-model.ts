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

/** Whether the call has an answer that settles it: a result, a refusal, or a person's word that it happened. */
function isAnswered(prompt: LanguageModelV3Prompt): boolean {
  const results = prompt.flatMap((message) =>
    message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : [],
  );
  const last = results.at(-1);
  if (!last) return false;
  if (last.output.type !== "json") return true;
  const { value } = last.output;
  const status =
    typeof value === "object" && value !== null && "status" in value ? value.status : null;
  return !UNANSWERED.has(status);
}
