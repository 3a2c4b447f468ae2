/** Lists over the runs of a memory store: keyset pages and the calls that counts are folded from. */
import { invalidCursor } from "../core/errors.ts";
import type { RunEvent } from "../core/event.ts";
import type { RunId } from "../core/ids.ts";
import type { RunPage, RunQuery } from "../core/ports.ts";
import { parseStored } from "./memory-state.ts";
import type { MemoryState, RunRow } from "./memory-state.ts";

/** One page of runs, newest first. Cursor: `r` and the number of the last run on the page before. */
export function pageOfRuns(state: MemoryState, query: RunQuery): RunPage {
  const below = query.cursor === undefined ? Number.POSITIVE_INFINITY : numberIn(query.cursor);
  const rows = [...state.runs.values()]
    .filter((row) => row.number < below && matches(row, query))
    .sort((a, b) => b.number - a.number);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const next = rows.length > page.length && last ? `r${last.number}` : null;
  return { runs: page.map((row) => state.record(row)), next };
}

/** The tool events of each run, their results left out. */
export function callEventsOf(state: MemoryState, runIds: readonly RunId[]): Map<RunId, RunEvent[]> {
  const found = runIds.flatMap((runId) => state.runs.get(runId) ?? []);
  return new Map(
    found.map((row) => {
      const events = row.events.map(parseStored).filter((event) => CALL_EVENTS.test(event.type));
      return [row.id, events.map(withoutResult)];
    }),
  );
}

/** `clear` is among them, since it changes what a start means. */
const CALL_EVENTS = /^(tool_|clear$)/;

function withoutResult(event: RunEvent): RunEvent {
  return "result" in event ? { ...event, result: null } : event;
}

function numberIn(cursor: string): number {
  if (!/^r[1-9][0-9]{0,14}$/.test(cursor))
    throw invalidCursor(cursor, "cursor", "the next of a page before");
  return Number(cursor.slice(1));
}

function matches(row: RunRow, { ownerId, status, text }: RunQuery): boolean {
  if (row.ownerId !== ownerId) return false;
  if (status !== undefined && row.status !== status) return false;
  const { input } = row;
  const asked = (input.kind === "message" ? input.text : input.action).toLowerCase();
  const words = (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => asked.includes(word));
}
