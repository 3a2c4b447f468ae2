/** What comes back exactly as it was stored, the world's effects, and who is told of commits. */
import { expect } from "vitest";
import { asOwnerId } from "../core/ids.ts";
import type { RunHead } from "../core/ports.ts";
import type { ContractStore, Rule, Scene } from "./contract-scene.ts";
import { eventsOf } from "./contract-scene.ts";

/** What a store that rewrites JSON would change. Key order is invisible to `toEqual`: compare the text too. */
const ODD_VALUES: Readonly<Record<string, unknown>> = {
  "odd key order": JSON.parse('{"bb":1,"a":{"z":1,"b":[]},"1.10":2,"":3}'),
  "keys of the language": JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":3}'),
  "NUL and control characters": "a\u0000b\u0001\u001f\u007f\u2028",
  "lone surrogates": ["\ud83d", "\ude00", "x\udc00y", { "\ud800": 1 }],
  "whole pairs": "\ud83d\ude00 é e\u0301",
  "numbers as texts": ["00123", "12345678901234567890", "1e3", "true", "null"],
  numbers: [0, -1, 0.1, 1e21, 1e-7, 9007199254740991, 12345.5],
  "text that looks like another encoding": 'a "quoted\\" {braces}, \\u0000 \\x00 NULL $1 %s \'; --',
  nothing: [null, "", {}, [], [[]], false],
};

export function exactRules(rule: Rule): void {
  for (const [name, value] of Object.entries(ODD_VALUES)) {
    rule(`gives back ${name} exactly as stored`, async (scene) => {
      const lease = await scene.claimed();
      const start = { type: "tool_start", input: value } as const;
      await scene.append(lease, start, { type: "tool_done", result: value });
      const stored = (await scene.store.ledger.read(lease.runId, 1, 10)) as {
        readonly input?: unknown;
        readonly result?: unknown;
      }[];
      expect([stored[0]?.input, stored[1]?.result]).toEqual([value, value]);
      expect(JSON.stringify([stored[0]?.input, stored[1]?.result])).toBe(
        JSON.stringify([value, value]),
      );
    });
  }

  rule("keeps a missing result apart from null, and null apart from its name", async (scene) => {
    const lease = await scene.claimed();
    const results = [null, "null", 0, false, ""];
    const dones = results.map((result) => ({ type: "tool_done", result }) as const);
    const resolved = { type: "tool_resolved" } as const;
    await scene.append(lease, ...dones, resolved);
    const stored = await scene.store.ledger.read(lease.runId, 1, 10);
    const read = stored.map((event) => ("result" in event ? event.result : "none"));
    expect(read).toEqual([...results, "none"]);
  });

  rule("keeps what it was given, whatever becomes of the caller's object", async (scene) => {
    const lease = await scene.claimed();
    const input = { to: "ada@example.com" };
    const storing = scene.append(lease, { type: "tool_start", input });
    input.to = "eve@example.com";
    await storing;
    const [stored] = await scene.store.ledger.read(lease.runId, 1, 10);
    expect(stored).toMatchObject({ input: { to: "ada@example.com" } });
  });

  rule("gives back the input, model and faults of a request exactly", async (scene) => {
    const text = 'NUL \u0000, half \ud83d, "quotes", \\ and 🙂';
    const input = { kind: "message", text } as const;
    const model = { provider: "openai", model: "big\u0000one" } as const;
    const run = await scene.run({ input, model, faults: [{ at: "in_text", as: "lease_lost" }] });
    const expected = { input, model, faults: [{ at: "in_text", as: "lease_lost" }] };
    expect(await scene.row(run.id)).toMatchObject(expected);
    expect((await scene.store.ledger.read(run.id, 0, 1))[0]).toMatchObject({ input });
  });

  rule("stores a result of a megabyte", async (scene) => {
    const lease = await scene.claimed();
    const result = { body: 'é"\\\n'.repeat(210_000) };
    await scene.append(lease, { type: "tool_done", result });
    const [stored] = await scene.store.ledger.read(lease.runId, 1, 10);
    // Not compared by `expect`: a difference of this size can't be printed.
    expect(JSON.stringify(stored).includes(JSON.stringify(result))).toBe(true);
  });

  rule("stores ten thousand events and pages through them", async (scene) => {
    const lease = await scene.claimed();
    for (let batch = 0; batch < 20; batch += 1) {
      const texts = Array.from({ length: 500 }, (_, i) => `${batch * 500 + i}`);
      const events = eventsOf(texts.map((text) => ({ type: "text", text })));
      await scene.store.ledger.append({ lease, appendId: scene.newId("app"), events });
    }
    const read: string[] = [];
    for (let after = 1; ;) {
      const page = await scene.store.ledger.read(lease.runId, after, 1_500);
      read.push(...page.map((event) => `${event.seq}:${"text" in event ? event.text : ""}`));
      if (page.length < 1_500) break;
      after = page.at(-1)?.seq ?? after;
    }
    expect(read.length).toBe(10_000);
    const wrong = read.findIndex((line, i) => line !== `${i + 2}:${i}`);
    expect(wrong).toBe(-1);
  });
}

