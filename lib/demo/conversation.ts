/**
 * Reads what the demo model needs out of a prompt: what was asked, which calls were made, what became of each, and
 * where a resume begins. The model keeps no state of its own; everything it does follows from this.
 */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { NUDGE } from "../core/prompt.ts";

/** What a result proves to the model. */
export type CallStatus = "completed" | "failed" | "unknown" | "not_done";

export interface PastCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly status: CallStatus;
  /** Whether it was answered from an earlier attempt instead of being run. */
  readonly blocked: boolean;
  /** Set when a later look has shown that it happened. */
  readonly checked?: true;
  readonly result: unknown;
  /** Number of the model's answer that asked for it, from 0 since the request. */
  readonly answer: number;
  readonly afterNudge: boolean;
}

export interface Conversation {
  /** The last request, without the nudge. */
  readonly request: string;
  readonly resumed: boolean;
  readonly calls: readonly PastCall[];
  /** Answers with calls since the request, and since the nudge. */
  readonly answers: number;
  readonly answersAfterNudge: number;
}

/** A person may begin a request with the nudge's first words; its whole sentence is the loop's. */
const isNudge = (text: string) => text === NUDGE || text.startsWith(`${NUDGE}\n\n`);

/** Reads the part of the prompt that belongs to the current run. */
export function readConversation(prompt: LanguageModelV3Prompt): Conversation {
  const texts = prompt.map((message) =>
    message.role === "user" ? textOf(message.content) : undefined,
  );
  const requestAt = texts.findLastIndex((text) => text !== undefined && !isNudge(text));
  const nudgeAt = texts.findLastIndex((text) => text !== undefined && isNudge(text));
  const resumed = nudgeAt > requestAt;
  const results = resultsOf(prompt);
  const calls: PastCall[] = [];
  let answers = 0;
  let answersAfterNudge = 0;
  prompt.forEach((message, at) => {
    if (at < requestAt || message.role !== "assistant") return;
    const asked = message.content.filter((part) => part.type === "tool-call");
    if (asked.length === 0) return;
    const afterNudge = resumed && at > nudgeAt;
    for (const { toolCallId, toolName, input } of asked) {
      const found = readResult(results.get(toolCallId));
      calls.push({ tool: toolName, input: recordOf(input), answer: answers, afterNudge, ...found });
    }
    answers += 1;
    if (afterNudge) answersAfterNudge += 1;
  });
  return { request: texts[requestAt] ?? "", resumed, calls, answers, answersAfterNudge };
}

type Output = { readonly type: string; readonly value?: unknown };

function resultsOf(prompt: LanguageModelV3Prompt): Map<string, Output> {
  const results = new Map<string, Output>();
  for (const message of prompt) {
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type === "tool-result") results.set(part.toolCallId, part.output as Output);
    }
  }
  return results;
}

function readResult(output: Output | undefined): Pick<PastCall, "status" | "blocked" | "result"> {
  const value = output?.value;
  const { status, note, result } = recordOf(value);
  if (status === "outcome unknown") return { status: "unknown", blocked: false, result: value };
  if (status === "not started" || status === "did not happen" || output === undefined) {
    return { status: "not_done", blocked: false, result: value };
  }
  if (output.type.startsWith("error")) return { status: "failed", blocked: false, result: value };
  const blocked = typeof note === "string" && note.startsWith("Already completed");
  return { status: "completed", blocked, result: blocked ? result : value };
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map((part) => part.text ?? "").join("");
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
