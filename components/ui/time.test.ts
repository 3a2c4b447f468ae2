import { describe, expect, it } from "vitest";
import { formatAge, formatDuration } from "./time.ts";

describe("formatDuration", () => {
  it("uses the largest two units that say something", () => {
    const cases = [
      0, 240, 999, 1_000, 1_440, 59_949, 59_950, 60_000, 125_000, 3_600_000, 12_000_000,
    ];
    expect(cases.map(formatDuration)).toEqual([
      "0 ms",
      "240 ms",
      "999 ms",
      "1.0 s",
      "1.4 s",
      "59.9 s",
      "1 min",
      "1 min",
      "2 min 5 s",
      "1 h",
      "3 h 20 min",
    ]);
  });

  it("never shows a negative duration, whatever the clocks say", () => {
    expect(formatDuration(-40)).toBe("0 ms");
  });
});

describe("formatAge", () => {
  it("grows from seconds to days", () => {
    const now = 1_000_000_000;
    const ages = [0, 4_000, 40_000, 185_000, 7_300_000, 200_000_000];
    expect(ages.map((age) => formatAge(now - age, now))).toEqual([
      "just now",
      "just now",
      "40 s ago",
      "3 min ago",
      "2 h ago",
      "2 d ago",
    ]);
  });
});
