import { describe, expect, test } from "vitest";
import fc from "fast-check";
import type { RunEvent } from "./event.ts";
import { layoutRun, type RunLayout, type Scale } from "./layout.ts";
import { foldRunAll, initialRunState } from "./run.ts";
import { BLOCKED, HELD, PLAIN, SAME_KEY, THREE_MAILS } from "../testing/ledgers.ts";

const layoutOf = (events: readonly RunEvent[], scale: Scale, nowMs = 0) =>
  layoutRun(foldRunAll(initialRunState(), events), { scale, nowMs });

const barsOf = ({ rows }: RunLayout) =>
  rows.map(({ bars }) => bars.map((bar) => `${bar.call.callId} ${bar.isOpen ? "open" : "ended"}`));

describe("timeline", () => {
  test("a repeat that was blocked points back at the end of its original", () => {
    const [original, repeat] = layoutOf(BLOCKED, "order").rows[0]!.bars;
    expect([original?.linkTo, repeat?.linkTo]).toEqual([undefined, original?.to]);
    expect(repeat!.from).toBeGreaterThan(original!.to);
  });

  test("a cut says who lost the run, who took it, and how long nobody had it", () => {
    const cuts = layoutOf(BLOCKED, "order").cuts.map(({ ended, next, gapMs }) => [
      ended.endReason,
      ended.owner,
      next?.owner,
      gapMs,
    ]);
    expect(cuts).toEqual([["process_lost", "host-1", "host-2", 5_100]]);
  });

  test("a run that waits and then goes on has cuts only where it was cut", () => {
    expect(layoutOf(THREE_MAILS, "order").cuts.map(({ ended }) => ended.attempt)).toEqual([1]);
    expect(layoutOf(PLAIN, "order").cuts).toEqual([]);
  });

  test("bars are open only while nothing has ended them", () => {
    expect(barsOf(layoutOf(HELD, "order"))).toEqual([["call_1_1_0 ended", "call_2_1_0 open"]]);
    expect(barsOf(layoutOf(PLAIN.slice(0, 8), "order"))).toEqual([
      ["call_1_1_0 open"],
      ["call_1_1_1 open"],
    ]);
    expect(barsOf(layoutOf(SAME_KEY, "order"))).toEqual([["call_1_1_0 ended", "call_2_1_0 ended"]]);
  });

  test("a long idle time is squeezed by time and says its length; by order there is none", () => {
    expect(layoutOf(THREE_MAILS, "time").breaks.map(({ ms }) => ms)).toEqual([20_000]);
    expect(layoutOf(THREE_MAILS, "order").breaks).toEqual([]);
  });

  test("a running bar reaches the present", () => {
    const running = PLAIN.slice(0, 8);
    const nowMs = Date.parse(running.at(-1)!.at) + 2_000;
    const { rows } = layoutOf(running, "time", nowMs);
    expect(rows.map(({ bars }) => bars[0]?.to)).toEqual([100, 100]);
  });
});

test("whatever was stored so far, everything lies inside the chart and nothing ends before it begins", () => {
  const stories = [PLAIN, BLOCKED, HELD, THREE_MAILS, SAME_KEY];
  fc.assert(
    fc.property(
      fc.constantFrom(...stories),
      fc.nat(30),
      fc.constantFrom<Scale>("order", "time"),
      fc.nat(60_000),
      (events, upTo, scale, later) => {
        const layout = layoutOf(events.slice(0, upTo), scale, Date.parse(events[0]!.at) + later);
        const spans = [...layout.bands, ...layout.rows.flatMap(({ bars }) => bars)];
        for (const { from, to } of spans) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeGreaterThanOrEqual(from);
          expect(to).toBeLessThanOrEqual(100 + 1e-9);
        }
        for (const cut of layout.cuts) expect(cut.at).toBeLessThanOrEqual(100 + 1e-9);
      },
    ),
  );
});
