import { describe, expect, it } from "vitest";
import { aLedger, aNewEvent, anEvent } from "./builders.ts";
import { transcriptOf } from "./transcript.ts";

describe("builders", () => {
  it("keep what the test names and fill in the rest", () => {
    expect(anEvent({ type: "tool_start", callId: "call_2_1_0", seq: 7 })).toEqual({
      seq: 7,
      at: "2026-01-01T00:00:01.000Z",
      attempt: 1,
      type: "tool_start",
      callId: "call_2_1_0",
      tool: "send_email",
      input: { to: "ada@example.com", subject: "Report" },
      kind: "write",
      signature: null,
      idempotencyKey: "run_test:call_2_1_0",
    });
  });

  it("give a new event no place", () => {
    expect(aNewEvent({ type: "text", text: "Hi" })).toEqual({
      type: "text",
      attempt: 1,
      text: "Hi",
    });
  });

  it("number a ledger and count its attempts", () => {
    const ledger = aLedger([
      { type: "run_started" },
      { type: "attempt_started" },
      { type: "tool_start" },
      { type: "attempt_ended" },
      { type: "attempt_started", reason: "transport_error", note: "Already done: nothing" },
      { type: "tool_blocked", callId: "call_2_1_0", originalSeq: 3 },
      { type: "run_done" },
    ]);
    expect(ledger.map((event) => event.attempt)).toEqual([0, 1, 1, 1, 2, 2, 2]);
    expect(transcriptOf(ledger)).toEqual([
      '1 run_started "Email Ada the report"',
      "2 attempt_started 1 first",
      "3 tool_start send_email #call_1_1_0",
      "4 attempt_ended transport_error",
      "5 attempt_started 2 transport_error with note",
      "6 tool_blocked send_email #call_2_1_0 of 3",
      "7 run_done",
    ]);
  });
});
