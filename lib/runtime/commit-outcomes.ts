/** Stores outcomes under the fence, and without it when the run was lost: a known outcome is never forgotten. */
import type { NewEvent } from "../core/event.ts";
import type { AttemptContext } from "./attempt-context.ts";
import { isLost, type Committed } from "./open-ledger.ts";

/**
 * Commits events among which are outcomes of calls. When they can't be committed, the outcomes are stored as late
 * ones; then the error is thrown again, because this owner may not go on.
 */
export async function commitOutcomes(
  context: AttemptContext,
  events: readonly NewEvent[],
): Promise<Committed> {
  try {
    return await context.ledger.commit(events);
  } catch (error) {
    if (isLost(error)) context.attempt.lose(error);
    for (const event of events) {
      if (event.type !== "tool_done") continue;
      const { attempt, callId, tool, input } = event;
      void context.late.store({ runId: context.run.id, attempt, callId, tool, input }, event);
    }
    throw error;
  }
}
