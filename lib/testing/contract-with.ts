/** An append that takes an effect along: both are there or neither is, once however often it is sent. */
import { expect } from "vitest";
import type { AppendWork, TakenAppend } from "../core/ports.ts";
import type { Lease } from "../core/run-record.ts";
import type { Sketch } from "./builders.ts";
import {
  codeOf,
  type ContractStore,
  eventsOf,
  LONG_MS,
  type Rule,
  type Scene,
} from "./contract-scene.ts";

const DONE: readonly Sketch[] = [{ type: "tool_done", callId: "sent" }];

interface Shape {
  readonly store?: ContractStore;
  readonly appendId?: string;
  readonly sketches?: readonly Sketch[];
}

/** Books in the transaction and leaves the events. */
function booking({ effects }: ContractStore, { runId }: Lease, sketches = DONE): AppendWork {
  return async (tx) => {
    const idempotencyKey = `${runId}:booking`;
    await effects.recordIn(tx, { runId, action: "book", input: { seat: "4a" }, idempotencyKey });
    return eventsOf(sketches);
  };
}

function book(scene: Scene, lease: Lease, shape: Shape = {}): Promise<TakenAppend> {
  const { store = scene.store, appendId = scene.newId("app"), sketches } = shape;
  return store.ledger.appendWith({ lease, appendId }, booking(store, lease, sketches));
}

async function bookingsOf(scene: Scene, { runId }: Lease): Promise<number> {
  return (await scene.store.effects.list({ runId, limit: 100 })).effects.length;
}

export function withRules(rule: Rule): void {
  rule("an effect and its events commit together", async (scene) => {
    const lease = await scene.claimed();
    const sketches: Sketch[] = [...DONE, { type: "text", text: "Booked" }];
    const { appended, events } = await book(scene, lease, { sketches });
    expect(events).toEqual(eventsOf(sketches));
    const [stored] = await scene.store.ledger.read(lease.runId, 1, 1);
    const standing = { cancelRequested: false, repeated: false, fenceCurrent: true };
    const place = { firstSeq: 2, lastSeq: 3, at: stored?.at };
    expect(appended).toEqual({ kind: "appended", ...place, ...standing });
    expect(await scene.lines(lease.runId, 1)).toEqual([
      "2 tool_done send_email #sent ok",
      '3 text "Booked"',
    ]);
    const { effects } = await scene.peer.effects.list({ runId: lease.runId, limit: 10 });
    const { runId } = lease;
    const effect = { runId, action: "book", input: { seat: "4a" } };
    expect(effects).toMatchObject([{ ...effect, idempotencyKey: `${runId}:booking` }]);
  });

  rule("work that throws stores nothing, and its error comes as it is", async (scene) => {
    const lease = await scene.claimed();
    const refusal = new RangeError("no seat is left");
    const work: AppendWork = async (tx) => {
      await booking(scene.store, lease)(tx);
      throw refusal;
    };
    const place = { lease, appendId: "same" };
    await expect(scene.store.ledger.appendWith(place, work)).rejects.toBe(refusal);
    expect(await bookingsOf(scene, lease)).toBe(0);
    // Nothing is left of it that stands in the way of another try.
    expect(await book(scene, lease, place)).toMatchObject({ appended: { firstSeq: 2 } });
    expect(await bookingsOf(scene, lease)).toBe(1);
  });

  rule("work that leaves no event stores no effect", async (scene) => {
    const lease = await scene.claimed();
    await expect(book(scene, lease, { sketches: [] })).rejects.toThrow("at least one event");
    expect(await bookingsOf(scene, lease)).toBe(0);
    expect(await scene.lines(lease.runId, 1)).toEqual([]);
  });

  rule("it numbers gaplessly beside appends that come at once", async (scene) => {
    const lease = await scene.claimed();
    const sketches: Sketch[] = [...DONE, { type: "text" }];
    await Promise.all([
      book(scene, lease, { sketches }),
      scene.append(lease, { type: "text" }, { type: "text" }, { type: "text" }),
      book(scene, lease, { sketches, store: scene.peer }),
      scene.append(lease, { type: "text" }),
      book(scene, lease),
    ]);
    const events = await scene.store.ledger.read(lease.runId, 0, 100);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await bookingsOf(scene, lease)).toBe(3);
  });

  rule("an end in it closes the run, and a cancel is told by it", async (scene) => {
    const lease = await scene.claimed();
    await scene.store.runs.requestCancel(lease.runId);
    const sketches: Sketch[] = [...DONE, { type: "run_done" }];
    const { appended } = await book(scene, lease, { sketches });
    expect(appended).toMatchObject({ lastSeq: 3, cancelRequested: true });
    const end = { status: "done", leaseOwner: null, lastSeq: 3 };
    expect(await scene.row(lease.runId)).toMatchObject(end);
    expect(await codeOf(book(scene, lease))).toBe("ledger-closed");
  });
}

