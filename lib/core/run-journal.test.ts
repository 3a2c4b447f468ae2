/** What the viewer counts as done is what the guard takes as completed: same events, same truth. */
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { isKnownEvent, type RunEvent } from "./event.ts";
import { classifyJournal } from "./journal.ts";
import { foldRunAll, initialRunState } from "./run.ts";
import { BLOCKED, HELD, PLAIN, SAME_KEY, THREE_MAILS } from "../testing/ledgers.ts";

const seenByViewer = (events: readonly RunEvent[]) => {
  const { calls, counts } = foldRunAll(initialRunState(), events);
  const isWrite = (kind: string | null) => kind !== "read";
  return {
    completed: counts.effects,
    interrupted: calls.filter(
      (call) => isWrite(call.kind) && (call.state === "running" || call.state === "interrupted"),
    ).length,
  };
};

/** The journal lists reads as well; the viewer counts effects of writes. */
const seenByGuard = (events: readonly RunEvent[]) => {
  const reads = new Set(
    events.flatMap((event) =>
      isKnownEvent(event) && event.type === "tool_start" && event.kind === "read"
        ? [event.seq]
        : [],
    ),
  );
  const journal = classifyJournal(events);
  const writes = (entries: typeof journal.completed) =>
    entries.filter((entry) => !reads.has(entry.startSeq)).length;
  return { completed: writes(journal.completed), interrupted: writes(journal.interrupted) };
};

describe("viewer and guard", () => {
  const stories = { PLAIN, BLOCKED, HELD, THREE_MAILS, SAME_KEY };
  test.each(Object.entries(stories))("agree at every event of %s", (_name, events) => {
    for (let upTo = 0; upTo <= events.length; upTo += 1) {
      const known = events.slice(0, upTo);
      expect({ upTo, ...seenByViewer(known) }).toEqual({ upTo, ...seenByGuard(known) });
    }
  });

  /** What may happen to the calls of a run, each call starting at most once and under a key of its own. */
  const happening = fc.record({
    what: fc.constantFrom("start", "ok", "failed", "unknown", "landed", "absent", "clear", "cut"),
    call: fc.nat(4),
    read: fc.boolean(),
  });

  test("agree on whatever happens to the calls", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
        const events = ledgerOfHappenings(happenings);
        expect(seenByViewer(events)).toEqual(seenByGuard(events));
      }),
      { numRuns: 1_000 },
    );
  });
});

type Happening = { readonly what: string; readonly call: number; readonly read: boolean };

function ledgerOfHappenings(happenings: readonly Happening[]): RunEvent[] {
  const events: unknown[] = [];
  const started = new Set<number>();
  let attempt = 1;
  const add = (fields: object) => {
    const seq = events.length + 1;
    events.push({ ...fields, seq, attempt, at: new Date(seq * 100).toISOString() });
  };
  for (const { what, call, read } of happenings) {
    const named = { callId: `c${call}`, tool: `t${call % 2}` };
    if (what === "start") {
      if (started.has(call)) continue;
      started.add(call);
      const kind = read ? "read" : "write";
      add({ ...named, type: "tool_start", kind, input: { call }, idempotencyKey: `k${call}` });
    } else if (what === "clear") add({ type: "clear", scope: "text" });
    else if (what === "cut") {
      add({ type: "attempt_ended", reason: "process_lost", detail: "" });
      attempt += 1;
      add({
        type: "attempt_started",
        owner: "o",
        fence: attempt,
        reason: "process_lost",
        note: null,
      });
    } else if (!started.has(call)) continue;
    else if (what === "landed" || what === "absent") {
      add({ type: "tool_resolved", callId: named.callId, by: "person", outcome: what });
    } else add({ ...named, type: "tool_done", outcome: what, result: call });
  }
  return events as RunEvent[];
}
