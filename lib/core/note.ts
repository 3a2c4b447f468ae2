/**
 * The note that a resumed model is given: what completed, and what nobody knows. Inputs and results are quoted as
 * data, each on one line and cut with a mark: nothing in them can open a line of the note. Interrupted calls come
 * first and are never left out; the ledger keeps everything whole.
 */
import type { Check } from "./event.ts";
import type { Journal, JournalEntry } from "./journal.ts";

/** Characters of a quoted input or result. Source: what a model needs to recognise a call. */
const QUOTED_CHARS_MAX = 400;
/** Completed calls listed one by one. Source: about 10,000 tokens of note at most. */
const COMPLETED_MAX = 60;

/** Returns the note, or null when no call is on record. `checks`: what verifiers could not settle. */
export function resumeNote(
  journal: Pick<Journal, "completed" | "interrupted" | "absent">,
  checks: readonly Check[] = [],
): string | null {
  const { completed, interrupted, absent } = journal;
  if (completed.length + interrupted.length + absent.length === 0) return null;
  return ["What this run did before it was interrupted:"]
    .concat(
      section(
        INTERRUPTED,
        interrupted.map((entry) => lineOf(entry) + checkOf(entry, checks)),
      ),
    )
    .concat(section(COMPLETED, completedLines(completed)))
    .concat(section(ABSENT, absent.map(lineOf)))
    .join("\n");
}

const INTERRUPTED =
  "Interrupted, outcome unknown (it may or may not have happened; verify before assuming either):";
const COMPLETED = "Completed (reuse the results; do not run these again):";
const ABSENT = "Settled as not happened (call again if still wanted):";

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

function lineOf(entry: JournalEntry): string {
  const read = entry.kind === "read" ? " (a read: safe to repeat)" : "";
  const found = entry.settledBy === "verify" ? " (found by a check)" : "";
  const told = entry.settledBy === "person" ? " (said by a person)" : "";
  return `- ${nameOf(entry.tool)} ${quoted(entry.input)}${read}${found}${told}`;
}

function checkOf({ callId }: JournalEntry, checks: readonly Check[]): string {
  const isChecked = checks.some((check) => check.callId === callId);
  return isChecked ? " (it was checked, and the check could not tell)" : "";
}

/** The newest are the ones a resumed model is about to repeat, so older ones are counted instead. */
function completedLines(completed: readonly JournalEntry[]): string[] {
  const shown = completed.slice(-COMPLETED_MAX);
  const lines = shown.map((entry) => `${lineOf(entry)} -> ${quoted(entry.result)}`);
  const left = completed.length - shown.length;
  return left === 0 ? lines : [`- [${left} earlier completed calls are not listed here]`, ...lines];
}

function nameOf(tool: string): string {
  return /^[\w.-]{1,80}$/.test(tool) ? tool : quoted(tool);
}

function quoted(value: unknown): string {
  const text = jsonOf(value).replace(LINE_BREAKS, escapeOf);
  if (text.length <= QUOTED_CHARS_MAX) return text;
  return `${text.slice(0, QUOTED_CHARS_MAX)}… [cut, ${text.length} characters in all]`;
}

function jsonOf(value: unknown): string {
  try {
    return (JSON.stringify(value) as string | undefined) ?? "null";
  } catch {
    return "[not JSON]";
  }
}

/** What JSON leaves as it is although a reader may break a line there. Source: Unicode UAX 14, mandatory breaks. */
const LINE_BREAKS = /[\u0085\u2028\u2029\u000b\u000c\r\n]/g;

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
