import { expect, test } from "vitest";
import fc from "fast-check";
import { describe as sentenceOf, describeIntent, identityParts } from "./describe.ts";
import type { RunEvent } from "./event.ts";
import { foldRunAll, initialRunState } from "./run.ts";
import { BLOCKED, HELD, THREE_MAILS } from "../testing/ledgers.ts";

const rowsOf = (events: readonly RunEvent[]) =>
  foldRunAll(initialRunState(), events).intents.map((intent) => describeIntent(intent));

test("every event of a run has a sentence", () => {
  expect(BLOCKED.map(sentenceOf)).toEqual([
    "Asked: Email ada@example.com the March report",
    "Attempt 1 by host-1, fence 1",
    "Step 1: asked demo",
    "I'll send it.",
    "Step 1 asked for send email",
    "Started send email ada@example.com · March report",
    "send email completed",
    "Cut: server process lost. The server process was lost.",
    "Attempt 2 by host-2, fence 2, with a note",
    "Step 1: asked demo",
    "I'll send it.",
    "Step 1 asked for send email",
    "Not run again: send email, done at event 6",
    "Step 2: asked demo",
    "Done.",
    "Step 2 answered (stop)",
    "The run is done",
  ]);
  expect([5, 10, 11].map((at) => sentenceOf(HELD[at]!))).toEqual([
    "send email has an unknown outcome",
    "Held: send email, did it happen?",
    "Waits for a person about 1 call",
  ]);
  expect([10, 13].map((at) => sentenceOf(THREE_MAILS[at]!))).toEqual([
    "Asked again: send email, waits behind another",
    "Settled by a person: it happened",
  ]);
});

test("an event of an unknown type, or with damaged fields, has a sentence too", () => {
  expect(sentenceOf({ type: "heat_death", seq: 1, at: "", attempt: 1 } as RunEvent)).toBe(
    "An event of a type this version does not know: heat_death",
  );
  const types = [...new Set([...BLOCKED, ...HELD, ...THREE_MAILS].map(({ type }) => type))];
  fc.assert(
    fc.property(
      fc.constantFrom(...types, "clear", "run_failed", "tripwire"),
      fc.object(),
      (type, fields) => {
        expect(typeof sentenceOf({ ...fields, type } as unknown as RunEvent)).toBe("string");
      },
    ),
  );
});

test("a row says what became of each of its calls, in words", () => {
  expect(rowsOf(BLOCKED)).toEqual([
    "send email ada@example.com · March report, attempt 1: completed; attempt 2: not run again, original completed in attempt 1",
  ]);
  expect(rowsOf(HELD)).toEqual([
    "send email ada@example.com · March report, attempt 1: outcome unknown; attempt 2: needs you",
  ]);
});

test("a call is recognised by its first short arguments", () => {
  expect(
    identityParts({ to: "ada", body: "Dear Ada", amount: 20, deep: {}, n: 3, more: "x" }),
  ).toEqual(["ada", "€20", "3"]);
  expect([identityParts(null), identityParts("text")]).toEqual([[], []]);
});
