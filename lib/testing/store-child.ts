/** A process that opens a data directory, works on a run in it, says so, and stays until it is killed. */
import { systemClock } from "../clock.ts";
import { DEFAULT_LIMITS } from "../core/limits.ts";
import { openStore } from "../store/store.ts";
import { aNewEvent } from "./builders.ts";
import { silentLog } from "./silent-log.ts";
import { aClaimedRun } from "./store-runs.ts";

const [dataDir = "", migrationsFolder = ""] = process.argv.slice(2);

const store = await openStore({
  dataDir,
  migrationsFolder,
  address: "http://127.0.0.1:3000",
  limits: DEFAULT_LIMITS,
  clock: systemClock,
  log: silentLog,
});
const lease = await aClaimedRun(store, "worker-that-dies");
const events = [aNewEvent({ type: "tool_start", callId: "sent" })];
await store.ledger.append({ lease, appendId: "start", events });
process.send?.({ runId: lease.runId });