export function effectRules(rule: Rule): void {
  rule("records every effect, in order, also of one key", async (scene) => {
    const effects = [effectOf(scene, "send_email"), effectOf(scene, "create_ticket")];
    const stored = [];
    for (const effect of [...effects, ...effects.slice(0, 1)]) {
      const { effect: made, repeated } = await scene.store.effects.record(effect);
      expect(repeated).toBe(false);
      stored.push(made);
    }
    const { runId } = effectOf(scene, "any");
    const list = scene.store.effects.list;
    expect(await list({ runId, limit: 10 })).toEqual({ effects: stored, next: null });
    expect(new Set(stored.map(({ id }) => id)).size).toBe(3);
    const mails = await list({ runId, action: "send_email", limit: 10 });
    expect(mails.effects).toEqual([stored[0], stored[2]]);
  });

  rule("lists the newest effects first, and the older ones by the cursor", async (scene) => {
    const { id: runId } = await scene.run();
    const stored = [];
    for (const key of ["a", "b", "c"]) {
      const effect = { runId, action: "send_email", input: key, idempotencyKey: `${runId}:${key}` };
      stored.push((await scene.store.effects.record(effect)).effect);
    }
    const query = { ownerId: scene.ownerId, runId, limit: 2 };
    const newest = await scene.store.effects.list(query);
    expect(newest.effects).toEqual(stored.slice(1));
    const older = await scene.store.effects.list({ ...query, cursor: newest.next ?? "none" });
    expect(older).toEqual({ effects: stored.slice(0, 1), next: null });
    const bad = scene.store.effects.list({ ...query, cursor: "r1" });
    await expect(bad).rejects.toMatchObject({ code: "invalid-cursor", field: "cursor" });
  });

  rule("shows a person only the effects of that person's runs", async (scene) => {
    const { id: runId } = await scene.run();
    await scene.store.effects.record({
      runId,
      action: "send_email",
      input: null,
      idempotencyKey: `${runId}:owner`,
    });
    const seenBy = async (ownerId: Scene["ownerId"]) =>
      (await scene.store.effects.list({ ownerId, limit: 10 })).effects.map((each) => each.runId);
    expect(await seenBy(scene.ownerId)).toEqual([runId]);
    expect(await seenBy(asOwnerId("somebody-else"))).toEqual([]);
  });

  rule(
    "an effect that is wanted once by its key happens once, also at the same time",
    async (scene) => {
      const effect = effectOf(scene, "charge_card");
      const once = (store: ContractStore) => store.effects.record(effect, { onceByKey: true });
      const answers = await Promise.all([once(scene.store), once(scene.peer), once(scene.store)]);
      expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
      const known = await scene.store.effects.list({ runId: effect.runId, limit: 10 });
      const [first] = known.effects;
      expect(answers.map((answer) => answer.effect)).toEqual([first, first, first]);
      expect(known.effects).toHaveLength(1);
    },
  );
}

function effectOf(scene: Scene, action: string) {
  const runId = scene.ownerId.replace("ada", "run");
  const input = { b: "\u0000", a: ["\ud83d", 1] };
  return { runId, action, input, idempotencyKey: `${runId}:${action}` };
}

/** Watches a run; `reached` resolves when its head is there. */
function watch(store: ContractStore, runId: RunHead["runId"]) {
  const heads: RunHead[] = [];
  let look = () => {};
  const stop = store.wakeups.watch(runId, (head) => {
    heads.push(head);
    look();
  });
  const reached = (seq: number) =>
    new Promise<RunHead>((resolve) => {
      look = () => {
        const head = heads.findLast(({ lastSeq }) => lastSeq >= seq);
        if (head) resolve(head);
      };
      look();
    });
  return { heads, reached, stop };
}

export function wakeupRules(rule: Rule): void {
  rule("tells a watcher of every commit, with where the run stands", async (scene) => {
    const lease = await scene.claimed();
    const { reached, stop } = watch(scene.store, lease.runId);
    await scene.append(lease, { type: "text" });
    expect(await reached(2)).toMatchObject({ runId: lease.runId, status: "running", fence: 1 });
    await scene.append(lease, { type: "run_done" });
    expect(await reached(3)).toMatchObject({ lastSeq: 3, status: "done", leaseOwner: null });
    stop();
  });

  rule("tells a watcher of late outcomes and settlements too", async (scene) => {
    const lease = await scene.waiting();
    const { reached, stop } = watch(scene.store, lease.runId);
    const { runId } = lease;
    await scene.store.ledger.settle({ runId, callId: "asked", outcome: "absent" });
    expect(await reached(10)).toMatchObject({ status: "running" });
    stop();
  });

  rule("tells nothing to a watcher that stopped", async (scene) => {
    const lease = await scene.claimed();
    const left = watch(scene.store, lease.runId);
    const stays = watch(scene.store, lease.runId);
    const watched = scene.store.wakeups.status().watchedRuns;
    left.stop();
    await scene.append(lease, { type: "text" });
    await stays.reached(2);
    expect(left.heads.filter(({ lastSeq }) => lastSeq >= 2)).toEqual([]);
    expect(scene.store.wakeups.status().watchedRuns).toBe(watched);
    stays.stop();
    expect(scene.store.wakeups.status().watchedRuns).toBe(watched - 1);
  });
}
