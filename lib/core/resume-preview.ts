/**
 * What a resume would do with each call on record, if the model asked for it again. Pure: computed by the server,
 * because it depends on today's actions.
 */
import { type ActionPolicy, isRead } from "./action-policy.ts";
import type { RunEvent } from "./event.ts";
import { classifyJournal, type JournalEntry } from "./journal.ts";

export type ResumePlan =
  /** Its stored result answers. */
  | "reuse"
  /** Its verifier is asked before the model is. */
  | "verify"
  /** A person is asked. */
  | "hold"
  /** The body runs again under the first key. */
  | "same_key"
  /** It runs again, as the model was told that nobody knows. */
  | "run"
  /** Known not to have happened: it may run, under its first key. */
  | "free";

export interface PreviewedCall {
  readonly callId: string | null;
  readonly tool: string;
  readonly input: unknown;
  readonly startSeq: number;
  readonly attempt: number;
  readonly idempotencyKey: string | null;
  readonly plan: ResumePlan;
  /** One sentence for a person. */
  readonly reason: string;
}

/** The writes of the run, in the order they were started. */
export function previewResume(
  events: readonly RunEvent[],
  actions: Readonly<Record<string, ActionPolicy>>,
  unknownWrites: "hold" | "model",
): readonly PreviewedCall[] {
  const { completed, interrupted, absent } = classifyJournal(events);
  const actionOf = (tool: string) => (Object.hasOwn(actions, tool) ? actions[tool] : undefined);
  const planOf = (entry: JournalEntry) => planOfOpen(actionOf(entry.tool), unknownWrites);
  const all = [
    ...completed.map((entry) => ({ entry, plan: "reuse" as const })),
    ...interrupted.map((entry) => ({ entry, plan: planOf(entry) })),
    ...absent.map((entry) => ({ entry, plan: "free" as const })),
  ];
  return all
    .filter(({ entry }) => entry.kind !== "read" && !isRead(actionOf(entry.tool)))
    .sort((a, b) => a.entry.order - b.entry.order)
    .map(({ entry, plan }) => ({
      callId: entry.callId ?? null,
      tool: entry.tool,
      input: entry.input,
      startSeq: entry.startSeq,
      attempt: entry.attempt,
      idempotencyKey: entry.idempotencyKey ?? null,
      plan,
      reason: REASONS[plan],
    }));
}

function planOfOpen(action: ActionPolicy | undefined, unknownWrites: "hold" | "model"): ResumePlan {
  if (action?.transactional) return "free";
  if (action?.verify) return "verify";
  if (action?.idempotent) return "same_key";
  const rule = action?.onUnknown ?? (unknownWrites === "hold" ? "hold" : "run");
  return rule === "hold" ? "hold" : "run";
}

const REASONS: Record<ResumePlan, string> = {
  reuse: "It completed: its stored result answers, and it is not run again.",
  verify: "Nobody knows whether it happened: it is checked before the model is asked.",
  hold: "Nobody knows whether it happened: you are asked when it is wanted again.",
  same_key:
    "Nobody knows whether it happened: it runs again under its first key, which counts once.",
  run: "Nobody knows whether it happened: the model is told so, and it runs if it is wanted again.",
  free: "It did not happen: it runs if it is still wanted.",
};
