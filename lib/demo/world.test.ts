import { afterEach, describe, expect, test } from "vitest";
import { asRunId } from "../core/ids.ts";
import type { FaultPoint } from "../core/run-record.ts";
import { type ActionContext, ActionRejected, registryOf } from "../runtime/action.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { demoActions } from "./actions.ts";

const RUN = asRunId("run_1");
const MAIL = { to: "ada@example.com", subject: "Report", body: "Hello" };
const CHARGE = { customer: "42", amount: 20, purpose: "order" };

let pending: () => number = () => 0;
afterEach(() => expect(pending()).toBe(0));

/** The actions on a fresh world. `stopAt`: aborts the body when that point is reached. */
function sceneOf(stopAt?: FaultPoint) {
  const clock = manualClock();
  pending = clock.pendingTimers;
  const { effects } = createMemoryStore({ clock });
  const abort = new AbortController();
  const points: string[] = [];
  const boundary = async ({
    point,
    action,
    callId,
  }: {
    point: FaultPoint;
    action?: string;
    callId?: string;
  }) => {
    const { length } = (await effects.list({ limit: 99 })).effects;
    points.push(`${point} ${action} ${callId}, effects: ${length}`);
    if (point === stopAt) abort.abort(new Error("cut"));
  };
  const actions = registryOf(demoActions({ effects, clock, boundary, bodyMs: 100 }));
  const call = async (name: string, input: object, more: Partial<ActionContext> = {}) => {
    const action = actions[name];
    if (!action) throw new Error(`there is no ${name}`);
    const { signal } = abort;
    const place = { signal, idempotencyKey: "k", runId: RUN, callId: "c", attempt: 1, ...more };
    const ended = action.run(action.schema.parse(input) as never, place).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    await clock.advance(1_000);
    return (await ended) as { result?: Record<string, unknown>; error?: unknown };
  };
  const world = async () => (await effects.list({ limit: 99 })).effects.map(({ action }) => action);
  return { abort, actions, call, clock, effects, points, world };
}

describe("a write", () => {
  test("stops at its two points, before and after its effect", async () => {
    const { call, points } = sceneOf();
    await call("send_email", MAIL);
    expect(points).toEqual([
      "in_body send_email c, effects: 0",
      "after_effect send_email c, effects: 1",
    ]);
  });

  test("obeys the signal before its effect", async () => {
    const { call, world } = sceneOf("in_body");
    expect(await call("send_email", MAIL)).toEqual({ error: new Error("cut") });
    expect(await world()).toEqual([]);
  });

  test("that is cut while it works has no effect", async () => {
    const { abort, call, world } = sceneOf();
    abort.abort(new Error("cut"));
    expect(await call("create_ticket", { title: "T" })).toEqual({ error: new Error("cut") });
    expect(await world()).toEqual([]);
  });

  test("ignores the signal after its effect and says what it did", async () => {
    const { call, effects } = sceneOf("after_effect");
    const { result } = await call("send_email", MAIL);
    const [effect] = (await effects.list({ limit: 1 })).effects;
    expect(effect).toMatchObject({
      runId: RUN,
      action: "send_email",
      input: MAIL,
      idempotencyKey: "k",
    });
    expect(result).toMatchObject({
      to: MAIL.to,
      messageId: expect.stringMatching(/^msg-\d+$/) as string,
    });
  });
});

test("the world honours the key of a charge, and of nothing else", async () => {
  const { call, world } = sceneOf();
  const first = await call("charge_card", CHARGE);
  expect(await call("charge_card", CHARGE)).toEqual(first);
  await call("send_email", MAIL);
  await call("send_email", MAIL);
  await call("charge_card", CHARGE, { idempotencyKey: "other" });
  expect(await world()).toEqual(["charge_card", "send_email", "send_email", "charge_card"]);
});

test("a charge of nothing is rejected: it is known not to have happened", async () => {
  const { call, world } = sceneOf();
  expect((await call("charge_card", { ...CHARGE, amount: 0 })).error).toBeInstanceOf(
    ActionRejected,
  );
  expect(await world()).toEqual([]);
});

test("reads are reads, writes are not, and only the charge is idempotent", () => {
  const { actions } = sceneOf();
  const kinds = Object.values(actions).map(({ name, readOnly, idempotent }) => [
    name,
    readOnly,
    idempotent,
  ]);
  expect(kinds).toEqual([
    ["send_email", undefined, undefined],
    ["charge_card", undefined, true],
    ["create_ticket", undefined, undefined],
    ["list_sent_emails", true, undefined],
    ["list_charges", true, undefined],
    ["list_tickets", true, undefined],
    ["find_customer", true, undefined],
  ]);
});

test("a read shows this run's own effects however many others there are", async () => {
  const { call, effects } = sceneOf();
  const stored = { action: "send_email", input: MAIL, idempotencyKey: "k" };
  await effects.record({ ...stored, runId: RUN });
  for (let i = 0; i < 300; i += 1) await effects.record({ ...stored, runId: "run_other" });
  const { result } = await call("list_sent_emails", { to: MAIL.to });
  const emails = result?.["emails"] as { byThisRun: boolean }[];
  expect(result?.["count"]).toBe(301);
  expect(emails.filter(({ byThisRun }) => byThisRun)).toHaveLength(1);
  expect(emails).toHaveLength(51);
});
