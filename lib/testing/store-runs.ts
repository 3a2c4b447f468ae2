/** Runs in a real store, in the states that store tests begin with. */
import { asOwnerId } from "../core/ids.ts";
import type { NewRun } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import { randomIds } from "../random-ids.ts";
import type { Store } from "../store/store.ts";
import { aNewEvent } from "./builders.ts";

type Ports = Pick<Store, "ledger" | "leases" | "runs">;

export const ADA = asOwnerId("ada");

/** A request in a new thread of Ada's. */
export async function aRequest(store: Ports, more: Partial<NewRun> = {}): Promise<NewRun> {
  const threadId = more.threadId ?? randomIds.threadId();
  const ownerId = more.ownerId ?? ADA;
  if (more.threadId === undefined) await store.runs.createThread(ownerId, threadId);
  return {
    runId: randomIds.runId(),
    ownerId,
    threadId,
    input: { kind: "message", text: "Email Ada the report" },
    model: { temper: "heeds" },
    faults: [],
    ...more,
  };
}

/** A run that `owner` has just claimed; its ledger holds `run_started` alone. */
export async function aClaimedRun(store: Ports, owner = "worker-1"): Promise<Lease> {
  const { run } = await store.runs.createRun(await aRequest(store));
  const claimed = await store.leases.claim(run.id, owner, 5_000);
  if (!claimed) throw new Error("a new run is not due");
  return claimed.lease;
}

/** A run that waits: `sent` (seq 3) is open, `asked` (seq 4) is held because of it. */
export async function aWaitingRun(store: Ports): Promise<Lease> {
  const lease = await aClaimedRun(store);
  const events = [
    aNewEvent({ type: "attempt_started", owner: lease.owner, fence: lease.fence }),
    aNewEvent({ type: "tool_start", callId: "sent" }),
    aNewEvent({ type: "tool_held", callId: "asked", originalSeq: 3 }),
    aNewEvent({ type: "run_waiting", heldCallIds: ["asked"] }),
  ];
  await store.ledger.append({ lease, appendId: "until-waiting", events });
  return lease;
}
