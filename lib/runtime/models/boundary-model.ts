/**
 * Lets a fault plan into a model's stream: at the second piece of text, and in the middle of a call's arguments. A
 * throw there breaks the stream the way a provider's connection breaks. Used only on runs that carry a plan.
 */
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";

export type ReachInStream = (point: "in_text" | "in_arguments", action?: string) => Promise<void>;

/** Wraps a model; without a plan that fires, its streams pass through unchanged. */
export function boundaryModel(model: LanguageModelV3, reach: ReachInStream): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options) {
      const answer = await model.doStream(options);
      return { ...answer, stream: answer.stream.pipeThrough(reachWhileStreaming(reach)) };
    },
  };
}

function reachWhileStreaming(reach: ReachInStream) {
  const pieces = new Map<string, number>();
  const toolById = new Map<string, string>();
  const isSecond = (id: string) => {
    const count = (pieces.get(id) ?? 0) + 1;
    pieces.set(id, count);
    return count === 2;
  };
  return new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
    async transform(part, controller) {
      if (part.type === "tool-input-start") toolById.set(part.id, part.toolName);
      if (part.type === "text-delta" && isSecond(part.id)) await reach("in_text");
      if (part.type === "tool-input-delta" && isSecond(part.id)) {
        await reach("in_arguments", toolById.get(part.id));
      }
      controller.enqueue(part);
    },
  });
}
