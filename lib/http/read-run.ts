/** Reads a run's events for an answer, page by page. */
import type { RunEvent } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import type { Ledger } from "../core/ports.ts";

/** All events after a seq. `limit`: rows of one read. */
export async function readRun(
  ledger: Pick<Ledger, "read">,
  runId: RunId,
  { afterSeq = 0, limit = 1_000 } = {},
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await ledger.read(runId, events.at(-1)?.seq ?? afterSeq, limit);
    events.push(...page);
    if (page.length < limit) return events;
  }
}
