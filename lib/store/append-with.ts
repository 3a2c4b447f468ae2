/**
 * An append that takes an effect with it: what `work` does to this database and the events it leaves commit
 * together, or not at all. The append is the transaction's last statement, so that an owner without the run rolls
 * everything back, and the row's lock is held for no longer than it takes.
 */
import { assert, storeUnavailable } from "../core/errors.ts";
import type { AppendPlace, AppendWork, TakenAppend } from "../core/ports.ts";
import type { Database } from "./database.ts";
import { appendOn, LOOKS_MAX, whyNot } from "./ledger-append.ts";
import { violates } from "./store-error.ts";

/** Thrown inside a transaction to roll it back: the append found no row to advance. */
const NOT_APPENDED = new Error("the append stored nothing");

/**
 * Commits the work at most once, however often it is sent: a second one violates the append's id and rolls back.
 * Throws what `append` throws, and what `work` throws: then nothing of it was stored.
 */
export async function appendWith(
  database: Database,
  place: AppendPlace,
  work: AppendWork,
): Promise<TakenAppend> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const taken = await tryOnce(database, place, work);
    if (taken) return taken;
    const decided = await whyNot(database, place);
    if (decided) return { appended: decided, events: undefined };
  }
  throw storeUnavailable(`run ${place.lease.runId} changed during every look at it`);
}

async function tryOnce(
  database: Database,
  place: AppendPlace,
  work: AppendWork,
): Promise<TakenAppend | undefined> {
  try {
    return await database.transaction(async (tx) => {
      const events = await work(tx);
      assert(events.length > 0, "an append has at least one event");
      const appended = await appendOn(tx, { ...place, events });
      if (!appended) throw NOT_APPENDED;
      return { appended, events };
    });
  } catch (error) {
    if (error === NOT_APPENDED || violates(error, "run_events_append")) return undefined;
    // What the work ran into may be its own effect, of an earlier try whose answer was lost.
    if (await isStored(database, place)) return undefined;
    throw error;
  }
}

async function isStored(database: Database, { lease, appendId }: AppendPlace): Promise<boolean> {
  const text = "select from run_events where run_id = $1 and append_id = $2";
  return (await database.query(text, [lease.runId, appendId])).length > 0;
}
