import { afterEach, describe, expect, test } from "vitest";
import { APICallError } from "@ai-sdk/provider";
import type { RunId } from "../core/ids.ts";
import {
  LOCAL,
  type HarnessOptions,
  runtimeHarness,
  type RuntimeHarness,
  stopAt,
} from "../testing/runtime-harness.ts";
import { type ScriptedAnswer, scriptedModel } from "../testing/scripted-model.ts";
import { transcriptOf } from "../testing/transcript.ts";
import { resolveCall } from "./resolve-call.ts";
import { cancelRun } from "./cancel-run.ts";
import { resumeRun } from "./resume-run.ts";

const send = (to: string, text?: string) => ({
  tool: "send",
  input: { to, ...(text !== undefined && { text }) },
});
const bye: ScriptedAnswer = { text: "Done." };

let harness: RuntimeHarness;
afterEach(async () => {
  await harness.runner.shutdown().catch(() => undefined);
});

function make(answers: Parameters<typeof scriptedModel>[0], options: Partial<HarnessOptions> = {}) {
  const model = scriptedModel(answers);
  harness = runtimeHarness({ model, ...options });
  return { model, harness };
}

const lines = (runId: RunId) => transcriptOf(harness.store.eventsOf(runId));
const sent = () => harness.effects.map(({ action, input }) => `${action} ${JSON.stringify(input)}`);

test("debug", async () => {
  make([{ text: "I send.", calls: [send("ann"), { tool: "look", input: { what: "x" } }] }, bye]);
  const runId = await harness.start();
  await harness.until(runId, "done");
  console.log(lines(runId).join("\n"));
  expect(sent()).toEqual(['send {"to":"ann"}']);
});
