/** What only two connections can show. Who waits for whom is arranged with row locks, never with time. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../clock.ts";
import type { AppendRequest } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import { aNewEvent } from "../testing/builders.ts";
import { createGate } from "../testing/gate.ts";
import { silentLog } from "../testing/silent-log.ts";
import { ADA, aClaimedRun, aRequest, aWaitingRun } from "../testing/store-runs.ts";
import { makeStorePlace, type StorePlace } from "../testing/test-stores.ts";
import type { Database, Sql } from "./database.ts";
import { createLeases } from "./leases.ts";
import { createLedger } from "./ledger.ts";
import { openPostgres } from "./postgres-database.ts";
import type { Store } from "./store.ts";

let place: StorePlace;
let one: Store;
let two: Store;
let database: Database;

beforeAll(async () => {
  place = await makeStorePlace("postgres");
  [one, two] = await Promise.all([place.open(), place.open()]);
  const { databaseUrl = "", limits } = place.options;
  database = openPostgres(databaseUrl, { limits, clock: systemClock, log: silentLog });
});

afterAll(async () => {
  await database.close();
  await place.remove();
});

/** Does `first` without committing, lets `second` run into its lock, and commits. */
async function whileUncommitted<T>(
  first: (tx: Database) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  const done = createGate();
  const commit = createGate();
  const committed = database.transaction(async (tx) => {
    await first(asDatabase(tx));
    done.open();
    await commit.wait();
  });
  await Promise.race([done.wait(), committed]);
  const outcome = second();
  outcome.catch(() => {});
  await untilOneWaits();
  commit.open();
  await committed;
  return outcome;
}

/** Everything of the transaction, also what asks for one of its own. */
function asDatabase(tx: Sql): Database {
  return { ...tx, kind: "postgres", transaction: (work) => work(tx), close: async () => {} };
}

async function untilOneWaits(): Promise<void> {
  const text = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await database.query(text)).length === 0);
}

const ledgerIn = (tx: Database) => createLedger(tx, () => {});

const aText = (lease: Lease, appendId: string, text = "Hello"): AppendRequest => ({
  lease,
  appendId,
  events: [aNewEvent({ type: "text", text })],
});

const codeOf = (outcome: Promise<unknown>) =>
  outcome.then(
    () => "stored",
    (error: unknown) => (error as { code?: string }).code,
  );

async function linesOf(lease: Lease): Promise<string[]> {
  const events = await one.ledger.read(lease.runId, 0, 100);
  return events.map(({ seq, type, ...event }) => `${seq} ${type} ${textOf(event)}`.trim());
}

function textOf(event: Readonly<Record<string, unknown>>): string {
  return ["text", "callId", "outcome"].flatMap((name) => event[name] ?? []).join(" ");
}

