/**
 * What the demo model says next, by temper. Pure: a conversation in, text and calls out. It always comes to an end:
 * each answer either asks for a step that was not asked for since the request or the resume, or is the last one.
 */
import type { Temper } from "../core/run-record.ts";
import { type Conversation, type PastCall, recordOf } from "./conversation.ts";
import { openCallsOf, outcomesOf, withFindings } from "./heeding.ts";
import { missedIn, parseRequest, type Plan, type Wish } from "./parse-request.ts";
import { announce, HELP, missedLine, NO_RECEIPT, summarise } from "./phrases.ts";
import { isLookUp } from "./same-call.ts";

export interface Answer {
  readonly text: string;
  readonly calls: readonly Wish[];
}

/**
 * Answers of one attempt. Source: a look, a call and its repeat for each of a handful of wishes; what earlier
 * attempts have asked for does not count, or a run that is cut often would end before its work is done.
 */
const ANSWERS_MAX = 40;
/** How often `repeats` wants every write. */
const REPEATS = 3;

export function nextAnswer(temper: Temper, conversation: Conversation): Answer {
  const { request, resumed, answers, answersAfterNudge } = conversation;
  const wanted = wantedPlan(temper, parseRequest(request));
  if (wanted.length === 0) return { text: helpFor(request), calls: [] };
  const plan = possiblePlan(wanted, conversation.calls);
  const answer =
    (resumed ? answersAfterNudge : answers) >= ANSWERS_MAX
      ? undefined
      : temper === "heeds"
        ? heeding(plan, conversation)
        : repeating(temper, plan, conversation);
  return answer ?? closing(temper, { wanted, plan }, conversation);
}

function wantedPlan(temper: Temper, plan: Plan): Plan {
  if (temper !== "repeats") return plan;
  return plan.map((step) =>
    step.flatMap((wish) => (isLookUp(wish) ? [wish] : Array.from({ length: REPEATS }, () => wish))),
  );
}

/** Without receipts for a charge that failed. Charges come first, so no step that was asked for moves. */
function possiblePlan(plan: Plan, calls: readonly PastCall[]): Plan {
  const charges = calls.filter(({ tool }) => tool === "charge_card");
  const isRefused = charges.length > 0 && charges.every(({ status }) => status === "failed");
  if (!isRefused) return plan;
  return plan
    .map((step) => step.filter((wish) => !isReceipt(wish)))
    .filter((step) => step.length > 0);
}

/** Begins anew after each resume, as if nothing were on record. */
function repeating(temper: Temper, plan: Plan, conversation: Conversation): Answer | undefined {
  const { resumed, answers, answersAfterNudge } = conversation;
  const step = plan[resumed ? answersAfterNudge : answers];
  if (!step) return undefined;
  const filled = step.map((wish) => withResults(wish, ownCalls(conversation)));
  const asked = resumed ? changedBy(temper, filled) : filled;
  return { text: announce(asked), calls: asked };
}

/** The calls that a forgetful model remembers: those since the request or the resume. */
function ownCalls({ calls, resumed }: Conversation): readonly PastCall[] {
  return calls.filter(({ afterNudge }) => afterNudge === resumed);
}

function changedBy(temper: Temper, step: readonly Wish[]): readonly Wish[] {
  if (temper === "rewords") return step.map(reworded);
  if (temper === "reorders") return step.map(reordered).reverse();
  return step;
}

const FREE_TEXT = ["body", "memo", "description"];

function reworded({ tool, input }: Wish): Wish {
  const changed = Object.entries(input).map(([name, value]) =>
    FREE_TEXT.includes(name) ? [name, `As promised: ${String(value)}`] : [name, value],
  );
  return { tool, input: Object.fromEntries(changed) as Wish["input"] };
}

function reordered({ tool, input }: Wish): Wish {
  return { tool, input: Object.fromEntries(Object.entries(input).reverse()) };
}

/** Goes on from what is on record. */
function heeding(plan: Plan, { calls }: Conversation): Answer | undefined {
  const next = openCallsOf(plan, calls);
  if (next === undefined) return undefined;
  if (next.kind === "look") return { text: "Let me check what happened first.", calls: next.calls };
  const filled = next.calls.map((wish) => withResults(wish, withFindings(calls)));
  return { text: announce(filled), calls: filled };
}

function isReceipt({ tool, input }: Wish): boolean {
  return tool === "send_email" && /receipt/i.test(String(input["subject"]));
}

/** A receipt names the charge it is for. */
function withResults(wish: Wish, calls: readonly PastCall[]): Wish {
  if (!isReceipt(wish)) return wish;
  const charge = calls.find(({ tool, status }) => tool === "charge_card" && status === "completed");
  const { chargeId } = recordOf(charge?.result);
  if (typeof chargeId !== "string") return wish;
  return {
    ...wish,
    input: { ...wish.input, body: `Hello,\n\nhere is your receipt for charge ${chargeId}.` },
  };
}

/** The last answer: what became of everything that was wanted, and what was not understood. */
function closing(
  temper: Temper,
  { wanted, plan }: { readonly wanted: Plan; readonly plan: Plan },
  conversation: Conversation,
): Answer {
  const calls = temper === "heeds" ? outcomesOf(plan, conversation.calls) : ownCalls(conversation);
  const lines = [summarise(calls)];
  if (plan.flat().length < wanted.flat().length) lines.push(NO_RECEIPT);
  const missed = missedIn(conversation.request);
  if (missed.length > 0) lines.push(missedLine(missed));
  return { text: lines.join("\n\n"), calls: [] };
}

function helpFor(request: string): string {
  const missed = missedIn(request);
  return missed.length === 0 ? HELP : `${missedLine(missed)}\n\n${HELP}`;
}
