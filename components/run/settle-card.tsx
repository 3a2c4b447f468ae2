"use client";
/**
 * A question that only a person can answer, with what is known about it and the answers there are. None is chosen
 * beforehand; what is answered is bound to what was seen. The same card in the chat and in the run's details.
 */
import { useId, useState } from "react";
import { ApiError, type Resolve } from "@/lib/client/api.ts";
import { identityParts } from "@/lib/core/describe.ts";
import type { CallView } from "@/lib/core/run-view.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Differences } from "./differences.tsx";
import { SettleEvidence } from "./settle-evidence.tsx";
import { questionOf, type SettleAnswer } from "./settle-questions.tsx";

export interface SettleCardProps {
  readonly runId: string;
  readonly call: CallView;
  /** The start that the question is about, when it is another call. */
  readonly original: CallView | undefined;
  /** seq of the last event that was shown. */
  readonly seenSeq: number;
  readonly onSettle: (callId: string, answer: Resolve) => Promise<void>;
}

export function SettleCard({ runId, call, original, seenSeq, onSettle }: SettleCardProps) {
  const [sending, setSending] = useState<SettleAnswer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [result, setResult] = useState("");
  const [reason, setReason] = useState("");
  const titleId = useId();
  const { title, text, answers, takesResult } = questionOf(call, original);
  const settle = (outcome: SettleAnswer) => {
    setSending(outcome);
    setProblem(null);
    const answer = { outcome, seenSeq, ...typed(outcome, result, reason) };
    onSettle(call.callId, answer)
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setSending(null));
  };
  return (
    <section
      aria-labelledby={titleId}
      data-settle={call.callId}
      data-question={call.question ?? "unknown"}
      className="flex flex-col gap-2.5 rounded-lg border-2 p-3"
      style={{ borderColor: "var(--state-held)" }}
    >
      <h3 id={titleId} className="font-medium">
        {title}
      </h3>
      <p className="text-[0.8125rem] text-muted-foreground">{text}</p>
      <p className="flex flex-wrap gap-1">
        {identityParts(call.input).map((part, i) => (
          <Chip key={i}>{part}</Chip>
        ))}
      </p>
      {call.differences && <Differences differences={call.differences} />}
      <SettleEvidence runId={runId} call={call} original={original} />
      <details className="text-[0.8125rem]">
        <summary className="min-h-6 cursor-pointer text-muted-foreground">
          {takesResult ? "Add a result or a reason" : "Add a reason"}
        </summary>
        <div className="mt-1.5 flex flex-col gap-1.5">
          {takesResult && <Field name="Result, if it happened" value={result} onType={setResult} />}
          <Field name="Reason" value={reason} onType={setReason} />
        </div>
      </details>
      <div className="flex flex-wrap gap-2">
        {answers.map(({ is, word, icon: Icon }) => (
          <Button
            key={is}
            aria-disabled={sending !== null}
            onClick={() => sending === null && settle(is)}
          >
            <Icon aria-hidden className="size-4" />
            {sending === is ? "Storing…" : word}
          </Button>
        ))}
      </div>
      <p role="alert" className="text-[0.8125rem] text-danger empty:hidden">
        {problem}
      </p>
    </section>
  );
}

interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly onType: (text: string) => void;
}

function Field({ name, value, onType }: FieldProps) {
  return (
    <label className="flex flex-col gap-0.5">
      {name}
      <input
        type="text"
        value={value}
        maxLength={2_000}
        onChange={(event) => onType(event.target.value)}
        className="min-h-8 rounded-md border border-border-strong bg-background px-2 pointer-coarse:min-h-11"
      />
    </label>
  );
}

/** A result that is JSON is taken as that, anything else as a text. */
function typed(outcome: SettleAnswer, result: string, reason: string) {
  return {
    ...(outcome === "landed" && result.trim() !== "" && { result: jsonOrText(result) }),
    ...(reason.trim() !== "" && { reason: reason.trim() }),
  };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A person may write what they know in words.
    return text.trim();
  }
}

function problemOf(error: unknown): string {
  if (error instanceof ApiError && error.code === "call-settled") {
    return "Somebody answered before you, or something changed. Look again; nothing was sent.";
  }
  return error instanceof Error
    ? `${error.message} Your answer was not stored.`
    : "Your answer was not stored.";
}
