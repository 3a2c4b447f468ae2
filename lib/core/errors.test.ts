import { expect, test } from "vitest";
import { AppError, hasCode, runBusy } from "./errors.ts";

test("an error of a second copy of the module is known as one", async () => {
  // A query makes the loader evaluate the module anew, as a second bundle does.
  const path = "./errors.ts?second-copy";
  const second = (await import(/* @vite-ignore */ path)) as {
    AppError: typeof AppError;
    runBusy: typeof runBusy;
  };
  expect(second.AppError).not.toBe(AppError);
  expect(second.runBusy("busy", {}) instanceof AppError).toBe(true);
  expect(hasCode(second.runBusy("busy", {}), "run-busy")).toBe(true);
});

test("another error is none, whatever fields it has", () => {
  expect(Object.assign(new Error("x"), { code: "run-busy" }) instanceof AppError).toBe(false);
  expect(runBusy("busy", {}) instanceof Error).toBe(true);
});
