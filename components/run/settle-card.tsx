"use client";
/**
 * The question about a call with an unknown outcome, and the three answers to it. None is chosen beforehand; what
 * is answered is bound to what was seen. The same card in the chat and in the run's details.
 */
import { Check, Repeat, X } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { ApiError, type Resolve } from "@/lib/client/api.ts";
import { identityParts, words } from "@/lib/core/describe.ts";
import type { CallView } from "@/lib/core/run-view.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

export type SettleAnswer = Resolve["outcome"];

export interface SettleCardProps {
  readonly call: CallView;
  /** The start whose outcome is unknown, when it is another call. */
  readonly original: CallView | undefined;
  /** seq of the last event that was shown. */
  readonly seenSeq: number;
  readonly onSettle: (callId: string, answer: Resolve) => Promise<void>;
}

export function SettleCard({ call, original, seenSeq, onSettle }: SettleCardProps) {
  const [sending, setSending] = useState<SettleAnswer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const titleId = useId();
  const settle = (outcome: SettleAnswer) => {
    setSending(outcome);
    setProblem(null);
    onSettle(call.callId, { outcome, seenSeq })
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setSending(null));
  };
  const opened = original ?? call;
  return (
    <section
      aria-labelledby={titleId}
      data-settle={call.callId}
      className="flex flex-col gap-2.5 rounded-lg border-2 p-3"
      style={{ borderColor: "var(--state-held)" }}
    >
      <h3 id={titleId} className="font-medium">
        Did “{words(call.tool)}” happen?
      </h3>
      <p className="text-[0.8125rem] text-muted-foreground">
        It was started in attempt {opened.attempt}, which was cut before the outcome was known. The
        run waits, and nothing is sent until you answer.
      </p>
      <p className="flex flex-wrap gap-1">
        {identityParts(call.input).map((part, i) => (
          <Chip key={i}>{part}</Chip>
        ))}
      </p>
      {opened.idempotencyKey !== undefined && (
        <p className="flex items-center gap-1 text-xs text-muted-foreground">
          Key
          <CopyButton text={opened.idempotencyKey} what="idempotency key" />
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Answer
          icon={<Check aria-hidden className="size-4" />}
          is="landed"
          {...{ sending, settle }}
        >
          It happened
        </Answer>
        <Answer icon={<X aria-hidden className="size-4" />} is="absent" {...{ sending, settle }}>
          It did not happen
        </Answer>
        {call.state === "held" && (
          <Answer
            icon={<Repeat aria-hidden className="size-4" />}
            is="again"
            {...{ sending, settle }}
          >
            Run it once more
          </Answer>
        )}
      </div>
      <p role="alert" className="text-[0.8125rem] text-danger empty:hidden">
        {problem}
      </p>
    </section>
  );
}

interface AnswerProps {
  readonly is: SettleAnswer;
  readonly icon: ReactNode;
  readonly children: string;
  readonly sending: SettleAnswer | null;
  readonly settle: (outcome: SettleAnswer) => void;
}

function Answer({ is, icon, children, sending, settle }: AnswerProps) {
  return (
    <Button aria-disabled={sending !== null} onClick={() => sending === null && settle(is)}>
      {icon}
      {sending === is ? "Storing…" : children}
    </Button>
  );
}

function problemOf(error: unknown): string {
  if (error instanceof ApiError && error.code === "call-settled") {
    return "Somebody answered before you, or something changed. Look again; nothing was sent.";
  }
  return error instanceof Error
    ? `${error.message} Your answer was not stored.`
    : "Your answer was not stored.";
}
