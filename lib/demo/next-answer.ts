/**
 * What the demo model says next, by temper. Pure: a conversation in, text and calls out. It always comes to an end:
 * each answer either asks for a step that was not asked for since the request or the resume, or is the last one.
 */
import type { Temper } from "../core/run-record.ts";
import { type Conversation, type PastCall, recordOf } from "./conversation.ts";
import { parseRequest, type Plan, type Wish } from "./parse-request.ts";
import { announce, HELP, summarise } from "./phrases.ts";

export interface Answer {
  readonly text: string;
  readonly calls: readonly Wish[];
}

/** Source: the longest plan has a handful of steps, each asked for at most three times by `heeds`. */
const ANSWERS_MAX = 24;
/** How often `repeats` wants every write. */
const REPEATS = 3;

export function nextAnswer(temper: Temper, conversation: Conversation): Answer {
  const plan = wantedPlan(temper, parseRequest(conversation.request));
  if (plan.length === 0) return { text: HELP, calls: [] };
  if (conversation.answers >= ANSWERS_MAX) return last(conversation.calls);
  if (temper === "heeds") return heeding(plan, conversation);
  return repeating(temper, plan, conversation);
}

function wantedPlan(temper: Temper, plan: Plan): Plan {
  if (temper !== "repeats") return plan;
  return plan.map((step) =>
    step.flatMap((wish) => (isLookUp(wish) ? [wish] : Array.from({ length: REPEATS }, () => wish))),
  );
}

/** Begins anew after each resume, as if nothing were on record. */
function repeating(temper: Temper, plan: Plan, conversation: Conversation): Answer {
  const { resumed, answers, answersAfterNudge, calls } = conversation;
  const step = plan[resumed ? answersAfterNudge : answers];
  const own = calls.filter(({ afterNudge }) => afterNudge === resumed);
  if (!step) return last(own);
  const filled = step.map((wish) => withResults(wish, own));
  const asked = resumed ? changedBy(temper, filled) : filled;
  return { text: announce(asked), calls: asked };
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

/** Goes on from what is on record: reuses what completed, looks before it repeats what is unknown. */
function heeding(plan: Plan, conversation: Conversation): Answer {
  const { calls } = conversation;
  const past = [...calls];
  for (const step of plan) {
    const open = step.filter((wish) => !isSettled(takeLast(past, wish), calls));
    if (open.length === 0) continue;
    const unknown = open.filter((wish) => needsLook(wish, calls));
    const asked =
      unknown.length > 0 ? unknown.map(lookOf) : open.map((wish) => withResults(wish, calls));
    return {
      text: unknown.length > 0 ? "Let me check what happened first." : announce(asked),
      calls: asked,
    };
  }
  return last(calls);
}

/** The newest state of the first call for this wish that no other wish has taken. */
function takeLast(past: PastCall[], wish: Wish): PastCall | undefined {
  const isOurs = (call: PastCall) => isSame(call, wish);
  const done = past.findIndex((call) => isOurs(call) && call.status === "completed");
  const at = done === -1 ? past.findLastIndex(isOurs) : done;
  return at === -1 ? undefined : past.splice(at, 1)[0];
}

function isSettled(call: PastCall | undefined, calls: readonly PastCall[]): boolean {
  if (call === undefined) return false;
  if (call.status === "completed" || call.status === "failed") return true;
  return call.status === "unknown" && lookAfter(call, calls)?.happened === true;
}

function needsLook(wish: Wish, calls: readonly PastCall[]): boolean {
  const call = calls.findLast((past) => isSame(past, wish));
  return call?.status === "unknown" && lookAfter(call, calls) === undefined;
}

/** What a look-up after the call has found, if there was one. */
function lookAfter(call: PastCall, calls: readonly PastCall[]): { happened: boolean } | undefined {
  const { tool } = lookOf(call);
  const look = calls.findLast((past) => past.tool === tool && past.answer > call.answer);
  if (look?.status !== "completed") return undefined;
  const known = calls.filter((past) => isSame(past, call) && past.status === "completed");
  const found = Object.values(recordOf(look.result)).find(Array.isArray) as unknown[] | undefined;
  const same = (found ?? [])
    .map(recordOf)
    .filter((item) => item["byThisRun"] === true && isSame({ tool: call.tool, input: item }, call));
  return { happened: same.length > known.length };
}

const IDENTITY: Readonly<Record<string, readonly string[]>> = {
  send_email: ["to", "subject"],
  charge_card: ["customer", "amount", "purpose"],
  create_ticket: ["title"],
};

function isLookUp({ tool }: Wish): boolean {
  return !Object.hasOwn(IDENTITY, tool);
}

function isSame(a: Wish, b: Wish): boolean {
  if (a.tool !== b.tool) return false;
  const names = IDENTITY[a.tool] ?? [
    ...new Set([...Object.keys(a.input), ...Object.keys(b.input)]),
  ];
  return names.every((name) => a.input[name] === b.input[name]);
}

/** The read that shows whether a write happened. */
function lookOf({ tool, input }: Wish): Wish {
  switch (tool) {
    case "send_email":
      return { tool: "list_sent_emails", input: { to: input["to"] } };
    case "charge_card":
      return { tool: "list_charges", input: { customer: input["customer"] } };
    case "create_ticket":
      return { tool: "list_tickets", input: { title: input["title"] } };
    default:
      return { tool, input };
  }
}

/** A receipt names the charge it is for. */
function withResults(wish: Wish, calls: readonly PastCall[]): Wish {
  if (wish.tool !== "send_email" || !/receipt/i.test(String(wish.input["subject"]))) return wish;
  const charge = calls.find(({ tool, status }) => tool === "charge_card" && status === "completed");
  const { chargeId } = recordOf(charge?.result);
  if (typeof chargeId !== "string") return wish;
  return {
    ...wish,
    input: { ...wish.input, body: `Hello,\n\nhere is your receipt for charge ${chargeId}.` },
  };
}

function last(calls: readonly PastCall[]): Answer {
  return { text: summarise(calls), calls: [] };
}
