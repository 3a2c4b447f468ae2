/**
 * Whole runs of the demo agent on the in-memory store and a manual clock: what each temper asks for, through the
 * real loop and guard, and what the world has received in the end.
 */
import { afterEach, describe, expect, test } from "vitest";
import { asOwnerId, asRunId, asThreadId, type RunId } from "../core/ids.ts";
import { DEFAULT_LIMITS } from "../core/limits.ts";
import { isKnownEvent } from "../core/event.ts";
import type { Fault, Temper } from "../core/run-record.ts";
import { resolveCall } from "../runtime/resolve-call.ts";
import { createRunner, type Runner, type VerbDeps } from "../runtime/runner.ts";
import { startRun } from "../runtime/start-run.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { silentLog } from "../testing/silent-log.ts";
import { createDemo } from "./demo.ts";
import { createFaultPlans } from "./faults.ts";

const LOCAL = asOwnerId("local");

interface Scene {
  readonly clock: ReturnType<typeof manualClock>;
  readonly store: ReturnType<typeof createMemoryStore>;
  readonly deps: VerbDeps;
  readonly runner: Runner;
}

interface Wanted {
  readonly text: string;
  readonly temper?: Temper;
  readonly faults?: readonly Fault[];
}

const open: Scene[] = [];
afterEach(async () => {
  for (const { clock, runner } of open.splice(0)) {
    const ended = runner.shutdown();
    await clock.advance(10_000);
    await ended;
    expect(clock.pendingTimers()).toBe(0);
  }
});

function sceneOf(unknownWrites: "hold" | "model" = "hold"): Scene {
  const clock = manualClock();
  const store = createMemoryStore({ clock });
  let runner: Runner | undefined;
  const { boundary } = createFaultPlans({
    controls: (runId) => runner?.controls(runId) ?? [],
    takeOver: async (runId) => runner?.takeOver(runId),
    kill: () => undefined,
    log: silentLog,
  });
  const { ledger, leases, runs, effects } = store;
  let minted = 0;
  const mint = (prefix: string) => `${prefix}_${(minted += 1)}`;
  const deps = {
    ...{ ledger, leases, runs, clock, unknownWrites, boundary, log: silentLog, owner: "p1" },
    ...createDemo({ effects, clock, boundary, bodyMs: 100, paceMs: 1 }),
    limits: DEFAULT_LIMITS,
    ids: {
      runId: () => asRunId(mint("run")),
      threadId: () => asThreadId(mint("thr")),
      appendId: () => mint("append"),
    },
  };
  runner = createRunner(deps);
  runner.start();
  const scene = { clock, store, runner, deps: { ...deps, runner } };
  open.push(scene);
  return scene;
}

async function begin({ store, deps }: Scene, wanted: Wanted): Promise<RunId> {
  const threadId = deps.ids.threadId();
  await store.runs.createThread(LOCAL, threadId);
  const { run } = await startRun(deps, {
    ownerId: LOCAL,
    threadId,
    input: { kind: "message", text: wanted.text },
    model: { temper: wanted.temper ?? "heeds" },
    faults: wanted.faults ?? [],
  });
  return run.id;
}

/** Lets time pass until the run rests; a person answers what is held by what the world has. */
async function play(scene: Scene, wanted: Wanted) {
  const { clock, store } = scene;
  const runId = await begin(scene, wanted);
  for (let waitedMs = 0; store.runOf(runId).status !== "done"; waitedMs += 100) {
    expect(waitedMs, store.runOf(runId).status).toBeLessThan(120_000);
    await clock.advance(100);
    if (store.runOf(runId).status === "waiting") await answer(scene, runId);
  }
  const events = store.eventsOf(runId).filter(isKnownEvent);
  const { effects } = await store.effects.list({ runId, limit: 99 });
  return {
    attempts: store.runOf(runId).attempts,
    asked: events.flatMap((event) =>
      event.type === "step_finished" && event.calls.length > 0
        ? [`${event.attempt}: ${event.calls.map(({ tool }) => tool).join(" ")}`]
        : [],
    ),
    blocked: events.filter(({ type }) => type === "tool_blocked").length,
    effects: effects.map(({ action }) => action),
    inputs: effects.map(({ input }) => input as Record<string, unknown>),
    answer: events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join(""),
  };
}

async function answer({ store, deps }: Scene, runId: RunId): Promise<void> {
  const events = store.eventsOf(runId).filter(isKnownEvent);
  const waiting = events.findLast((event) => event.type === "run_waiting");
  const callId = waiting?.type === "run_waiting" ? waiting.heldCallIds[0] : undefined;
  const held = events.findLast((event) => event.type === "tool_held" && event.callId === callId);
  const tool = held?.type === "tool_held" ? held.tool : "";
  const start = events.filter((event) => event.type === "tool_done" && event.tool === tool);
  const done = start.filter((event) => event.type === "tool_done" && event.outcome === "ok");
  const { effects } = await store.effects.list({ runId, action: tool, limit: 99 });
  const outcome = effects.length > done.length ? "landed" : "absent";
  await resolveCall(deps, { ownerId: LOCAL, runId, callId: callId ?? "", outcome });
}

const REPORT = "Email ada@example.com the March report";
const cutAt = (at: Fault["at"], more: Partial<Fault> = {}): Fault => ({
  at,
  as: "gateway_timeout",
  action: "send_email",
  ...more,
});

describe("heeds: wanted twice is done twice, wherever it is cut", () => {
  test.each(["hold", "model"] as const)("with UNKNOWN_WRITES=%s", async (unknownWrites) => {
    for (const at of [
      "before_start",
      "after_start",
      "in_body",
      "after_effect",
      "after_done",
    ] as const) {
      for (const nth of [1, 2]) {
        const scene = sceneOf(unknownWrites);
        const faults = [cutAt(at, { nth })];
        const { effects, asked } = await play(scene, { text: `${REPORT} twice`, faults });
        expect([at, nth, effects], asked.join("\n")).toEqual([
          at,
          nth,
          ["send_email", "send_email"],
        ]);
      }
    }
  });
});

