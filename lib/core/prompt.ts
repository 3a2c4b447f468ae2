/**
 * The conversation as the model gets it, rebuilt from the ledger before every request. Each finished step is an
 * assistant message with its calls and one result for each of them, so that every provider accepts the history;
 * text that was cut off stays as context; a resumed attempt adds one user message, the nudge with the note.
 *
 * Invariant: what is not on record is not in the prompt, and with no call on record nothing of the journal is.
 */
import {
  isKnownEvent,
  type KnownEvent,
  type PlannedCall,
  type RunEvent,
  type RunInput,
} from "./event.ts";
import { callAnswersOf, type CallAnswers } from "./call-answers.ts";

export interface TextPart {
  type: "text";
  text: string;
}

export interface ToolCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}

type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue };

export interface ToolResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "json"; value: JsonValue } | { type: "error-json"; value: JsonValue };
}

/** A message in the form of the AI SDK, without a dependency on it. */
export type PromptMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; content: (TextPart | ToolCallPart)[] }
  | { role: "tool"; content: ToolResultPart[] };

/** Begins the one message that a resumed attempt adds. */
export const NUDGE =
  "Continue from where you left off. The run was interrupted; what is above is what is on record.";

/**
 * Builds the messages of one run. `note`: the current attempt's, or null. The nudge stands where the current
 * attempt began, when that is not the first; the attempt's own steps follow it.
 */
export function buildPrompt(
  events: readonly RunEvent[],
  { note }: { readonly note: string | null },
): PromptMessage[] {
  const known = events.filter(isKnownEvent);
  const last = known.findLast((event) => event.type === "attempt_started");
  const nudgeAt = last?.type === "attempt_started" && last.attempt > 1 ? last : undefined;
  const builder = new PromptBuilder(callAnswersOf(known));
  for (const event of known) {
    if (event === nudgeAt) builder.nudge(note === null ? NUDGE : `${NUDGE}\n\n${note}`);
    builder.add(event);
  }
  return builder.messages;
}

/** Messages of earlier runs of the thread. Open calls show as such; nothing else of their journals is told. */
export function conversationOf(runs: readonly (readonly RunEvent[])[]): PromptMessage[] {
  return runs.flatMap((events) => {
    const known = events.filter(isKnownEvent);
    const builder = new PromptBuilder(callAnswersOf(known));
    for (const event of known) builder.add(event);
    builder.end(known.at(-1));
    return builder.messages;
  });
}

class PromptBuilder {
  readonly messages: PromptMessage[] = [];
  readonly #answers: CallAnswers;
  #text = "";

  constructor(answers: CallAnswers) {
    this.#answers = answers;
  }

  add(event: KnownEvent): void {
    switch (event.type) {
      case "run_started":
        this.messages.push({ role: "user", content: wordsOf(event.input) });
        return;
      case "text":
        this.#text += event.text;
        return;
      case "clear":
        this.#text = "";
        return;
      case "step_started":
      case "attempt_started":
        this.#keepCutText();
        return;
      case "step_finished":
        this.#finishStep(event.calls);
        return;
      default:
        return;
    }
  }

  nudge(content: string): void {
    this.#keepCutText();
    this.messages.push({ role: "user", content });
  }

  /** Closes an earlier run: a conversation in which nobody answered would be refused by some providers. */
  end(last: KnownEvent | undefined): void {
    this.#keepCutText();
    if (last?.type === "run_cancelled") this.#say("[This request was cancelled.]");
    if (last?.type === "run_failed") this.#say("[This request failed before it was finished.]");
  }

  #finishStep(calls: readonly PlannedCall[]): void {
    const text = this.#text;
    this.#text = "";
    if (text !== "") this.#say(text);
    if (calls.length === 0) return;
    this.#assistant().push(...calls.map(callPart));
    this.messages.push({ role: "tool", content: calls.map((call) => this.#resultPart(call)) });
  }

  #keepCutText(): void {
    if (this.#text !== "") this.#say(this.#text);
    this.#text = "";
  }

  #say(text: string): void {
    this.#assistant().push({ type: "text", text });
  }

  /** The assistant message that is being written: texts in a row are one message. */
  #assistant(): (TextPart | ToolCallPart)[] {
    const last = this.messages.at(-1);
    if (last?.role === "assistant") return last.content;
    const content: (TextPart | ToolCallPart)[] = [];
    this.messages.push({ role: "assistant", content });
    return content;
  }

  #resultPart(call: PlannedCall): ToolResultPart {
    const { failed, value } = this.#answers.of(call.callId);
    return {
      type: "tool-result",
      toolCallId: call.callId,
      toolName: call.tool,
      output: { type: failed ? "error-json" : "json", value: value as JsonValue },
    };
  }
}

/** Providers want an object; arguments that were none are shown as what they were. */
function callPart({ callId, tool, input, malformed }: PlannedCall): ToolCallPart {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  const shown = malformed === undefined && isObject ? input : { arguments: input ?? null };
  return { type: "tool-call", toolCallId: callId, toolName: tool, input: shown };
}

function wordsOf(input: RunInput): string {
  if (input.kind === "message") return input.text;
  return `Call the action ${input.action} with this input: ${JSON.stringify(input.input ?? {})}`;
}
