/** The three questions a held call may ask, in words, with the answers each of them has. */
import { Check, type LucideIcon, Repeat, X } from "lucide-react";
import type { Resolve } from "@/lib/client/api.ts";
import { words } from "@/lib/core/describe.ts";
import type { HeldQuestion } from "@/lib/core/event.ts";
import type { CallView } from "@/lib/core/run-view.ts";

export type SettleAnswer = Resolve["outcome"];

interface Question {
  readonly title: string;
  readonly text: string;
  readonly answers: readonly {
    readonly is: SettleAnswer;
    readonly word: string;
    readonly icon: LucideIcon;
  }[];
  readonly takesResult: boolean;
}

type Ask = (call: CallView, original: CallView | undefined) => Question;

const HAPPENED = { is: "landed", word: "It happened", icon: Check } as const;
const ABSENT = { is: "absent", word: "It did not happen", icon: X } as const;
const AGAIN = { is: "again", word: "Run it once more", icon: Repeat } as const;

const QUESTIONS: Record<HeldQuestion, Ask> = {
  unknown: (call, original) => ({
    title: `Did “${words(call.tool)}” happen?`,
    text: `It was started in attempt ${(original ?? call).attempt}, which was cut before the outcome was known. The run waits, and nothing is sent until you answer.`,
    answers: call.state === "held" ? [HAPPENED, ABSENT, AGAIN] : [HAPPENED, ABSENT],
    takesResult: true,
  }),
  near: (call, original) => ({
    title: `Is this the same “${words(call.tool)}” as before?`,
    text: `It is nearly the same as the call of attempt ${original?.attempt ?? call.attempt}. The run waits, and nothing is sent until you answer.`,
    answers: [
      { is: "landed", word: "The same, it happened", icon: Check },
      { is: "again", word: "Another one, run it", icon: Repeat },
    ],
    takesResult: false,
  }),
  approval: (call) => ({
    title: `May “${words(call.tool)}” be done?`,
    text: "It is done only with your leave, once, with exactly these arguments. The run waits until you answer.",
    answers: [
      { is: "approved", word: "Allow it once", icon: Check },
      { is: "denied", word: "Refuse", icon: X },
    ],
    takesResult: false,
  }),
};

/** What a call asks a person. */
export function questionOf(call: CallView, original: CallView | undefined): Question {
  return QUESTIONS[call.question ?? "unknown"](call, original);
}
