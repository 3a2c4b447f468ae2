import { expect, test } from "vitest";
import * as z from "zod";
import { defineAction, registryOf } from "./action.ts";
import { parseCall } from "./parse-call.ts";

const pay = defineAction({
  name: "pay",
  description: "Pays.",
  schema: z.object({ amount: z.number(), note: z.string().default("none") }),
  run: () => Promise.resolve(null),
});
const actions = registryOf([pay]);
const callOf = (input: unknown, extra: { tool?: string; malformed?: string } = {}) => ({
  callId: "call_1_1_1",
  providerCallId: "p",
  tool: "pay",
  input,
  ...extra,
});

test("a valid call comes back with its defaults filled in", () => {
  expect(parseCall(actions, callOf({ amount: 5 }))).toEqual({
    kind: "call",
    action: pay,
    input: { amount: 5, note: "none" },
  });
});

test.each([
  [
    "an unknown action",
    callOf({}, { tool: "fly" }),
    'There is no action "fly". The actions are: pay.',
  ],
  [
    "an action named like a member of every object",
    callOf({}, { tool: "constructor" }),
    "constructor",
  ],
  [
    "arguments that stop in the middle",
    callOf('{"amount":2', { malformed: "cut" }),
    "not complete JSON",
  ],
  ["input that the schema refuses", callOf({ amount: "5" }), "amount: "],
  [
    "an integer that JSON can't carry",
    callOf({ amount: 2 ** 53 }),
    "amount: an integer beyond 2^53",
  ],
])("%s is refused in words", (_name, call, words) => {
  expect(parseCall(actions, call)).toEqual({
    kind: "refused",
    problem: expect.stringContaining(words),
  });
});
