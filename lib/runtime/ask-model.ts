/**
 * One model request: the rebuilt conversation goes in, streamed text goes to the ledger, the whole answer comes
 * out. Nothing is dispatched from here, and no call of an answer that was not complete leaves it.
 */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { streamText, type ModelMessage, type TextStreamPart, type ToolSet } from "ai";
import type { NewEvent, PlannedCall, StepFinished, Usage } from "../core/event.ts";
import { callIdOf } from "../core/ids.ts";
import type { AttemptContext } from "./attempt-context.ts";
import {
  interruptionOf,
  ModelFailure,
  StreamEndedEarly,
  StreamStalled,
  type Interruption,
} from "./interruption.ts";
import { modelToolsOf } from "./model-tools.ts";
import { wholeStreamModel } from "./models/whole-stream-model.ts";
import { TextPosts } from "./text-posts.ts";

export type ModelAnswer =
  | {
      readonly kind: "answer";
      readonly finished: Omit<StepFinished, "seq" | "at">;
      /** The rest of its text, which has to stand before `finished`. */
      readonly rest: readonly NewEvent[];
    }
  /** The attempt has to end; why is on the attempt. */
  | { readonly kind: "ending" };

interface Request {
  readonly step: number;
  readonly model: LanguageModelV3;
  readonly messages: readonly ModelMessage[];
}

/**
 * Asks until there is an answer or the attempt ends. Requests refused for lack of capacity are tried again, a
 * bounded number of times. Throws `ModelFailure` when the run can't go on.
 */
export async function askModel(context: AttemptContext, request: Request): Promise<ModelAnswer> {
  const { attempt, deps } = context;
  for (let tries = 1; ; tries++) {
    const posts = new TextPosts(
      attempt.attempt,
      { clock: deps.clock, flushMs: deps.limits.textFlushMs },
      (events) => context.ledger.post(events),
    );
    try {
      const finished = await readAnswer(context, request, posts);
      return { kind: "answer", finished, rest: posts.take() };
    } catch (error) {
      posts.flush();
      if (attempt.ending || attempt.dead) return { kind: "ending" };
      const interruption = interruptionOf(error);
      deps.log.info({ runId: context.run.id, error: String(error) }, "a model request was cut");
      if (interruption.kind !== "retry") return endBy(context, interruption);
      await pauseBeforeRetry(context, interruption, tries);
      if (attempt.ending) return { kind: "ending" };
    }
  }
}

function endBy(
  context: AttemptContext,
  interruption: Exclude<Interruption, { kind: "retry" }>,
): ModelAnswer {
  if (interruption.kind === "fail") throw new ModelFailure(interruption.failure);
  context.attempt.cut(interruption.reason, interruption.detail);
  return { kind: "ending" };
}

async function pauseBeforeRetry(
  context: AttemptContext,
  interruption: Extract<Interruption, { kind: "retry" }>,
  tries: number,
): Promise<void> {
  const { clock, limits } = context.deps;
  const pauseMs = interruption.afterMs ?? limits.modelBackoffMs * 2 ** (tries - 1);
  if (tries >= limits.modelTriesMax || pauseMs > limits.modelRetryAfterMaxMs) {
    throw new ModelFailure({
      code: "model-limit",
      message:
        "The model takes no more requests right now. Everything so far is kept; resume later.",
      resumable: true,
    });
  }
  await clock.sleep(pauseMs, context.attempt.modelSignal);
}

async function readAnswer(
  context: AttemptContext,
  request: Request,
  posts: TextPosts,
): Promise<Omit<StepFinished, "seq" | "at">> {
  const { attempt, deps } = context;
  const watch = new StreamWatch(context);
  try {
    const { fullStream } = streamText({
      model: wholeStreamModel(request.model),
      system: deps.system,
      messages: [...request.messages],
      tools: modelToolsOf(deps.actions),
      maxRetries: 0,
      abortSignal: watch.signal,
      onError: () => {
        // The error comes through the stream as well, and is classified there.
      },
    });
    const calls: PlannedCall[] = [];
    let end: Extract<TextStreamPart<ToolSet>, { type: "finish-step" }> | undefined;
    for await (const part of fullStream) {
      watch.heard();
      if (part.type === "text-delta") posts.add("text", part.text);
      else if (part.type === "reasoning-delta") posts.add("reasoning", part.text);
      else if (part.type === "tool-call") {
        calls.push(plannedOf(part, callIdOf(attempt.attempt, request.step, calls.length + 1)));
      } else if (part.type === "finish-step") end = part;
      else if (part.type === "error") throw watch.silence ?? part.error;
      else if (part.type === "abort") throw watch.silence ?? new StreamEndedEarly();
    }
    if (!end) throw watch.silence ?? new StreamEndedEarly();
    refuseBadEnd(end.finishReason);
    return {
      type: "step_finished",
      attempt: attempt.attempt,
      step: request.step,
      finishReason: end.finishReason,
      usage: usageOf(end.usage),
      calls,
      ...(end.providerMetadata && { providerMetadata: end.providerMetadata }),
    };
  } finally {
    watch.stop();
  }
}

function refuseBadEnd(finishReason: string): void {
  if (finishReason === "error") throw new StreamEndedEarly();
  if (finishReason === "content-filter") {
    throw new ModelFailure({
      code: "model-content-refused",
      message: "The model's provider refused the content of this conversation.",
      resumable: false,
    });
  }
}

function plannedOf(
  part: Extract<TextStreamPart<ToolSet>, { type: "tool-call" }>,
  callId: string,
): PlannedCall {
  const invalid = "invalid" in part && part.invalid === true;
  const isText = typeof part.input === "string";
  return {
    callId,
    providerCallId: part.toolCallId,
    tool: part.toolName,
    input: part.input as unknown,
    // An unknown action is invalid to the SDK too, but its arguments are JSON.
    ...(invalid && isText && { malformed: "they stop in the middle" }),
  };
}

function usageOf(usage: {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  totalTokens?: number | undefined;
}): Usage {
  const { inputTokens, outputTokens, totalTokens } = usage;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(totalTokens !== undefined && { totalTokens }),
  };
}

/** Aborts one request when the attempt ends or the model falls silent; tells the two apart. */
class StreamWatch {
  readonly #controller = new AbortController();
  readonly #context: AttemptContext;
  readonly #follow = () => this.#controller.abort();
  #cancelTimer: (() => void) | undefined;
  #heardAt: number;
  silence: StreamStalled | undefined;

  constructor(context: AttemptContext) {
    this.#context = context;
    this.#heardAt = context.deps.clock.monotonicMs();
    const { modelSignal } = context.attempt;
    if (modelSignal.aborted) this.#controller.abort();
    else modelSignal.addEventListener("abort", this.#follow, { once: true });
    this.#arm(context.deps.limits.modelStallMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    this.#heardAt = this.#context.deps.clock.monotonicMs();
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#context.attempt.modelSignal.removeEventListener("abort", this.#follow);
  }

  /** One timer per silence, not per part: it looks back and waits for the rest. */
  #arm(ms: number): void {
    const { clock, limits } = this.#context.deps;
    this.#cancelTimer = clock.after(ms, () => {
      const silentMs = clock.monotonicMs() - this.#heardAt;
      if (silentMs < limits.modelStallMs) return this.#arm(limits.modelStallMs - silentMs);
      this.silence = new StreamStalled(silentMs);
      this.#controller.abort();
    });
  }
}
