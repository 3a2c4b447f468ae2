import { describe, expect, test } from "vitest";
import { APICallError } from "@ai-sdk/provider";
import type { RunId } from "../core/ids.ts";
import type { FaultPoint } from "../core/run-record.ts";
import {
  type HarnessOptions,
  LOCAL,
  runtimeHarness,
  type RuntimeHarness,
  stopAt,
} from "../testing/runtime-harness.ts";
import {
  type ScriptedAnswer,
  type ScriptedCall,
  scriptedModel,
} from "../testing/scripted-model.ts";
import { storyOf } from "../testing/transcript.ts";
import { cancelRun } from "./cancel-run.ts";
import { resolveCall } from "./resolve-call.ts";
import { resumeRun } from "./resume-run.ts";

const send = (to: string, text?: string): ScriptedCall => ({
  tool: "send",
  input: { to, ...(text !== undefined && { text }) },
});
const pay = (amount: number): ScriptedCall => ({ tool: "pay", input: { amount } });
const look: ScriptedCall = { tool: "look", input: { what: "x" } };
const asks = (...calls: ScriptedCall[]): ScriptedAnswer => ({ calls });
const bye: ScriptedAnswer = { text: "Done." };
const reset = new TypeError("terminated", {
  cause: Object.assign(new Error("socket"), { code: "ECONNRESET" }),
});

let harness: RuntimeHarness;

function make(answers: readonly ScriptedAnswer[], options: Partial<HarnessOptions> = {}) {
  const model = scriptedModel(answers);
  harness = runtimeHarness({ model, ...options });
  return model;
}

const story = (runId: RunId) => storyOf(harness.store.eventsOf(runId));
const sent = () => harness.effects.map(({ input }) => (input as { to?: string }).to ?? "paid");
const resolve = (runId: RunId, callId: string, outcome: "landed" | "absent" | "again") =>
  resolveCall(harness.deps, { ownerId: LOCAL, runId, callId, outcome });

/** Cuts the attempt when the point is reached the first time. */
function cutAt(point: FaultPoint, how: (runId: RunId) => void): Partial<HarnessOptions> {
  let cut = false;
  return {
    boundary: (place) => {
      if (place.point === point && !cut) {
        cut = true;
        how(place.runId);
      }
      return Promise.resolve();
    },
  };
}
const plan = [{ at: "after_done", as: "soft_timeout" }] as const;
const gateway = (runId: RunId) => {
  harness.runner.controls(runId)[0]?.cut("gateway_timeout", "The gateway gave up.");
};

