/** Open writes as a verifier is asked about them: which they are, and from when an "absent" may be believed. */
import { isKnownEvent, type RunEvent, type ToolStart } from "./event.ts";
import { classifyJournal, type JournalEntry } from "./journal.ts";

export interface OpenWrite {
  readonly entry: JournalEntry & { readonly callId: string };
  readonly start: ToolStart;
  /**
   * ISO time from which `settleMs` counts: the later of the start, the body's end and the end of its attempt.
   * undefined while the attempt has no end on record: then it counts from now.
   */
  readonly quietSince: string | undefined;
}

/** The writes whose outcome nobody knows. `attempt`: the attempt that is going on, whose bodies end by themselves. */
export function openWritesOf(events: readonly RunEvent[], attempt?: number): readonly OpenWrite[] {
  const open = classifyJournal(events).interrupted.filter(({ kind }) => kind !== "read");
  return open.flatMap((entry) => {
    const { callId } = entry;
    const start = events.find(({ seq }) => seq === entry.startSeq);
    if (callId === undefined || start?.type !== "tool_start") return [];
    const since = quietSince(events, { ...entry, callId }, attempt);
    return [{ entry: { ...entry, callId }, start: start as ToolStart, quietSince: since }];
  });
}

function quietSince(
  events: readonly RunEvent[],
  entry: JournalEntry & { readonly callId: string },
  current: number | undefined,
): string | undefined {
  let bodyEnd: string | undefined;
  let attemptEnd: string | undefined;
  for (const event of events) {
    if (!isKnownEvent(event)) continue;
    if (event.type === "tool_done" && event.callId === entry.callId) bodyEnd = event.at;
    if (event.attempt !== entry.attempt) continue;
    if (ENDS.has(event.type)) attemptEnd = event.at;
  }
  if (entry.attempt === current) return bodyEnd;
  if (attemptEnd === undefined || bodyEnd === undefined) return attemptEnd;
  return Date.parse(bodyEnd) > Date.parse(attemptEnd) ? bodyEnd : attemptEnd;
}

const ENDS: ReadonlySet<string> = new Set([
  "attempt_ended",
  "run_waiting",
  "run_failed",
  "run_cancelled",
  "run_done",
]);
