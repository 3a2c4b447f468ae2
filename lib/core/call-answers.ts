/**
 * What the model is told about each call of the run: one answer for every call, whatever became of it, so that no
 * call stands in the history without a result and none has two.
 */
import type { KnownEvent, ToolResolved } from "./event.ts";

export interface CallAnswer {
  readonly failed: boolean;
  /** JSON. */
  readonly value: unknown;
}

export interface CallAnswers {
  of(callId: string): CallAnswer;
}

const NOT_STARTED: CallAnswer = told({
  status: "not started",
  note: "The run was interrupted before this call began. Call it again if it is still wanted.",
});

const UNKNOWN: CallAnswer = told({
  status: "outcome unknown",
  note: "This call was started and the run was interrupted. It may or may not have happened: verify before assuming either.",
});

const WAITING: CallAnswer = told({
  status: "waiting",
  note: "This call waits for a person's answer.",
});

/** The structured answer to a repeat that was not run: the stored result untouched, and beside it a note. */
export function blockedAnswer(
  result: unknown,
  attempt: number,
  ignored: readonly string[] = [],
): CallAnswer {
  const fields = ignored.length === 0 ? "" : ` ${IGNORED} ${ignored.join(", ")}.`;
  return told({
    result: result ?? null,
    note: `Already completed in an earlier interrupted attempt (attempt ${attempt}); not re-run to avoid a duplicate side effect. Do not call it again unless another one is really wanted.${fields}`,
  });
}

const IGNORED = "It was taken for the same call although these fields differ, which do not count:";

/** Reads the answers out of a run's events. Of two outcomes for one call the first proven one stands. */
export function callAnswersOf(events: readonly KnownEvent[]): CallAnswers {
  const answers = new Map<string, CallAnswer>();
  const proven = new Set<string>();
  const attemptBySeq = new Map<number, number>();
  const prove = (callId: string, answer: CallAnswer) => {
    if (!proven.has(callId)) answers.set(callId, answer);
    proven.add(callId);
  };
  for (const event of events) {
    switch (event.type) {
      case "tool_start":
        attemptBySeq.set(event.seq, event.attempt);
        // A call that was settled as not happened and starts again is open again.
        proven.delete(event.callId);
        answers.set(event.callId, UNKNOWN);
        break;
      case "tool_held":
        if (!proven.has(event.callId)) answers.set(event.callId, WAITING);
        break;
      case "tool_blocked": {
        const attempt = attemptBySeq.get(event.originalSeq) ?? event.attempt;
        prove(event.callId, blockedAnswer(event.result, attempt, event.ignored));
        break;
      }
      case "tool_done":
        if (event.outcome === "unknown") break;
        prove(event.callId, { failed: event.outcome === "failed", value: event.result ?? null });
        break;
      case "tool_resolved":
        if (isAnswered(event)) prove(event.callId, settledAnswer(event));
        break;
      default:
        break;
    }
  }
  return { of: (callId) => answers.get(callId) ?? NOT_STARTED };
}

/** Of an answer about a held call itself only a refusal is told: else its block or its start answers. */
function isAnswered({ outcome, callId, heldCallId }: ToolResolved): boolean {
  if (outcome === "approved") return false;
  return outcome === "denied" || heldCallId !== callId;
}

function settledAnswer({ outcome, result, by }: ToolResolved): CallAnswer {
  const who = by === "person" ? "A person" : "A check";
  if (outcome === "landed") {
    return result === undefined || result === null
      ? told({ status: "happened", note: `${who} confirmed that this call took effect.` })
      : told(result);
  }
  if (outcome === "denied")
    return { failed: true, value: { error: "A person refused this call." } };
  return told({
    status: "did not happen",
    note: `${who} found that this call did not take effect. Call it again if it is still wanted.`,
  });
}

function told(value: unknown): CallAnswer {
  return { failed: false, value };
}