describe("an append", () => {
  it("that waits while another owner takes over is refused", async () => {
    const lease = await aClaimedRun(one);
    const takeOver = async (tx: Database) => {
      const leases = createLeases(tx, () => {});
      await leases.expireRun(lease.runId);
      await leases.claim(lease.runId, "worker-2", 5_000);
    };
    const outcome = whileUncommitted(takeOver, () => one.ledger.append(aText(lease, "late")));
    expect(await codeOf(outcome)).toBe("fence-stale");
    expect(await linesOf(lease)).toEqual(["1 run_started"]);
  });

  it("by an earlier owner of the same name is refused", async () => {
    const lease = await aClaimedRun(one, "worker");
    await two.leases.expireRun(lease.runId);
    const again = await two.leases.claim(lease.runId, "worker", 5_000);
    expect(again?.lease).toEqual({ ...lease, fence: 2 });
    expect(await codeOf(one.ledger.append(aText(lease, "zombie")))).toBe("fence-stale");
    expect(await codeOf(one.leases.renew(lease, 5_000))).toBe("fence-stale");
    expect(await one.leases.isCurrent(lease)).toBe(false);
    await one.leases.release(lease);
    expect(await one.runs.getRun(ADA, lease.runId)).toMatchObject({ leaseOwner: "worker" });
  });

  it("that waits while the run ends is told that the ledger is closed", async () => {
    const lease = await aClaimedRun(one);
    const events = [aNewEvent({ type: "run_done" })];
    const outcome = whileUncommitted(
      (tx) => ledgerIn(tx).append({ lease, appendId: "end", events }),
      () => one.ledger.append(aText(lease, "late")),
    );
    expect(await codeOf(outcome)).toBe("ledger-closed");
  });

  it("whose first try is still in flight is a repeat of it", async () => {
    const lease = await aClaimedRun(one);
    const request = aText(lease, "same");
    const repeat = await whileUncommitted(
      (tx) => ledgerIn(tx).append(request),
      () => one.ledger.append(request),
    );
    expect(repeat).toMatchObject({ kind: "appended", firstSeq: 2, lastSeq: 2, repeated: true });
    expect(await linesOf(lease)).toEqual(["1 run_started", "2 text Hello"]);
  });

  it("whose first try in flight gave the run back is a repeat, not stale", async () => {
    const lease = await aClaimedRun(one);
    const events = [aNewEvent({ type: "run_done" })];
    const request = { lease, appendId: "end", events };
    const repeat = await whileUncommitted(
      (tx) => ledgerIn(tx).append(request),
      () => one.ledger.append(request),
    );
    expect(repeat).toMatchObject({ firstSeq: 2, repeated: true, fenceCurrent: true });
  });

  it("that waits while another event is stored has moved, if it had to be next", async () => {
    const lease = await aClaimedRun(one);
    const outcome = await whileUncommitted(
      (tx) => ledgerIn(tx).append(aText(lease, "first")),
      () => one.ledger.append({ ...aText(lease, "second"), expectLastSeq: 1 }),
    );
    expect(outcome).toEqual({ kind: "moved", lastSeq: 2 });
  });

  it("from two connections at once keeps the seqs without gaps", async () => {
    const lease = await aClaimedRun(one);
    const stores = [one, two, one, two, one, two];
    await Promise.all(stores.map((store, i) => store.ledger.append(aText(lease, `app-${i}`, "x"))));
    expect(await linesOf(lease)).toEqual([
      "1 run_started",
      ...[2, 3, 4, 5, 6, 7].map((seq) => `${seq} text x`),
    ]);
  });

  it("that waits too long for the row is unavailable, and stored when sent again", async () => {
    const lease = await aClaimedRun(one);
    const request = aText(lease, "patient");
    const done = createGate();
    const release = createGate();
    const holding = database.transaction(async (tx) => {
      await tx.query("select from runs where id = $1 for update", [lease.runId]);
      done.open();
      await release.wait();
    });
    await done.wait();
    const limits = { ...place.options.limits, storeLockMs: 50 };
    const hasty = await place.open({ limits });
    expect(await codeOf(hasty.ledger.append(request))).toBe("store-unavailable");
    release.open();
    await holding;
    await hasty.ledger.append(request);
    expect(await linesOf(lease)).toEqual(["1 run_started", "2 text Hello"]);
  });
});

describe("a waiting run", () => {
  const aSettlement = (lease: Lease) =>
    ({ runId: lease.runId, callId: "asked", outcome: "absent" }) as const;
  const aLateOutcome = (lease: Lease) => ({
    runId: lease.runId,
    appendId: "late",
    event: aNewEvent({ type: "tool_done", callId: "sent", late: true }),
  });

  it("is settled by the first of two persons; the second is told so", async () => {
    const lease = await aWaitingRun(one);
    const outcome = whileUncommitted(
      (tx) => ledgerIn(tx).settle(aSettlement(lease)),
      () => two.ledger.settle(aSettlement(lease)),
    );
    // The first answer stands, although the run is at work again.
    expect(await codeOf(outcome)).toBe("call-settled");
    expect((await linesOf(lease)).slice(5)).toEqual(["6 tool_resolved sent absent"]);
  });

  it("has a late outcome stored as a contradiction when a person was first", async () => {
    const lease = await aWaitingRun(one);
    const late = await whileUncommitted(
      (tx) => ledgerIn(tx).settle(aSettlement(lease)),
      () => two.ledger.appendLate(aLateOutcome(lease)),
    );
    expect(late).toEqual({ kind: "contradiction", seq: 7 });
    expect((await linesOf(lease)).slice(5)).toEqual([
      "6 tool_resolved sent absent",
      "7 tool_done sent ok",
    ]);
  });

  it("refuses a person when a late outcome was first", async () => {
    const lease = await aWaitingRun(one);
    const outcome = whileUncommitted(
      (tx) => ledgerIn(tx).appendLate(aLateOutcome(lease)),
      () => two.ledger.settle(aSettlement(lease)),
    );
    expect(await codeOf(outcome)).toBe("call-settled");
    expect((await linesOf(lease)).slice(5)).toEqual(["6 tool_done sent ok"]);
  });

  it("that was cancelled meanwhile takes no answer", async () => {
    const lease = await aWaitingRun(one);
    const cancelling = await one.runs.requestCancel(lease.runId);
    expect(cancelling.status).toBe("running");
    expect(await codeOf(two.ledger.settle(aSettlement(lease)))).toBe("run-busy");
  });
});

