/** Makes a model's stream that closes without its `finish` part an error: a half answer never passes for a whole one. */
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { StreamEndedEarly } from "../interruption.ts";

/** Wraps a model; everything but the end of its streams passes through unchanged. */
export function wholeStreamModel(model: LanguageModelV3): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options) {
      const answer = await model.doStream(options);
      return { ...answer, stream: answer.stream.pipeThrough(refuseEarlyEnd()) };
    },
  };
}

function refuseEarlyEnd() {
  let finished = false;
  return new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
    transform(part, controller) {
      if (part.type === "finish") finished = true;
      controller.enqueue(part);
    },
    flush(controller) {
      if (!finished) controller.error(new StreamEndedEarly());
    },
  });
}
