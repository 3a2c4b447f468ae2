/** Runs as routes answer them: the row, and what its ledger says, through the same folds as the viewer's. */
import { classifyJournal } from "../core/journal.ts";
import type { RunEvent } from "../core/event.ts";
import { foldRunAll, initialRunState, type RunState } from "../core/run.ts";
import type { RunRecord, ThreadRecord } from "../core/run-record.ts";

/** The row without what only the server needs. */
export function runJson(run: RunRecord) {
  const { ownerId: _ownerId, leaseLeftMs, ...told } = run;
  return { ...told, isOwned: leaseLeftMs > 0 && run.leaseOwner !== null };
}

/** A thread without its owner. */
export function threadJson(thread: ThreadRecord) {
  const { ownerId: _ownerId, id, ...told } = thread;
  return { threadId: id, id, ...told };
}

/** The run with attempts, journal and counts. */
export function runDetailJson(run: RunRecord, events: readonly RunEvent[]) {
  const state = foldRunAll(initialRunState(), events);
  return {
    run: runJson(run),
    attempts: state.attempts,
    journal: classifyJournal(events),
    counts: state.counts,
  };
}

/** A row of the runs list: counts are folded from the run's calls alone. */
export function runRowJson(run: RunRecord, callEvents: readonly RunEvent[]) {
  return { ...runJson(run), counts: countsOf(run, callEvents) };
}

function countsOf(run: RunRecord, callEvents: readonly RunEvent[]): RunState["counts"] {
  const state = foldRunAll(initialRunState(), callEvents);
  if (run.status === "running") return state.counts;
  // The attempts' ends are not among the calls' events; a run at rest has no call under way.
  const at = callEvents.at(-1);
  const end = {
    type: "attempt_ended",
    seq: (at?.seq ?? 0) + 1,
    at: at?.at ?? "",
    attempt: run.attempts,
  };
  return foldRunAll(state, [{ ...end, reason: "settled", detail: "" } as RunEvent]).counts;
}
