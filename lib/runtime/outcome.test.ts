import { expect, test } from "vitest";
import { ActionRejected } from "./action.ts";
import { outcomeOfError, outcomeOfValue } from "./outcome.ts";

test.each([
  ["an abort", new DOMException("aborted", "AbortError")],
  ["a time-out", new Error("timeout after 10 s")],
  ["a reset connection", Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })],
  ["a text that says it failed", new Error("failed: nothing was sent")],
  ["something that is no error", "boom"],
])("%s leaves a write unknown", (_name, error) => {
  expect(outcomeOfError("write", error).outcome).toBe("unknown");
});

test("only a declared rejection proves that a write did not happen", () => {
  expect(outcomeOfError("write", new ActionRejected("not yet due"))).toEqual({
    outcome: "failed",
    result: { error: "not yet due" },
  });
});

test("a read that threw has failed", () => {
  expect(outcomeOfError("read", new Error("gone"))).toEqual({
    outcome: "failed",
    result: { error: "gone" },
  });
});

test.each([
  ["an error in words", { error: null, failed: 0 }],
  ["an error text", "Error: quota exceeded"],
])("%s that a body returned is a result, not a failure", (_name, value) => {
  expect(outcomeOfValue(value)).toEqual({ outcome: "ok", result: value });
});

test("a result that is not JSON does not turn an effect into a failure", () => {
  expect(outcomeOfValue(10n)).toMatchObject({
    outcome: "ok",
    result: { note: expect.any(String) },
  });
  expect(outcomeOfValue(undefined)).toEqual({ outcome: "ok", result: null });
});
