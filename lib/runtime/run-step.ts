/** One step: rebuild the conversation from the ledger, ask the model once, run the calls it asked for. */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { ModelMessage } from "ai";
import { isKnownEvent, type RunEvent, type Usage } from "../core/event.ts";
import { buildPrompt } from "../core/prompt.ts";
import { askModel } from "./ask-model.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { dispatchCalls, type HeldCalls } from "./dispatch-calls.ts";
import { boundaryModel } from "./models/boundary-model.ts";

export type StepEnd =
  /** The model answered without a call: its answer is the end of the run. */
  | { readonly kind: "final" }
  | { readonly kind: "called"; readonly held: HeldCalls }
  /** The attempt has to end. */
  | { readonly kind: "ending" };

export interface StepInput {
  /** From 1 within the attempt. */
  readonly step: number;
  readonly note: string | null;
  /** Messages of earlier runs in the thread. */
  readonly earlier: readonly ModelMessage[];
}

/** Throws `ModelFailure`, and `fence-stale` or `ledger-closed` when the run was lost. */
export async function runStep(context: AttemptContext, input: StepInput): Promise<StepEnd> {
  const { attempt, ledger } = context;
  const model = modelOf(context);
  const prompt = buildPrompt(ledger.events, { note: input.note });
  ledger.post([
    { type: "step_started", attempt: attempt.attempt, step: input.step, model: model.modelId },
  ]);
  const answer = await askModel(context, {
    step: input.step,
    model,
    messages: [...input.earlier, ...prompt],
  });
  if (answer.kind === "ending") return { kind: "ending" };
  const { finished, rest } = answer;
  if (finished.calls.length === 0) {
    await ledger.commit([
      ...rest,
      finished,
      { type: "run_done", attempt: attempt.attempt, usage: usageOfRun(ledger.events, finished) },
    ]);
    return { kind: "final" };
  }
  const held = await dispatchCalls(context, finished.calls, [...rest, finished]);
  return { kind: "called", held };
}

/** The run's model, with its fault plan inside if it carries one. */
function modelOf({ attempt, boundary, deps, run }: AttemptContext): LanguageModelV3 {
  const model = deps.modelFor(run);
  if (!boundary) return model;
  return boundaryModel(model, (point, action) =>
    boundary({
      point,
      runId: run.id,
      attempt: attempt.attempt,
      ...(action !== undefined && { action }),
    }),
  );
}

/** Tokens of all finished steps of the run, as far as providers counted them. */
function usageOfRun(events: readonly RunEvent[], last: { readonly usage: Usage }): Usage {
  const total: { inputTokens?: number; outputTokens?: number; totalTokens?: number } = {};
  const add = (usage: Usage) => {
    for (const key of ["inputTokens", "outputTokens", "totalTokens"] as const) {
      const tokens = usage[key];
      if (tokens !== undefined) total[key] = (total[key] ?? 0) + tokens;
    }
  };
  for (const event of events) {
    if (isKnownEvent(event) && event.type === "step_finished") add(event.usage);
  }
  add(last.usage);
  return total;
}
