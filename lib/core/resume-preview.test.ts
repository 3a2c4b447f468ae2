import { describe, expect, it } from "vitest";
import { aLedger, type Sketch } from "../testing/builders.ts";
import type { ActionPolicy } from "./action-policy.ts";
import { previewResume } from "./resume-preview.ts";

const OPEN: Sketch[] = [{ type: "tool_start", callId: "c1", tool: "act" }];

const plansOf = (sketches: readonly Sketch[], action: ActionPolicy, unknown: "hold" | "model") =>
  previewResume(aLedger(sketches), { act: action }, unknown).map(({ plan }) => plan);

describe("what a resume would do", () => {
  it.each<[string, ActionPolicy, string, string]>([
    ["a plain write follows UNKNOWN_WRITES", {}, "hold", "run"],
    ["one that declares it is held under both", { onUnknown: "hold" }, "hold", "hold"],
    ["one that declares it runs under both", { onUnknown: "run" }, "run", "run"],
    ["an idempotent one runs under its key", { idempotent: true }, "same_key", "same_key"],
    ["one that can be checked is checked", { verify: () => null }, "verify", "verify"],
    ["a transactional one did not happen", { transactional: true }, "free", "free"],
  ])("with an open write: %s", (_, action, hold, model) => {
    expect([plansOf(OPEN, action, "hold"), plansOf(OPEN, action, "model")]).toEqual([
      [hold],
      [model],
    ]);
  });

  it("reuses what completed, frees what was settled as absent, and leaves reads out", () => {
    const ledger: Sketch[] = [
      { type: "tool_start", callId: "done", tool: "act" },
      { type: "tool_done", callId: "done", tool: "act" },
      { type: "tool_start", callId: "gone", tool: "act" },
      { type: "tool_resolved", callId: "gone", outcome: "absent" },
      { type: "tool_start", callId: "look", tool: "look", kind: "read" },
    ];
    expect(plansOf(ledger, {}, "hold")).toEqual(["reuse", "free"]);
  });
});