describe("a due run", () => {
  it("is claimed by one of two at once", async () => {
    const { run } = await one.runs.createRun(await aRequest(one));
    const loser = await whileUncommitted(
      (tx) => createLeases(tx, () => {}).claim(run.id, "worker-1", 5_000),
      () => two.leases.claim(run.id, "worker-2", 5_000),
    );
    expect(loser).toBeUndefined();
    expect(await one.runs.getRun(ADA, run.id)).toMatchObject({ fence: 1, leaseOwner: "worker-1" });
  });

  it("is passed over by a sweep while another one has it", async () => {
    await two.leases.claimDue("nobody", 60_000, 1_000);
    const { run } = await one.runs.createRun(await aRequest(one));
    const done = createGate();
    const release = createGate();
    const holding = database.transaction(async (tx) => {
      await tx.query("select from runs where id = $1 for update", [run.id]);
      done.open();
      await release.wait();
    });
    await done.wait();
    expect(await two.leases.claimDue("worker-2", 5_000, 10)).toEqual([]);
    release.open();
    await holding;
    expect(await two.leases.claimDue("worker-2", 5_000, 10)).toMatchObject([
      { run: { id: run.id } },
    ]);
  });
});

describe("a request", () => {
  it("sent twice to two servers at once makes one run, and both get it", async () => {
    const asked = await aRequest(one, { clientToken: "click" });
    const again = { ...asked, runId: (await aRequest(one)).runId };
    const [first, second] = await Promise.all([
      one.runs.createRun(asked),
      two.runs.createRun(again),
    ]);
    expect(second.run.id).toBe(first.run.id);
    expect([first.created, second.created].sort()).toEqual([false, true]);
    expect(await one.runs.listThreadRuns(asked.threadId)).toHaveLength(1);
  });

  it("of the same token in two threads at once makes one run; the other is a conflict", async () => {
    const asked = await aRequest(one, { clientToken: "twice" });
    const elsewhere = await aRequest(one, { clientToken: "twice" });
    const outcomes = await Promise.all([
      codeOf(one.runs.createRun(asked)),
      codeOf(two.runs.createRun(elsewhere)),
    ]);
    expect(outcomes.sort()).toEqual(["idempotency-conflict", "stored"]);
  });

  it("that meets a failed run being resumed in its thread is told which run is at work", async () => {
    const lease = await aClaimedRun(one);
    const events = [aNewEvent({ type: "run_failed", resumable: true })];
    await one.ledger.append({ lease, appendId: "end", events });
    const { threadId } = await one.runs.getRun(ADA, lease.runId);
    const asked = await aRequest(one, { threadId });
    const outcomes = await Promise.allSettled([
      one.runs.reopen(lease.runId),
      two.runs.createRun(asked),
    ]);
    const failures = outcomes.filter(({ status }) => status === "rejected");
    expect(failures).toMatchObject([{ reason: { code: "run-busy" } }]);
  });
});

it("a server that replaces dead ones may claim their runs at once, and nobody else's", async () => {
  const orphan = await aClaimedRun(one, "worker-dead");
  const older = await aClaimedRun(one, "worker-dead-before");
  const other = await aClaimedRun(one, "worker-alive");
  const successor = await place.open({ predecessors: ["worker-dead-before", "worker-dead"] });
  expect(await successor.leases.claim(orphan.runId, "worker-3", 5_000)).toBeDefined();
  expect(await successor.leases.claim(older.runId, "worker-3", 5_000)).toBeDefined();
  expect(await successor.leases.claim(other.runId, "worker-3", 5_000)).toBeUndefined();
});

it("two servers that start at once on an empty database migrate it once", async () => {
  const fresh = await makeStorePlace("postgres");
  try {
    const stores = await Promise.all([fresh.open(), fresh.open(), fresh.open()]);
    const lease = await aClaimedRun(stores[0] as Store);
    expect(await stores[2]?.ledger.read(lease.runId, 0, 10)).toHaveLength(1);
  } finally {
    await fresh.remove();
  }
});
