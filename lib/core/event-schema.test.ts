import { describe, expect, test } from "vitest";
import { parseEvent } from "./event-schema.ts";

const place = { seq: 3, at: "2026-01-01T00:00:00.000Z", attempt: 1 };
const start = {
  ...place,
  type: "tool_start",
  callId: "call_1_1_1",
  tool: "send",
  input: { to: "ann" },
  kind: "write",
  signature: null,
  idempotencyKey: "k",
};

describe("parseEvent", () => {
  test("returns a valid event as it was, fields it does not know included", () => {
    expect(parseEvent({ ...start, more: { x: 1 } })).toEqual({ ...start, more: { x: 1 } });
  });

  test("keeps an event of an unknown type whole", () => {
    const event = { ...place, type: "teleported", where: "mars" };
    expect(parseEvent(event)).toEqual(event);
  });

  test("reads a done without an outcome as ok", () => {
    const done = { ...place, type: "tool_done", callId: "c", tool: "send", result: 1 };
    expect(parseEvent(done)).toMatchObject({ outcome: "ok" });
  });

  test.each([
    ["seq", { ...start, seq: 0 }],
    ["at", { ...start, at: "yesterday" }],
    ["callId", { ...start, callId: 7 }],
    ["kind", { ...start, kind: "both" }],
    [
      "calls[0].callId",
      {
        ...place,
        type: "step_finished",
        step: 1,
        finishReason: "stop",
        usage: {},
        calls: [{ providerCallId: "p", tool: "t" }],
      },
    ],
    ["input.text", { ...place, type: "run_started", input: { kind: "message" } }],
    ["type", { ...place }],
    ["event", null],
    ["event", "tool_start"],
  ])("names %s as the bad field", (field, value) => {
    expect(() => parseEvent(value)).toThrow(
      expect.objectContaining({ code: "invalid-request", field }) as Error,
    );
  });
});
