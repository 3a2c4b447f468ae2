/** Append: seqs without gaps, one commit, once however often it is sent. */
import { expect } from "vitest";
import { codeOf, eventsOf, type Rule } from "./contract-scene.ts";

export function appendRules(rule: Rule): void {
  rule("numbers events from 1 without gaps, also when appends come at once", async (scene) => {
    const lease = await scene.claimed();
    const sizes = [1, 3, 2, 1, 5, 1, 2, 4, 1, 1, 2, 3];
    const answers = await Promise.all(
      sizes.map((size, i) => {
        const ledger = i % 2 === 0 ? scene.store.ledger : scene.peer.ledger;
        const texts = Array.from({ length: size }, (_, n) => ({ type: "text", text: `${i}.${n}` }));
        const events = eventsOf(texts as { type: "text"; text: string }[]);
        return ledger.append({ lease, appendId: scene.newId("app"), events });
      }),
    );
    const expected = new Map<number, string>();
    answers.forEach((answer, i) => {
      if (answer.kind !== "appended") return;
      expect(answer.lastSeq - answer.firstSeq + 1).toBe(sizes[i]);
      for (let seq = answer.firstSeq; seq <= answer.lastSeq; seq += 1) {
        expected.set(seq, `${seq} text "${i}.${seq - answer.firstSeq}"`);
      }
    });
    const seqs = [...expected.keys()].sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 26 }, (_, n) => n + 2));
    expect(await scene.lines(lease.runId, 1)).toEqual(seqs.map((seq) => expected.get(seq)));
  });

  rule("answers with the seqs and the one time of a commit", async (scene) => {
    const lease = await scene.claimed();
    const answer = await scene.append(lease, { type: "text" }, { type: "clear", scope: "text" });
    const stored = await scene.store.ledger.read(lease.runId, 1, 10);
    const at = stored[0]?.at;
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/);
    expect(stored.map((event) => event.at)).toEqual([at, at]);
    const place = { firstSeq: 2, lastSeq: 3, at };
    const standing = { cancelRequested: false, repeated: false, fenceCurrent: true };
    expect(answer).toEqual({ kind: "appended", ...place, ...standing });
  });

  rule("appends on condition only while nothing else was stored", async (scene) => {
    const lease = await scene.claimed();
    const text = eventsOf([{ type: "text" }]);
    const ask = (expectLastSeq: number, appendId = scene.newId("app")) =>
      scene.store.ledger.append({ lease, appendId, events: text, expectLastSeq });
    expect(await ask(1, "same")).toMatchObject({ kind: "appended", firstSeq: 2 });
    expect(await ask(1)).toEqual({ kind: "moved", lastSeq: 2 });
    expect(await ask(3)).toEqual({ kind: "moved", lastSeq: 2 });
    // A repeat was stored when its condition held.
    expect(await ask(1, "same")).toMatchObject({ kind: "appended", firstSeq: 2, repeated: true });
    expect(await scene.lines(lease.runId)).toHaveLength(2);
  });

  rule("reads after a seq, in the order of numbers and not of texts", async (scene) => {
    const lease = await scene.claimed();
    for (let n = 2; n <= 13; n += 1) await scene.append(lease, { type: "text", text: `${n}` });
    expect(await scene.lines(lease.runId, 8)).toEqual(
      [9, 10, 11, 12, 13].map((n) => `${n} text "${n}"`),
    );
    const page = await scene.store.ledger.read(lease.runId, 9, 2);
    expect(page.map((event) => event.seq)).toEqual([10, 11]);
    expect(await scene.store.ledger.read(lease.runId, 13, 10)).toEqual([]);
    expect(await scene.store.ledger.read(lease.runId, 99, 10)).toEqual([]);
  });
}

export function repeatRules(rule: Rule): void {
  rule("stores an append once however often it is sent, also at the same time", async (scene) => {
    const lease = await scene.claimed();
    const events = eventsOf([{ type: "text" }, { type: "text" }]);
    const request = { lease, appendId: "same", events };
    const { store, peer } = scene;
    const answers = await Promise.all([
      store.ledger.append(request),
      peer.ledger.append(request),
      store.ledger.append(request),
    ]);
    const later = await store.ledger.append(request);
    const seqs = [...answers, later].map((answer) => answer.kind === "appended" && answer.firstSeq);
    expect(seqs).toEqual([2, 2, 2, 2]);
    const firsts = answers.filter((answer) => answer.kind === "appended" && !answer.repeated);
    expect(firsts).toHaveLength(1);
    const [first] = firsts;
    expect(later).toEqual({ ...first, repeated: true });
    expect(await scene.lines(lease.runId)).toHaveLength(3);
  });

  rule("answers the repeat of an append that gave the run back", async (scene) => {
    const lease = await scene.claimed();
    const request = { lease, appendId: "end", events: eventsOf([{ type: "attempt_ended" }]) };
    await scene.store.ledger.append(request);
    const again = { firstSeq: 2, lastSeq: 2, repeated: true, fenceCurrent: true };
    expect(await scene.store.ledger.append(request)).toMatchObject(again);
  });

  rule("answers the repeat of an append that ended the run", async (scene) => {
    const lease = await scene.claimed();
    const request = { lease, appendId: "end", events: eventsOf([{ type: "run_done" }]) };
    await scene.store.ledger.append(request);
    const again = { firstSeq: 2, lastSeq: 2, repeated: true, fenceCurrent: true };
    expect(await scene.store.ledger.append(request)).toMatchObject(again);
    expect(await scene.lines(lease.runId)).toHaveLength(2);
  });

  rule("tells a repeat after a take-over that the fence has moved", async (scene) => {
    const lease = await scene.claimed();
    const request = { lease, appendId: "same", events: eventsOf([{ type: "tool_start" }]) };
    await scene.store.ledger.append(request);
    await scene.takeOver(lease);
    const again = { kind: "appended", firstSeq: 2, repeated: true, fenceCurrent: false };
    expect(await scene.store.ledger.append(request)).toMatchObject(again);
    expect(await scene.lines(lease.runId)).toHaveLength(2);
  });

  rule("keeps the append ids of different runs apart", async (scene) => {
    for (const lease of [await scene.claimed(), await scene.claimed()]) {
      const request = { lease, appendId: "shared", events: eventsOf([{ type: "text" }]) };
      expect(await scene.store.ledger.append(request)).toMatchObject({ repeated: false });
    }
  });

  rule("returns the cancel mark with every append, repeat and renewal", async (scene) => {
    const lease = await scene.claimed();
    const request = { lease, appendId: "same", events: eventsOf([{ type: "text" }]) };
    const { ledger, leases, runs } = scene.store;
    expect(await ledger.append(request)).toMatchObject({ cancelRequested: false });
    expect(await leases.renew(lease, 1_000)).toEqual({ cancelRequested: false });
    await runs.requestCancel(lease.runId);
    expect(await ledger.append(request)).toMatchObject({ cancelRequested: true, repeated: true });
    expect(await scene.append(lease, { type: "text" })).toMatchObject({ cancelRequested: true });
    expect(await leases.renew(lease, 1_000)).toEqual({ cancelRequested: true });
  });

  rule("knows no run that was never made", async (scene) => {
    const lease = { runId: scene.newRunId(), owner: "worker-1", fence: 1 };
    expect(await codeOf(scene.append(lease, { type: "text" }))).toBe("run-not-found");
    expect(await scene.store.ledger.read(lease.runId, 0, 10)).toEqual([]);
  });
}
