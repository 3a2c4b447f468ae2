import { beforeEach, describe, expect, test } from "vitest";
import type { NewEvent } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { runtimeHarness, type RuntimeHarness } from "../testing/runtime-harness.ts";
import { OpenLedger, readAll } from "./open-ledger.ts";

const text = (words: string): NewEvent => ({ type: "text", attempt: 1, text: words });

let harness: RuntimeHarness;
let runId: RunId;
let lost: unknown[];

async function open(): Promise<OpenLedger> {
  const claimed = await harness.store.leases.claim(runId, "p1", 5_000);
  if (!claimed) throw new Error("the run could not be claimed");
  const events = await readAll(harness.deps, runId, 0);
  const onLost = (error: unknown) => lost.push(error);
  return new OpenLedger(
    harness.deps,
    { lease: claimed.lease, events },
    { onLost, onCancelRequested: () => lost.push("cancel") },
  );
}

/** The texts on record, and whether the pen knows just those. */
function recorded(ledger: OpenLedger): unknown {
  expect(ledger.events).toEqual(harness.store.eventsOf(runId));
  return ledger.events.slice(1).map((event) => ("text" in event ? event.text : event.type));
}

beforeEach(async () => {
  harness = runtimeHarness({ model: scriptedModel([]), limits: { slots: 0 } });
  runId = await harness.start();
  lost = [];
});

describe("appending", () => {
  test("what is queued in one tick shares one append, in order", async () => {
    const ledger = await open();
    ledger.post([text("a")]);
    ledger.post([text("b")]);
    const committed = await ledger.commit([text("c"), text("d")]);
    expect(recorded(ledger)).toEqual(["a", "b", "c", "d"]);
    expect(committed.firstSeq).toBe(4);
    expect(harness.store.gates.count("append")).toBe(1);
  });

  test("a lost acknowledgement stores nothing twice and is reported as repeated", async () => {
    const ledger = await open();
    harness.store.gates.fail("append", 1, "after");
    const committing = ledger.commit([text("a")]);
    await harness.clock.advance(100);
    expect(await committing).toMatchObject({ firstSeq: 2, repeated: true });
    expect(recorded(ledger)).toEqual(["a"]);
  });

  test("a database that is away is asked again until it answers", async () => {
    const ledger = await open();
    harness.store.gates.fail("append", 5, "before");
    const committing = ledger.commit([text("a")]);
    await harness.clock.advance(10_000);
    await committing;
    expect(recorded(ledger)).toEqual(["a"]);
  });

  test("flush waits for what was posted", async () => {
    const ledger = await open();
    ledger.post([text("a")]);
    await ledger.flush();
    expect(recorded(ledger)).toEqual(["a"]);
  });
});

describe("losing the run", () => {
  test("a stale fence refuses everything that waits, once told", async () => {
    const ledger = await open();
    await harness.store.leases.expireRun(runId);
    await harness.store.leases.claim(runId, "p2", 5_000);
    await expect(ledger.commit([text("a")])).rejects.toMatchObject({ code: "fence-stale" });
    await expect(ledger.commit([text("b")])).rejects.toMatchObject({ code: "fence-stale" });
    expect(lost).toHaveLength(1);
    expect(recorded(ledger)).toEqual([]);
  });

  test("a dead owner writes nothing and is answered nothing", async () => {
    const ledger = await open();
    ledger.die();
    let answered = false;
    void ledger.commit([text("a")]).finally(() => (answered = true));
    await harness.clock.advance(1_000);
    expect([answered, harness.store.eventsOf(runId).length]).toEqual([false, 1]);
  });

  test("a cancel mark is told with the next append", async () => {
    const ledger = await open();
    await harness.store.runs.requestCancel(runId);
    await ledger.commit([text("a")]);
    expect(lost).toEqual(["cancel"]);
  });
});
