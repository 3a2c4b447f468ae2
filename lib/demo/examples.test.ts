import { expect, test } from "vitest";
import { faultSentence, EXAMPLES, LAB_EXAMPLE } from "./examples.ts";
import { missedIn, parseRequest } from "./parse-request.ts";

test("the demo agent understands every example in full", () => {
  for (const { text } of [...EXAMPLES, LAB_EXAMPLE]) {
    expect([text, missedIn(text)]).toEqual([text, []]);
    expect(parseRequest(text).length).toBeGreaterThan(0);
  }
});

test.each([
  [
    faultSentence({ at: "after_effect", as: "process_killed", action: "send_email" }),
    "Cut attempt 1 at send_email, after it took effect, before its outcome is stored, by killing the process.",
  ],
  [
    faultSentence({ at: "in_text", as: "gateway_timeout", action: "send_email", attempt: 2 }),
    "Cut attempt 2 in the middle of the model's text, by a gateway's time-out.",
  ],
  [
    faultSentence({ at: "after_done", as: "soft_timeout", nth: 2 }),
    "Cut attempt 1 at any call, after its outcome is stored, the 2nd time, by the soft time-out.",
  ],
])("%s", (sentence, expected) => {
  expect(sentence).toBe(expected);
});
