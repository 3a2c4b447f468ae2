/** The conversation before this run: what earlier runs of the thread said and did, never a part of its journal. */
import type { ModelMessage } from "ai";
import { conversationOf } from "../core/prompt.ts";
import type { RunRecord } from "../core/run-record.ts";
import type { RuntimeDeps } from "./deps.ts";
import { readAll } from "./open-ledger.ts";
import { retryStore } from "./retry-store.ts";

/** How many earlier runs the model is shown. Source: a bound on the prompt; older ones stay in the ledger. */
const EARLIER_RUNS_MAX = 10;

/** Messages of the thread's runs before this one, oldest first. */
export async function earlierMessages(
  deps: RuntimeDeps,
  run: RunRecord,
  signal: AbortSignal,
): Promise<readonly ModelMessage[]> {
  const list = () => deps.runs.listThreadRuns(run.threadId);
  const all = await retryStore(deps, "earlier runs", list, signal);
  const position = all.findIndex(({ id }) => id === run.id);
  const earlier = all.slice(0, Math.max(0, position)).slice(-EARLIER_RUNS_MAX);
  const ledgers = [];
  for (const { id } of earlier) ledgers.push(await readAll(deps, id, 0, signal));
  return conversationOf(ledgers);
}
