/** What `npm test` counts, whatever its steps do. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SetupError } from "./setup-error.mjs";
import { one, Tally } from "./tally.mjs";

let printed: string;
beforeEach(() => {
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

it("counts a step that throws as one failure, and goes on", async () => {
  const tally = new Tally();
  const broken = () => Promise.reject(new Error("out of order"));
  expect(await tally.step("broken", broken)).toBe(false);
  expect(await tally.step("whole", () => Promise.resolve(one(true)))).toBe(true);
  expect(tally.end()).toBe(1);
  expect(printed).toMatch(/Error: out of order[\s\S]*\n1 passed, 1 failed\n$/);
});

it("shows what the command printed before the sentence", async () => {
  const tally = new Tally();
  await tally.step("build", () => Promise.reject(new SetupError("No build.", "line 3: oh\n")));
  expect(printed).toContain("line 3: oh\nNo build.\n");
});

it("calls nothing counted no success", () => {
  expect(new Tally().end()).toBe(1);
  expect(printed).toBe("0 passed, 1 failed\n");
});

it("ends with 0 where all was right", async () => {
  const tally = new Tally();
  await tally.step("all", () => Promise.resolve({ passed: 3, failed: 0, skipped: 1 }));
  expect(tally.end()).toBe(0);
  expect(printed).toMatch(/\n1 skipped\n3 passed, 0 failed\n$/);
});
