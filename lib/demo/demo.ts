/** Puts the demo agent together: its actions on the demo world, and the model that answers a run. */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Clock, Effects } from "../core/ports.ts";
import type { RunRecord } from "../core/run-record.ts";
import { type ActionRegistry, registryOf } from "../runtime/action.ts";
import type { Boundary } from "../runtime/boundary.ts";
import { createSingleCallModel } from "../runtime/models/single-call-model.ts";
import { demoActions } from "./actions.ts";
import { createDemoModel } from "./model.ts";

export interface DemoOptions {
  readonly effects: Effects;
  readonly clock: Clock;
  readonly boundary?: Boundary | undefined;
  /** How long an action works. Default: about a second, so that a person can cut it. */
  readonly bodyMs?: number;
  /** Pause between two words of the model. */
  readonly paceMs?: number;
}

export interface Demo {
  readonly actions: ActionRegistry;
  readonly system: string;
  readonly modelFor: (run: RunRecord) => LanguageModelV3;
}

const SYSTEM = [
  "You are the agent of a small shop. You send e-mails, charge cards and open tickets with the tools you have.",
  "After an interruption, reuse what completed and check what is unknown before you repeat it.",
].join("\n");

export function createDemo(options: DemoOptions): Demo {
  const { effects, clock, boundary, bodyMs = 1_000, paceMs = 30 } = options;
  return {
    actions: registryOf(demoActions({ effects, clock, boundary, bodyMs })),
    system: SYSTEM,
    modelFor: (run) => {
      if (run.input.kind === "action") return createSingleCallModel(run.input);
      const temper = "temper" in run.model ? run.model.temper : "heeds";
      return createDemoModel({ temper, clock, paceMs });
    },
  };
}
