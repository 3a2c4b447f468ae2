/** Renders events to short stable lines, so that a test compares a whole run at once and a failure reads as a story. */
import type { KnownEvent, RunEvent } from "../core/event.ts";
import { isKnownEvent } from "../core/event.ts";

/** One line per event. Shape: `3 tool_start send_email #call_1_1_0`. Times, owners and long values are left out. */
export function transcriptOf(events: readonly RunEvent[]): string[] {
  return events.map((event) => `${event.seq} ${lineOf(event)}`);
}

/** The same without the seqs, for tests that do not care how deltas were cut. */
export function storyOf(events: readonly RunEvent[]): string[] {
  return events.map(lineOf);
}

function lineOf(event: RunEvent): string {
  const words = isKnownEvent(event) ? wordsOf(event) : [];
  return [event.type, ...words.filter((word) => word !== undefined)].join(" ");
}

function wordsOf(event: KnownEvent): readonly (string | undefined)[] {
  switch (event.type) {
    case "run_started":
      return [event.input.kind === "message" ? short(event.input.text) : event.input.action];
    case "attempt_started":
      return [`${event.attempt}`, event.reason, event.note === null ? undefined : "with note"];
    case "step_started":
      return [`${event.step}`];
    case "text":
    case "reasoning":
      return [short(event.text)];
    case "step_finished":
      return [`${event.step}`, event.finishReason, ...event.calls.map((call) => call.tool)];
    case "clear":
      return [event.scope];
    case "tripwire":
      return [event.processor];
    case "attempt_ended":
      return [event.reason];
    case "run_waiting":
      return event.heldCallIds.map((callId) => `#${callId}`);
    case "run_done":
      return [];
    case "run_failed":
      return [event.code, event.resumable ? "resumable" : "for good"];
    case "run_cancelled":
      return [`by ${event.by}`];
    default:
      return callWordsOf(event);
  }
}

type CallEvent = Extract<
  KnownEvent,
  { type: "tool_start" | "tool_done" | "tool_blocked" | "tool_held" | "tool_resolved" }
>;

function callWordsOf(event: CallEvent): readonly (string | undefined)[] {
  switch (event.type) {
    case "tool_start":
      return [...callOf(event), of(event.originalSeq), near(event.nearOf)];
    case "tool_done":
      return [...callOf(event), event.outcome, event.late ? "late" : undefined];
    case "tool_blocked":
      return [...callOf(event), of(event.originalSeq)];
    case "tool_held": {
      const behind = event.behind === undefined ? undefined : `behind #${event.behind}`;
      return [...callOf(event), of(event.originalSeq), behind];
    }
    case "tool_resolved": {
      const held = event.heldCallId === undefined ? undefined : `for #${event.heldCallId}`;
      return [`#${event.callId}`, event.outcome, `by ${event.by}`, held];
    }
  }
}

function callOf(event: { readonly tool: string; readonly callId: string }): readonly string[] {
  return [event.tool, `#${event.callId}`];
}

function of(seq: number | undefined): string | undefined {
  return seq === undefined ? undefined : `of ${seq}`;
}

function near(seq: number | undefined): string | undefined {
  return seq === undefined ? undefined : `near ${seq}`;
}

function short(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