const BOTH = `${REPORT} and open a ticket about it`;

describe("cut after the first outcome of two", () => {
  const faults = [cutAt("after_done")];

  test.each<[Temper, string[], number]>([
    ["heeds", ["1: send_email create_ticket", "2: create_ticket"], 0],
    ["forgets", ["1: send_email create_ticket", "2: send_email create_ticket"], 1],
    ["rewords", ["1: send_email create_ticket", "2: send_email create_ticket"], 1],
    ["reorders", ["1: send_email create_ticket", "2: create_ticket send_email"], 1],
  ])("%s", async (temper, asked, blocked) => {
    const seen = await play(sceneOf(), { text: BOTH, temper, faults });
    expect(seen).toMatchObject({ attempts: 2, asked, blocked });
    expect(seen.effects.sort()).toEqual(["create_ticket", "send_email"]);
  });

  test("repeats", async () => {
    const seen = await play(sceneOf(), { text: REPORT, temper: "repeats", faults });
    const three = "send_email send_email send_email";
    expect(seen).toMatchObject({ asked: [`1: ${three}`, `2: ${three}`], blocked: 1 });
    expect(seen.effects).toEqual(three.split(" "));
  });
});

test("a model that forgets repeats word for word, one that rewords keeps the identity, one that reorders the content", async () => {
  const inputsOf = async (temper: Temper) => {
    const scene = sceneOf();
    const runId = await begin(scene, { text: REPORT, temper, faults: [cutAt("after_done")] });
    await scene.clock.advance(30_000);
    const events = scene.store.eventsOf(runId).filter(isKnownEvent);
    return events.flatMap((event) => (event.type === "step_finished" ? event.calls : []));
  };
  const jsonOf = async (temper: Temper) =>
    (await inputsOf(temper)).map(({ input }) => JSON.stringify(input));
  const [first, forgotten] = await jsonOf("forgets");
  expect(forgotten).toBe(first);
  const [plain, reworded] = (await inputsOf("rewords")).map(
    ({ input }) => input as Record<string, string>,
  );
  expect(reworded).toEqual({ ...plain, body: `As promised: ${plain?.["body"]}` });
  const [given, reordered] = (await inputsOf("reorders")).map(({ input }) => input as object);
  expect(reordered).toEqual(given);
  expect(Object.keys(reordered ?? {})).toEqual(Object.keys(given ?? {}).reverse());
});

describe("heeds looks before it repeats what is unknown", () => {
  test("it had happened: it is not asked for again, and the answer says so", async () => {
    // A dead owner stores no late outcome, so that only the world can tell.
    const faults = [cutAt("after_effect", { as: "process_lost" })];
    const seen = await play(sceneOf(), { text: REPORT, faults });
    expect(seen).toMatchObject({
      asked: ["1: send_email", "2: list_sent_emails"],
      effects: ["send_email"],
      answer: expect.stringContaining(
        "I checked: it had happened before the interruption.",
      ) as string,
    });
  });

  test("it had not happened: it is asked for again, and the guard holds it for a person", async () => {
    const seen = await play(sceneOf(), { text: REPORT, faults: [cutAt("in_body")] });
    expect(seen).toMatchObject({
      asked: ["1: send_email", "2: list_sent_emails", "2: send_email"],
      effects: ["send_email"],
    });
  });

  test("a mail of another run with the same words is not taken for its own", async () => {
    const scene = sceneOf("model");
    await play(scene, { text: REPORT });
    const seen = await play(scene, { text: REPORT, faults: [cutAt("in_body")] });
    expect(seen.effects).toEqual(["send_email"]);
  });
});

describe("a receipt depends on its charge", () => {
  const text = "Charge customer 42 20 euros, then email her the receipt";

  test("it names the charge, in every attempt", async () => {
    const faults = [cutAt("after_done")];
    for (const temper of ["heeds", "forgets"] as const) {
      const { effects, inputs } = await play(sceneOf(), { text, temper, faults });
      expect(effects).toEqual(["charge_card", "send_email"]);
      expect(inputs[1]?.["body"]).toMatch(/for charge ch-\d+\.$/);
    }
  });

  test("none is sent for a charge that was refused", async () => {
    for (const temper of ["heeds", "forgets"] as const) {
      const request =
        "Charge customer 42 -5 euros, then email her the receipt and open a ticket about the charge";
      const { effects, answer } = await play(sceneOf(), { text: request, temper });
      expect(effects).toEqual(["create_ticket"]);
      expect(answer).toContain("The amount has to be more than 0.");
      expect(answer).toContain("I sent no receipt, because the charge did not go through.");
    }
  });
});

test("a run that is cut in every attempt still does all of its work", async () => {
  const faults = Array.from({ length: 30 }, (_, i) => cutAt("before_start", { attempt: i + 1 }));
  for (const temper of ["heeds", "forgets"] as const) {
    const scene = sceneOf();
    const text = `${BOTH}, then charge customer 42 20 euros`;
    const { attempts, effects } = await play(scene, { text, temper, faults });
    expect([temper, attempts, effects.sort()]).toEqual([
      temper,
      31,
      ["charge_card", "create_ticket", "send_email"],
    ]);
  }
});

test("what was not understood is told beside what was done", async () => {
  const { effects, answer } = await play(sceneOf(), {
    text: `Email bob the report and open a ticket about the login`,
  });
  expect(effects).toEqual(["create_ticket"]);
  expect(answer).toContain("I did not understand “Email bob the report”");
});