export function withFenceRules(rule: Rule): void {
  rule("an owner that lost the run leaves neither effect nor event", async (scene) => {
    const replaced = await scene.claimed();
    await scene.takeOver(replaced);
    const free = await scene.claimed();
    await scene.store.leases.release(free);
    const foreign = { ...(await scene.claimed()), owner: "worker-9" };
    for (const lease of [replaced, free, foreign]) {
      expect(await codeOf(book(scene, lease))).toBe("fence-stale");
      expect(await bookingsOf(scene, lease)).toBe(0);
      expect(await scene.lines(lease.runId, 1)).toEqual([]);
    }
  });

  rule("a closed ledger takes neither effect nor event", async (scene) => {
    const ends: Sketch[] = [
      { type: "run_done" },
      { type: "run_failed", resumable: true },
      { type: "run_cancelled" },
      { type: "run_waiting" },
    ];
    for (const end of ends) {
      const lease = await scene.claimed();
      await scene.append(lease, end);
      expect(await codeOf(book(scene, lease))).toBe("ledger-closed");
      expect(await bookingsOf(scene, lease)).toBe(0);
      expect(await scene.lines(lease.runId, 2)).toEqual([]);
    }
  });

  rule("a run that was never made takes no effect", async (scene) => {
    const lease = { runId: scene.newRunId(), owner: "worker-1", fence: 1 };
    expect(await codeOf(book(scene, lease))).toBe("run-not-found");
    expect(await bookingsOf(scene, lease)).toBe(0);
  });

  rule("of it and a take-over at once either all of it is stored or nothing", async (scene) => {
    for (let round = 0; round < 5; round += 1) {
      const lease = await scene.claimed();
      await scene.store.leases.expireRun(lease.runId);
      const [code] = await Promise.all([
        codeOf(book(scene, lease)),
        scene.peer.leases.claim(lease.runId, "worker-2", LONG_MS),
      ]);
      const lines = (await scene.lines(lease.runId, 1)).length;
      expect([lines, await bookingsOf(scene, lease)]).toEqual(code === "done" ? [1, 1] : [0, 0]);
      if (code !== "done") expect(code).toBe("fence-stale");
    }
  });
}

export function withRepeatRules(rule: Rule): void {
  rule("a repeat has no second effect, and is told so", async (scene) => {
    const lease = await scene.claimed();
    const shape = { appendId: "same" };
    const first = await book(scene, lease, shape);
    const again = await book(scene, lease, { ...shape, store: scene.peer });
    expect(again).toEqual({ appended: { ...first.appended, repeated: true }, events: undefined });
    expect(await bookingsOf(scene, lease)).toBe(1);
    expect(await scene.lines(lease.runId, 1)).toHaveLength(1);
  });

  rule("a repeat is told so after a take-over and after the run's end", async (scene) => {
    const lease = await scene.claimed();
    await book(scene, lease, { appendId: "same" });
    const current = await scene.takeOver(lease);
    const moved = { firstSeq: 2, repeated: true, fenceCurrent: false };
    const again = () => book(scene, lease, { appendId: "same" });
    expect(await again()).toMatchObject({ appended: moved, events: undefined });
    await scene.append(current, { type: "run_done" });
    expect(await again()).toMatchObject({ appended: moved, events: undefined });
    expect(await bookingsOf(scene, lease)).toBe(1);
  });

  rule("work that runs into its own first effect is a repeat, not an error", async (scene) => {
    const lease = await scene.claimed();
    const place = { lease, appendId: "same" };
    await book(scene, lease, place);
    const taken = new Error("the seat is taken");
    const again = scene.store.ledger.appendWith(place, () => Promise.reject(taken));
    expect(await again).toMatchObject({ appended: { firstSeq: 2, repeated: true } });
    const other = { lease, appendId: "other" };
    const refused = scene.store.ledger.appendWith(other, () => Promise.reject(taken));
    await expect(refused).rejects.toBe(taken);
    expect(await bookingsOf(scene, lease)).toBe(1);
  });

  rule("two at once under one id leave one effect", async (scene) => {
    const lease = await scene.claimed();
    const shape = { appendId: "same" };
    const answers = await Promise.all([
      book(scene, lease, shape),
      book(scene, lease, { ...shape, store: scene.peer }),
      book(scene, lease, shape),
    ]);
    expect(answers.filter(({ events }) => events !== undefined)).toHaveLength(1);
    const appends = answers.map(({ appended }) => appended);
    expect(appends.filter((each) => each.kind === "appended" && each.repeated)).toHaveLength(2);
    expect(await bookingsOf(scene, lease)).toBe(1);
    expect(await scene.lines(lease.runId, 1)).toHaveLength(1);
  });

  rule("an id is one append's, whether it takes an effect along or not", async (scene) => {
    const lease = await scene.claimed();
    const appendId = "same";
    await scene.store.ledger.append({ lease, appendId, events: eventsOf(DONE) });
    expect(await book(scene, lease, { appendId })).toMatchObject({ appended: { repeated: true } });
    expect(await bookingsOf(scene, lease)).toBe(0);
  });
}
