/**
 * What the end of a body proves. Decided here and nowhere else: for a write only a declared rejection proves that
 * nothing happened; an abort, a time-out, a broken connection or any other throw leaves the outcome unknown.
 */
import type { CallKind, Outcome } from "../core/event.ts";
import { ActionRejected } from "./action.ts";

export interface BodyOutcome {
  readonly outcome: Outcome;
  readonly result: unknown;
}

/** The outcome of a body that returned. What can't be written as JSON is described: the effect happened. */
export function outcomeOfValue(value: unknown): BodyOutcome {
  return { outcome: "ok", result: asJson(value) };
}

/** The outcome of a body that threw. */
export function outcomeOfError(kind: CallKind, error: unknown): BodyOutcome {
  if (error instanceof ActionRejected)
    return { outcome: "failed", result: { error: asJson(error.reason) } };
  const result = { error: sentenceOf(error) };
  return { outcome: kind === "read" ? "failed" : "unknown", result };
}

/** Known not to have happened; told to the model like a call that never started, because it may be asked again. */
export const NOT_ENTERED: BodyOutcome = {
  outcome: "failed",
  result: {
    error: "not entered",
    status: "not started",
    note: "The attempt ended before this call began. Call it again if it is still wanted.",
  },
};

/** A transactional write whose attempt ended before its commit: known not to have happened. */
export const NOT_COMMITTED: BodyOutcome = {
  outcome: "failed",
  result: {
    error: "not committed",
    status: "not started",
    note: "The attempt ended before this call could take effect. Call it again if it is still wanted.",
  },
};

export const LEFT_RUNNING: BodyOutcome = {
  outcome: "unknown",
  result: { error: "the attempt ended while the action was running; its outcome is unknown" },
};

/** What an error says, for a reader. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}

/** A value as JSON keeps it; what can't be written is described. */
export function asJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? null : (JSON.parse(text) as unknown);
  } catch (error) {
    return {
      note: "The action completed; its result could not be written as JSON.",
      problem: sentenceOf(error),
    };
  }
}
