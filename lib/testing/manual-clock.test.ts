import { describe, expect, it } from "vitest";
import { manualClock } from "./manual-clock.ts";

describe("the manual clock", () => {
  it("fires timers in the order of their times, then of their making", async () => {
    const clock = manualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name} at ${clock.monotonicMs()}`);
    clock.after(20, note("second"));
    clock.after(10, note("first"));
    clock.after(20, note("third"));
    clock.after(31, note("never"));
    await clock.advance(30);
    expect(fired).toEqual(["first at 10", "second at 20", "third at 20"]);
    expect(clock.monotonicMs()).toBe(30);
    expect(clock.pendingTimers()).toBe(1);
  });

  it("lets promise chains settle between timers, also timers they make", async () => {
    const clock = manualClock();
    const seen: number[] = [];
    const loop = async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await clock.sleep(10);
        seen.push(clock.monotonicMs());
      }
    };
    void loop();
    await clock.advance(30);
    expect(seen).toEqual([10, 20, 30]);
  });

  it("ends a sleep at once when its signal aborts, and leaves no timer", async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const sleeping = clock.sleep(1_000, stop.signal);
    stop.abort();
    await sleeping;
    await clock.sleep(1_000, stop.signal);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("does not fire a cancelled timer", async () => {
    const clock = manualClock();
    let fired = false;
    clock.after(5, () => (fired = true))();
    await clock.advance(10);
    expect(fired).toBe(false);
  });
});
