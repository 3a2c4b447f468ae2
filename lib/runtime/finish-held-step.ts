/**
 * Finishes a step whose calls waited for a person, before the model is asked again. Each held call is decided anew,
 * in order: an entry that landed answers it, an absent one lets it run under its own id, one that waited behind
 * another is free or answered as the entry now says.
 */
import type { HeldStep } from "../core/held-step.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { type HeldCalls, parsePlan, runWrites } from "./dispatch-calls.ts";

/** Returns the calls that still wait. */
export async function finishHeldStep(
  context: AttemptContext,
  heldStep: HeldStep,
): Promise<HeldCalls> {
  const writes = parsePlan(context, heldStep.calls).map((write) => ({
    ...write,
    answers: heldStep.answers.get(write.call.callId),
  }));
  return runWrites(context, writes, []);
}
