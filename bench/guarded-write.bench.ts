/** What a guarded write costs, against two raw committed inserts on the same PostgreSQL. */
import postgres from "postgres";
import { expect, inject, test } from "vitest";
import { systemClock } from "@/lib/clock.ts";
import { asOwnerId } from "@/lib/core/ids.ts";
import { DEFAULT_LIMITS } from "@/lib/core/limits.ts";
import { randomIds } from "@/lib/random-ids.ts";
import { defineAction, registryOf } from "@/lib/runtime/action.ts";
import type { RuntimeDeps } from "@/lib/runtime/deps.ts";
import { createRunner } from "@/lib/runtime/runner.ts";
import { startRun } from "@/lib/runtime/start-run.ts";
import { scriptedModel } from "@/lib/testing/scripted-model.ts";
import { silentLog } from "@/lib/testing/silent-log.ts";
import { makeStorePlace } from "@/lib/testing/test-stores.ts";
import * as z from "zod";

const WRITES = 1_000;
const ROUNDS = 5;

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Milliseconds for one pair of committed inserts, one after the other on one connection. */
async function rawPair(sql: postgres.Sql): Promise<number> {
  const payload = JSON.stringify({ tool: "note", input: { n: 1 }, text: "x".repeat(200) });
  const since = performance.now();
  for (let i = 0; i < WRITES * 2; i += 1)
    await sql`insert into raw (payload) values (${payload}::text::json)`;
  return (performance.now() - since) / WRITES;
}

test("time per guarded write", async () => {
  const place = await makeStorePlace("postgres");
  const store = await place.open();
  const sql = postgres(inject("postgresUrl"), { max: 1, onnotice: () => undefined });
  await sql`create table raw (id bigint generated always as identity primary key, payload json not null)`;

  const note = defineAction({
    name: "note",
    description: "Does nothing, quickly.",
    schema: z.object({ n: z.number(), text: z.string() }),
    run: () => Promise.resolve({ ok: true }),
  });
  const guarded = async (perAnswer: number): Promise<number> => {
    const answers = Array.from({ length: WRITES / perAnswer }, (_, answer) => ({
      calls: Array.from({ length: perAnswer }, (_, i) => ({
        tool: "note",
        input: { n: answer * perAnswer + i, text: "x".repeat(100) },
      })),
    }));
    const model = scriptedModel([...answers, { text: "." }]);
    const base = {
      ledger: store.ledger,
      leases: store.leases,
      runs: store.runs,
      clock: systemClock,
    };
    const deps: RuntimeDeps = {
      ...base,
      ids: randomIds,
      log: silentLog,
      limits: { ...DEFAULT_LIMITS, stepsMax: 1_000_000 },
      actions: registryOf([note]),
      modelFor: () => model,
      system: "",
      unknownWrites: "hold",
      owner: "bench",
    };
    const runner = createRunner(deps);
    const ownerId = asOwnerId("local");
    const threadId = randomIds.threadId();
    await store.runs.createThread(ownerId, threadId);
    const input = { kind: "message", text: "go" } as const;
    const { run } = await startRun(
      { ...deps, runner },
      { ownerId, threadId, input, model: { temper: "heeds" }, faults: [] },
    );
    await expect
      .poll(async () => (await store.runs.getRun(ownerId, run.id)).status, {
        timeout: 60_000,
        interval: 250,
      })
      .toBe("done");
    const events = [];
    for (let after = 0; ; after = events.length) {
      const page = await store.ledger.read(run.id, after, 1_000);
      events.push(...page);
      if (page.length < 1_000) break;
    }
    const first = events.find(({ type }) => type === "tool_start");
    const last = events.findLast(({ type }) => type === "tool_done");
    await runner.shutdown();
    return (Date.parse(last?.at ?? "") - Date.parse(first?.at ?? "")) / WRITES;
  };

  const raw: number[] = [];
  const shared: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    raw.push(await rawPair(sql));
    shared.push(await guarded(WRITES));
  }
  const [rawMs, guardedMs] = [median(raw), median(shared)];
  console.log(`two raw committed inserts   ${rawMs.toFixed(2)} ms`);
  console.log(
    `one guarded write           ${guardedMs.toFixed(2)} ms   ${(guardedMs / rawMs).toFixed(2)}×`,
  );
  await sql.end();
  await place.remove();
  expect(guardedMs).toBeGreaterThan(0);
});
