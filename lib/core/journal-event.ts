/**
 * Reads the few fields that the journal needs out of an event that may be anything: a row of ours, a row of a
 * foreign ledger without seq, attempt or call ids, or rubbish. A null counts as a field that is not there.
 * Nothing here throws for any value but one whose getters throw.
 */
import type { CallKind, Outcome, Resolution } from "./event.ts";

export interface StartFact {
  readonly is: "start";
  readonly tool: string;
  readonly input: unknown;
  readonly callId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly kind: CallKind | undefined;
  /** undefined when the ledger has none. */
  readonly signature: string | null | undefined;
}

export interface DoneFact {
  readonly is: "done";
  /** undefined only where a call id says enough. */
  readonly tool: string | undefined;
  readonly callId: string | undefined;
  /** undefined when the done names no input. */
  readonly input: unknown;
  readonly outcome: Outcome;
  readonly result: unknown;
}

export interface ResolvedFact {
  readonly is: "resolved";
  readonly callId: string;
  readonly by: "verify" | "person" | undefined;
  readonly outcome: Resolution;
  readonly result: unknown;
  /** It answers for a held call, not for a start. */
  readonly isAboutHeld: boolean;
}

export interface ClearFact {
  readonly is: "clear";
  readonly readsOnly: boolean;
}

/** Says where in the run the events after it stand. */
export interface PlaceFact {
  readonly is: "place";
  readonly step: number;
  /** Calls that this step planned. */
  readonly planned: readonly string[];
}

export interface MalformedFact {
  readonly is: "malformed";
  readonly message: string;
}

export type JournalFact =
  | StartFact
  | DoneFact
  | ResolvedFact
  | ClearFact
  | PlaceFact
  | { readonly is: "attempt" }
  | { readonly is: "nothing" }
  | MalformedFact;

export type Fields = Readonly<Record<string, unknown>>;

/** Reads one event of any origin. Events that say nothing about calls are `nothing`. */
export function readFact(event: unknown): JournalFact {
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    return malformed("The event is not an object.");
  }
  const fields = event as Fields;
  if (typeof fields["type"] !== "string") return malformed("The event has no type.");
  switch (fields["type"]) {
    case "tool_start":
      return readStart(fields);
    case "tool_done":
      return readDone(fields);
    case "tool_resolved":
      return readResolved(fields);
    case "clear":
      return readClear(fields);
    case "attempt_started":
      return { is: "attempt" };
    case "step_started":
    case "step_finished":
      return readPlace(fields);
    default:
      return { is: "nothing" };
  }
}

/** Returns a whole number from 0, or undefined where the field is missing or something else. */
export function readCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

const malformed = (message: string): MalformedFact => ({ is: "malformed", message });

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isMissing = (value: unknown): boolean => value === undefined || value === null;
const isTextOrMissing = (value: unknown): boolean => isMissing(value) || typeof value === "string";
const textOf = (value: unknown): string | undefined => (isText(value) ? value : undefined);

function readStart(fields: Fields): JournalFact {
  const { tool, callId, idempotencyKey, kind, signature } = fields;
  if (!isText(tool)) return malformed("A tool_start names no tool.");
  if (!isTextOrMissing(callId)) return malformed("The callId of a tool_start is not a text.");
  if (!isTextOrMissing(idempotencyKey)) {
    return malformed("The idempotencyKey of a tool_start is not a text.");
  }
  return {
    is: "start",
    tool,
    input: fields["input"],
    callId: textOf(callId),
    idempotencyKey: textOf(idempotencyKey),
    kind: kind === "read" || kind === "write" ? kind : undefined,
    signature: typeof signature === "string" || signature === null ? signature : undefined,
  };
}

function readDone(fields: Fields): JournalFact {
  const { tool, callId, outcome } = fields;
  if (!isTextOrMissing(callId)) return malformed("The callId of a tool_done is not a text.");
  if (!isText(tool) && !(isMissing(tool) && isText(callId))) {
    return malformed("A tool_done names no tool.");
  }
  if (!isMissing(outcome) && outcome !== "ok" && outcome !== "failed" && outcome !== "unknown") {
    return malformed("The outcome of a tool_done is none of ok, failed, unknown.");
  }
  return {
    is: "done",
    tool: textOf(tool),
    callId: textOf(callId),
    input: fields["input"],
    outcome: (outcome as Outcome | null | undefined) ?? "ok",
    result: fields["result"],
  };
}

const RESOLUTIONS: readonly unknown[] = ["landed", "absent", "again", "approved", "denied"];

function readResolved(fields: Fields): JournalFact {
  const { callId, outcome, by } = fields;
  if (!isText(callId)) return malformed("A tool_resolved names no call.");
  if (!RESOLUTIONS.includes(outcome)) return malformed("A tool_resolved has no known outcome.");
  return {
    is: "resolved",
    callId,
    by: by === "verify" || by === "person" ? by : undefined,
    outcome: outcome as Resolution,
    result: fields["result"],
    isAboutHeld: fields["heldCallId"] === callId,
  };
}

function readClear(fields: Fields): JournalFact {
  const scope = fields["scope"];
  // A scope that this version does not know must not drop anything: it may mean less than everything.
  if (!isMissing(scope) && scope !== "text") return malformed("The scope of a clear is unknown.");
  return { is: "clear", readsOnly: scope === "text" };
}

function readPlace(fields: Fields): JournalFact {
  const { step, calls } = fields;
  const number = readCount(step);
  if (number === undefined) return malformed("The step of a step event is not a number.");
  const planned = (Array.isArray(calls) ? (calls as unknown[]) : []).flatMap((call) => {
    const callId = typeof call === "object" && call !== null ? (call as Fields)["callId"] : null;
    return isText(callId) ? [callId] : [];
  });
  return { is: "place", step: number, planned };
}
