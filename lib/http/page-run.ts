/** A run as a page hands it to the browser: its first events, so that the first paint is the state on record. */
import type { Limits } from "../core/limits.ts";
import type { Ledger } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import { withReferences } from "./sse.ts";

/** The browser reads on from the last of these events. `head`: the run's newest seq. */
export async function pageRun(ledger: Pick<Ledger, "read">, run: RunRecord, limits: Limits) {
  const events = await ledger.read(run.id, 0, limits.pageEventsMax);
  return {
    runId: run.id as string,
    events: events.map((event) => withReferences(event, limits.inlineBytesMax)),
    head: run.lastSeq,
  };
}
