"use client";
/** The messages of one run: the person's, and the agent's parts in the order of the ledger. */
import { memo } from "react";
import type { Resolve } from "@/lib/client/api.ts";
import type { ChatMessage, ChatPart, ChatState } from "@/lib/core/chat.ts";
import { findCall, findStart } from "@/lib/core/intent-rows.ts";
import type { RunState } from "@/lib/core/run-view.ts";
import { ResumePreview } from "../run/resume-preview.tsx";
import { Button } from "../ui/button.tsx";
import { CallCard } from "./call-card.tsx";
import { CutDivider, ResumedDivider } from "./cut-divider.tsx";
import { TextBlock } from "./text-block.tsx";

export interface RunMessagesProps {
  readonly runId: string;
  readonly run: RunState;
  readonly chat: ChatState;
  readonly callId: string | null;
  readonly onSelect: (callId: string | null) => void;
  readonly onSettle: (callId: string, answer: Resolve) => Promise<void>;
  readonly onResume: () => void;
}

export function RunMessages(props: RunMessagesProps) {
  return props.chat.messages.map((message) => (
    <Message key={message.key} message={message} {...props} />
  ));
}

function Message({ message, ...props }: RunMessagesProps & { readonly message: ChatMessage }) {
  if (message.role === "user") {
    const text = message.parts.map((part) => ("text" in part ? part.text : "")).join("");
    return (
      <div className="flex justify-end" data-role="user">
        <p className="max-w-[85%] rounded-2xl rounded-br-md bg-primary px-3.5 py-2 whitespace-pre-wrap text-primary-foreground [overflow-wrap:anywhere]">
          {text}
        </p>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-2.5" data-role="assistant">
      {message.parts.map((part) => (
        <Part key={part.key} part={part} {...props} />
      ))}
    </div>
  );
}

const Part = memo(function Part({
  part,
  ...props
}: RunMessagesProps & { readonly part: ChatPart }) {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return <TextBlock part={part} />;
    case "call":
      return <Call {...props} callId={part.callId} selected={props.callId} />;
    case "cut":
      return <CutDivider part={part} />;
    case "resumed":
      return <ResumedDivider part={part} />;
    case "waiting":
      return part.over ? null : (
        <p className="text-[0.8125rem] font-medium">The run waits for your answer above.</p>
      );
    case "failure":
      return (
        <Failure
          part={part}
          runId={props.runId}
          seenSeq={props.run.lastSeq}
          onResume={props.onResume}
        />
      );
    case "cancelled":
      return (
        <p className="text-[0.8125rem] text-muted-foreground">Stopped. What completed is kept.</p>
      );
    case "stopped":
      return (
        <p className="text-[0.8125rem]">
          Stopped by {part.processor}: {part.reason}
        </p>
      );
  }
});

function Call({
  runId,
  callId,
  selected,
  run,
  onSelect,
  onSettle,
}: Omit<RunMessagesProps, "callId"> & {
  readonly callId: string;
  readonly selected: string | null;
}) {
  const call = findCall(run, callId);
  if (!call) return null;
  const canSettle =
    run.phase === "waiting" ||
    run.phase === "failed" ||
    run.phase === "cancelled" ||
    run.phase === "done";
  return (
    <CallCard
      runId={runId}
      call={call}
      original={findStart(run, call.originalSeq)}
      isSelected={selected === callId}
      seenSeq={canSettle ? run.lastSeq : 0}
      canSettle={canSettle && (call.state !== "interrupted" || !isAskedAgain(run, call.startSeq))}
      onSelect={onSelect}
      onSettle={onSettle}
    />
  );
}

/** A call that is held because of this one carries the question. */
function isAskedAgain(run: RunState, startSeq: number | undefined): boolean {
  return run.calls.some(
    (call) => call.originalSeq === startSeq && call.state === "held" && call.question === "unknown",
  );
}

function Failure({
  part,
  runId,
  seenSeq,
  onResume,
}: {
  readonly runId: string;
  readonly seenSeq: number;
  readonly part: Extract<ChatPart, { kind: "failure" }>;
  readonly onResume: () => void;
}) {
  if (part.over) return null;
  return (
    <div
      className="flex flex-col gap-2 rounded-lg border border-danger bg-danger-surface p-3"
      role="alert"
    >
      <p className="font-medium">{part.message}</p>
      {part.resumable ? (
        <div className="flex flex-wrap items-center gap-3">
          <Button weight="primary" onClick={onResume}>
            Resume
          </Button>
          <p className="text-[0.8125rem] text-muted-foreground">
            The same run goes on. What completed is reused, not done again.
          </p>
          <ResumePreview runId={runId} seenSeq={seenSeq} />
        </div>
      ) : (
        <p className="text-[0.8125rem] text-muted-foreground">
          This run can&apos;t go on. What completed is kept.
        </p>
      )}
    </div>
  );
}
