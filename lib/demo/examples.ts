/** The start page's example requests, and fault plans in words. Pure and small: the browser loads it. */
import type { Fault, FaultKind, FaultPoint, Temper } from "../core/run-record.ts";

export interface Example {
  readonly title: string;
  /** What it shows. */
  readonly idea: string;
  readonly text: string;
  readonly temper?: Temper;
  readonly faults?: readonly Fault[];
}

export const EXAMPLES: readonly Example[] = [
  {
    title: "Mail and ticket",
    idea: "Two writes, each done once",
    text: "Email ada@example.com the March report and open a ticket about it",
  },
  {
    title: "The same thing twice",
    idea: "Wanted twice is done twice",
    text: "Email ada@example.com the March report twice",
  },
  {
    title: "Look up only",
    idea: "Reads are free to repeat",
    text: "How many open tickets are there?",
  },
];

/** Offered only where faults can be planned. */
export const LAB_EXAMPLE: Example = {
  title: "Lab: cut me in the middle",
  idea: "Killed after the charge; the model forgets and asks again",
  text: "Charge customer 42 20 euros, then email her the receipt",
  temper: "forgets",
  faults: [{ at: "after_done", as: "process_killed", action: "charge_card" }],
};

export const POINT_WORDS: Record<FaultPoint, string> = {
  before_start: "before its start is stored",
  after_start: "after its start is stored, before the action begins",
  in_body: "while the action runs, before its effect",
  after_effect: "after it took effect, before its outcome is stored",
  after_done: "after its outcome is stored",
  in_text: "in the middle of the model's text",
  in_arguments: "in the middle of the call's arguments",
};

export const KIND_WORDS: Record<FaultKind, string> = {
  soft_timeout: "by the soft time-out",
  gateway_timeout: "by a gateway's time-out",
  transport_error: "by a broken connection",
  lease_lost: "by another owner taking over",
  process_lost: "by the owner stopping dead",
  process_killed: "by killing the process",
};

/** Says what a planned fault will do, in one sentence. */
export function faultSentence({ at, as, action, attempt = 1, nth = 1 }: Fault): string {
  const call = action ?? "any call";
  const where = at === "in_text" ? POINT_WORDS[at] : `at ${call}, ${POINT_WORDS[at]}`;
  const time = nth === 1 ? "" : `, the ${ordinal(nth)} time`;
  return `Cut attempt ${attempt} ${where}${time}, ${KIND_WORDS[as]}.`;
}

function ordinal(n: number): string {
  const isTeen = n % 100 > 10 && n % 100 < 14;
  const ending = isTeen ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${ending}`;
}
