import type { PlannedCall } from "../core/event.ts";
import type { FaultPoint } from "../core/run-record.ts";
import type { AttemptContext } from "./attempt-context.ts";

/** Stops at a named place of a fault plan; nothing on a run without one. */
export async function reach(
  context: AttemptContext,
  point: FaultPoint,
  call: PlannedCall,
): Promise<void> {
  if (!context.boundary) return;
  await context.boundary({
    point,
    runId: context.run.id,
    attempt: context.attempt.attempt,
    action: call.tool,
    callId: call.callId,
  });
}