describe("a run without a cut", () => {
  test("commits start before effect, outcome before the next request, and ends", async () => {
    const model = make([{ text: "I send.", calls: [send("ann")] }, bye]);
    const runId = await harness.start();
    await harness.until(runId, "done");
    expect(story(runId)).toEqual([
      'run_started "go"',
      "attempt_started 1 first",
      "step_started 1",
      'text "I send."',
      "step_finished 1 tool-calls send",
      "tool_start send #call_1_1_1",
      "tool_done send #call_1_1_1 ok",
      "step_started 2",
      'text "Done."',
      "step_finished 2 stop",
      "run_done",
    ]);
    expect(model.prompts.map((prompt) => prompt.map(({ role }) => role))).toEqual([
      ["system", "user"],
      ["system", "user", "assistant", "tool"],
    ]);
  });

  test("asks for a step's writes in the model's order, each under its own key", async () => {
    make([asks(send("ann"), send("ann"), send("bob")), bye]);
    const runId = await harness.start();
    await harness.until(runId, "done");
    expect(harness.effects.map(({ input, key }) => [input, key])).toEqual([
      [{ to: "ann" }, `${runId}:call_1_1_1`],
      [{ to: "ann" }, `${runId}:call_1_1_2`],
      [{ to: "bob" }, `${runId}:call_1_1_3`],
    ]);
  });

  test("the outcome of a write and the start of the next share one commit", async () => {
    make([asks(send("ann"), send("bob")), bye]);
    const runId = await harness.start();
    await harness.until(runId, "done");
    const events = harness.store.eventsOf(runId);
    const at = (callId: string, type: string) =>
      events.findIndex(
        (event) => event.type === type && "callId" in event && event.callId === callId,
      );
    expect(at("call_1_1_2", "tool_start")).toBe(at("call_1_1_1", "tool_done") + 1);
    // attempt; step and plan and start; done and start; done; step; plan and end.
    expect(harness.store.gates.count("append")).toBeLessThanOrEqual(7);
  });

  test.each([
    ["an unknown action", { tool: "fly", input: {} }],
    ["input that the schema refuses", { tool: "send", input: { to: 5 } }],
    ["arguments that stop in the middle", { tool: "send", input: '{"to":"an' }],
    ["a number that stops in the middle", { tool: "pay", input: '{"amount":2' }],
  ])("%s becomes a result for the model and reaches no body", async (_name, call) => {
    const model = make([asks(call), bye]);
    const runId = await harness.start();
    await harness.until(runId, "done");
    expect(harness.entered).toEqual([]);
    expect(story(runId)).toContain(`tool_done ${call.tool} #call_1_1_1 failed`);
    expect(JSON.stringify(model.prompts[1]?.at(-1))).toContain('"type":"error-json"');
  });

  test("a declared rejection is known not to have happened, so the model may try again", async () => {
    make([asks({ tool: "refuse", input: {} }), asks({ tool: "refuse", input: {} }), bye]);
    const runId = await harness.start();
    await harness.until(runId, "done");
    expect(harness.entered).toEqual(["refuse", "refuse"]);
  });
});

describe("a cut model stream", () => {
  test.each([
    ["dies in text", { text: "I am about", breakWith: reset }],
    ["dies after a whole call", { calls: [send("ann")], breakWith: reset }],
    ["ends without saying so", { calls: [send("ann")], endEarly: true }],
    ["falls silent", { text: "I am about", stall: true }],
  ])("that %s dispatches nothing and the next attempt resumes", async (_name, answer) => {
    const model = make([answer, asks(send("ann")), bye], { limits: { modelStallMs: 10_000 } });
    const runId = await harness.start();
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann"]);
    expect(harness.store.runOf(runId).attempts).toBe(2);
    expect(model.prompts[1]?.at(-1)).toMatchObject({
      role: "user",
      content: [{ text: expect.stringMatching(/^Continue from where you left off/) }],
    });
  });

  test("hands its partial text to the next attempt as context", async () => {
    const model = make([{ text: "I am about", breakWith: reset }, bye]);
    const runId = await harness.start();
    await harness.until(runId, "done");
    expect(model.prompts[1]?.slice(1).map(({ role, content }) => [role, content])).toMatchObject([
      ["user", [{ text: "go" }]],
      ["assistant", [{ text: "I am about" }]],
      ["user", [{ text: expect.any(String) }]],
    ]);
    expect(story(runId)).toContain("attempt_ended transport_error");
  });

  test("a permanent refusal fails the run for good and leaves what was done", async () => {
    const refuse = new APICallError({
      message: "bad",
      url: "http://m.test",
      requestBodyValues: {},
      statusCode: 400,
    });
    make([asks(send("ann")), { refuse }]);
    const runId = await harness.start();
    const run = await harness.until(runId, "failed");
    expect([run.resumable, sent()]).toEqual([false, ["ann"]]);
    await expect(resumeRun(harness.deps, { ownerId: LOCAL, runId })).rejects.toMatchObject({
      code: "run-terminal",
    });
  });

  test("a server that asks for patience is asked again after the time it named", async () => {
    const refuse = new APICallError({
      message: "slow down",
      url: "http://m.test",
      requestBodyValues: {},
      statusCode: 429,
      responseHeaders: { "retry-after": "2" },
    });
    const model = make([asks(send("ann")), { refuse }, bye]);
    const runId = await harness.start();
    await harness.untilTrue(() => model.prompts.length === 2);
    const since = harness.clock.monotonicMs();
    await harness.until(runId, "done");
    expect(harness.clock.monotonicMs() - since).toBeGreaterThanOrEqual(2_000);
    expect([sent(), harness.store.runOf(runId).attempts]).toEqual([["ann"], 1]);
  });

  test("cuts without any progress end in words, and a person may resume", async () => {
    make([...Array.from({ length: 5 }, () => ({ breakWith: reset })), bye]);
    const runId = await harness.start();
    const run = await harness.until(runId, "failed");
    expect([run.attempts, run.resumable]).toEqual([5, true]);
    await resumeRun(harness.deps, { ownerId: LOCAL, runId });
    await harness.until(runId, "done");
    expect(story(runId)).toContain("attempt_started 6 manual");
  });
});

describe("after a completed write", () => {
  const forgets = [asks(send("ann")), asks(send("ann")), bye];

  test("a repeat in the resumed attempt is blocked and told why", async () => {
    const model = make(forgets, cutAt("after_done", gateway));
    const runId = await harness.start("go", plan);
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann"]);
    expect(story(runId).filter((line) => line.startsWith("tool_"))).toEqual([
      "tool_start send #call_1_1_1",
      "tool_done send #call_1_1_1 ok",
      expect.stringMatching(/^tool_blocked send #call_2_1_1/),
    ]);
    expect(JSON.stringify(model.prompts[2]?.at(-1))).toContain("not re-run to avoid a duplicate");
  });

  test("the note names the call and its result, and is on record", async () => {
    make(forgets, cutAt("after_done", gateway));
    const runId = await harness.start("go", plan);
    await harness.until(runId, "done");
    const second = harness.store.eventsOf(runId).filter((e) => e.type === "attempt_started")[1];
    expect(second).toMatchObject({
      note: expect.stringContaining('send {"to":"ann"} -> {"ok":true'),
    });
  });

  test("a repeat in the same attempt is another effect", async () => {
    make([asks(send("ann")), asks(send("ann")), bye]);
    const runId = await harness.start();
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann", "ann"]);
  });

  test("one effect answers one repeat per attempt", async () => {
    make([asks(send("ann")), asks(send("ann"), send("ann")), bye], cutAt("after_done", gateway));
    const runId = await harness.start("go", plan);
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann", "ann"]);
  });

  test("reads run again", async () => {
    make([asks(look), asks(look), bye], cutAt("after_done", gateway));
    const runId = await harness.start("go", plan);
    await harness.until(runId, "done");
    expect(harness.entered).toEqual(["look", "look"]);
  });
});

describe("an interrupted write", () => {
  /** The gateway cuts the attempt while the first mail is on its way; the effect happens or not. */
  async function cutInBody(effect: "happened" | "absent", answers: readonly ScriptedAnswer[]) {
    make(answers);
    const stop = stopAt("send");
    if (effect === "happened") harness.after = stop.hook;
    else harness.before = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    gateway(runId);
    return runId;
  }

  test("is held when asked for again, and the run waits", async () => {
    const runId = await cutInBody("happened", [
      asks(send("ann")),
      asks(send("ann"), send("bob")),
      bye,
    ]);
    await harness.until(runId, "waiting");
    expect(sent()).toEqual(["ann", "bob"]);
    expect(story(runId).slice(-4)).toEqual([
      expect.stringMatching(/^tool_held send #call_2_1_1/),
      "tool_start send #call_2_1_2",
      "tool_done send #call_2_1_2 ok",
      "run_waiting #call_2_1_1",
    ]);
  });

  test("settled as landed answers the held call with its result", async () => {
    const runId = await cutInBody("happened", [asks(send("ann")), asks(send("ann")), bye]);
    await harness.until(runId, "waiting");
    await resolve(runId, "call_2_1_1", "landed");
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann"]);
    expect(story(runId).slice(-7)).toEqual([
      expect.stringMatching(/^tool_resolved/),
      "attempt_started 3 settled with note",
      expect.stringMatching(/^tool_blocked send #call_2_1_1/),
      "step_started 1",
      'text "Done."',
      "step_finished 1 stop",
      "run_done",
    ]);
  });

  test.each(["absent", "again"] as const)(
    "settled as %s runs once, under its first key",
    async (outcome) => {
      const runId = await cutInBody("absent", [asks(send("ann")), asks(send("ann")), bye]);
      await harness.until(runId, "waiting");
      await resolve(runId, "call_1_1_1", outcome);
      await harness.until(runId, "done");
      expect(harness.effects.map(({ key }) => key)).toEqual([`${runId}:call_1_1_1`]);
    },
  );

  test("is settled by its own late outcome, without a person", async () => {
    make([asks(send("ann")), asks(send("ann")), bye]);
    const stop = stopAt("send");
    harness.after = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    gateway(runId);
    await harness.until(runId, "waiting");
    stop.release();
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann"]);
    expect(story(runId)).toContainEqual(
      expect.stringMatching(/^tool_done send #call_1_1_1 ok .*late/),
    );
  });

  test("runs under its own key when the action is idempotent", async () => {
    make([asks(pay(5)), asks(pay(5)), bye]);
    const stop = stopAt("pay");
    harness.after = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    gateway(runId);
    await harness.until(runId, "done");
    expect(harness.effects.map(({ key }) => key)).toEqual([
      `${runId}:call_1_1_1`,
      `${runId}:call_1_1_1`,
    ]);
  });

  test("runs when the model is trusted to verify", async () => {
    make([asks(send("ann")), asks(send("ann")), bye], { unknownWrites: "model" });
    const stop = stopAt("send");
    harness.before = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    gateway(runId);
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann"]);
  });

  test("three wanted calls are three, when the first is settled as landed", async () => {
    const three = asks(send("ann"), send("ann"), send("ann"));
    const runId = await cutInBody("happened", [three, three, three, bye]);
    await harness.until(runId, "waiting");
    expect(story(runId).at(-1)).toBe("run_waiting #call_2_1_1 #call_2_1_2 #call_2_1_3");
    await resolve(runId, "call_2_1_2", "landed");
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann", "ann", "ann"]);
    expect(story(runId).filter((line) => line.startsWith("tool_blocked"))).toHaveLength(4);
  });

  test("an unknown outcome inside an attempt is not asked for again in silence", async () => {
    make([asks({ tool: "send", input: { to: "ann" } }), asks(send("ann")), bye]);
    harness.after = () => Promise.reject(new Error("read ETIMEDOUT"));
    const runId = await harness.start();
    await harness.until(runId, "waiting");
    expect([sent(), harness.store.runOf(runId).attempts]).toEqual([["ann"], 1]);
  });
});

describe("ownership", () => {
  test("a soft stop lets an open body store its outcome", async () => {
    make([asks(send("ann"), send("bob")), asks(send("bob")), bye]);
    const stop = stopAt("send");
    harness.before = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    harness.runner.controls(runId)[0]?.stop("soft_timeout");
    await harness.clock.settle();
    stop.release();
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann", "bob"]);
    expect(story(runId)).toContain("tool_done send #call_1_1_1 ok");
    expect(story(runId)).toContain("attempt_ended soft_timeout");
  });

  test("a soft time-out cuts every attempt that uses up its time", async () => {
    make([asks(look), asks(look), bye], { limits: { softTimeoutMs: 1_000, graceMs: 500 } });
    let slow = 1;
    harness.before = (_action, { signal }) =>
      slow-- > 0 ? harness.clock.sleep(60_000, signal) : Promise.resolve();
    const runId = await harness.start();
    await harness.until(runId, "done");
    expect(story(runId)).toContain("attempt_ended soft_timeout");
  });

  test("a dead owner's run is taken over after its lease, and its cut is put on record", async () => {
    make([asks(send("ann")), asks(send("ann")), bye]);
    const stop = stopAt("send");
    harness.after = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    harness.runner.controls(runId)[0]?.die();
    const second = harness.another("p2");
    second.start();
    await harness.until(runId, "waiting");
    expect(story(runId)).toContain("attempt_ended process_lost");
    expect(harness.store.runOf(runId).attempts).toBe(2);
    await second.shutdown();
  });

  test("an owner that was taken over enters no body, and what it knows is stored late", async () => {
    make([asks(send("ann")), asks(send("ann")), bye]);
    const stop = stopAt("send");
    harness.after = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    await harness.runner.takeOver(runId);
    await harness.until(runId, "waiting");
    stop.release();
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann"]);
  });

  test("a start whose acknowledgement comes after a takeover enters no body", async () => {
    make([asks(send("ann")), asks(send("ann")), bye]);
    const [attempt, step, start] = [1, 2, 3].map(() =>
      harness.store.gates.pause("append", "after"),
    );
    const runId = await harness.start();
    attempt?.release();
    step?.release();
    await start?.reached;
    await harness.runner.takeOver(runId);
    await harness.until(runId, "waiting");
    await harness.clock.advance(300);
    start?.release();
    await harness.until(runId, "done");
    expect([sent(), harness.entered]).toEqual([["ann"], ["send"]]);
    expect(story(runId)).toContainEqual(
      expect.stringMatching(/^tool_done send #call_1_1_1 failed.*late/),
    );
  });

  test("a cancel during a call ends the run and keeps the outcome", async () => {
    make([asks(send("ann"), send("bob")), bye]);
    const stop = stopAt("send");
    harness.before = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    await cancelRun(harness.deps, { ownerId: LOCAL, runId });
    await harness.clock.advance(1_100);
    stop.release();
    await harness.until(runId, "cancelled");
    expect(sent()).toEqual(["ann"]);
    expect(story(runId).slice(-2)).toEqual([
      "tool_done send #call_1_1_1 ok",
      "run_cancelled by person",
    ]);
    expect((await cancelRun(harness.deps, { ownerId: LOCAL, runId })).status).toBe("cancelled");
  });

  test("a waiting run can be cancelled", async () => {
    make([asks(send("ann")), asks(send("ann")), bye]);
    const stop = stopAt("send");
    harness.after = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    gateway(runId);
    await harness.until(runId, "waiting");
    await cancelRun(harness.deps, { ownerId: LOCAL, runId });
    await harness.until(runId, "cancelled");
    expect(story(runId).at(-1)).toBe("run_cancelled by person");
  });

  test("a shutdown ends attempts in order and the next process goes on", async () => {
    make([asks(send("ann")), asks(send("ann")), bye]);
    const stop = stopAt("send");
    harness.before = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    const down = harness.runner.shutdown();
    await harness.clock.settle();
    stop.release();
    await harness.clock.advance(100);
    await down;
    expect(story(runId).slice(-2)).toEqual([
      "tool_done send #call_1_1_1 ok",
      "attempt_ended shutdown",
    ]);
    const second = harness.another("p2");
    second.start();
    await harness.until(runId, "done");
    expect(sent()).toEqual(["ann"]);
    await second.shutdown();
  });
});

describe("the database", () => {
  test("a lost acknowledgement of an outcome is no second outcome", async () => {
    make([asks(send("ann")), bye]);
    const stop = stopAt("send");
    harness.after = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    harness.store.gates.fail("append", 1, "after");
    stop.release();
    await harness.until(runId, "done");
    expect(story(runId).filter((line) => line.startsWith("tool_done"))).toHaveLength(1);
  });

  test("an outage while an outcome is stored stops the run before the next step, not the outcome", async () => {
    const model = make([asks(send("ann")), bye]);
    const stop = stopAt("send");
    harness.after = stop.hook;
    const runId = await harness.start();
    await stop.reached;
    harness.store.gates.disconnect();
    stop.release();
    await harness.clock.advance(3_000);
    expect(model.prompts).toHaveLength(1);
    harness.store.gates.restore();
    await harness.until(runId, "done");
    expect([sent(), harness.store.runOf(runId).attempts]).toEqual([["ann"], 1]);
  });
});
