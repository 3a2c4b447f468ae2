"use client";
/** Where an attempt was cut, in the flow of the conversation: cause, time, and what took over after how long. */
import { Unplug } from "lucide-react";
import { memo } from "react";
import type { CutPart, ResumedPart } from "@/lib/core/chat-view.ts";
import type { AttemptReason } from "@/lib/core/event.ts";
import type { AttemptOver } from "@/lib/core/run-view.ts";
import { ClockText } from "../ui/clock-text.tsx";
import { formatDuration } from "../ui/time.ts";

const CAUSES: Record<AttemptOver, string> = {
  soft_timeout: "time budget used up",
  gateway_timeout: "gateway time-out",
  transport_error: "connection to the model lost",
  process_lost: "server process lost",
  shutdown: "server shut down",
  ledger_unreadable: "database not readable",
  settled: "settled",
  waiting: "waiting for a person",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};

export const CutDivider = memo(function CutDivider({ part }: { readonly part: CutPart }) {
  return (
    <div data-part="cut" className="py-1">
      <div aria-hidden className="torn forced:border-t forced:border-dashed" />
      <p className="flex flex-wrap items-center gap-x-1.5 py-1 text-[0.8125rem] leading-5 text-muted-foreground">
        <Unplug aria-hidden className="size-3.5 shrink-0" />
        <span className="font-medium text-foreground">Cut: {CAUSES[part.reason]}</span>
        <Dot />
        <ClockText iso={part.at} />
        <Dot />
        {part.next === undefined ? (
          <span>waiting for the next attempt</span>
        ) : (
          <span>
            attempt {part.next.attempt} started after {formatDuration(part.next.afterMs)}
          </span>
        )}
      </p>
      {part.detail !== "" && <p className="sr-only">{part.detail}</p>}
      <div aria-hidden className="torn -scale-y-100 forced:hidden" />
    </div>
  );
});

const RESUMES: Record<AttemptReason, string> = {
  first: "started",
  soft_timeout: "went on after its time budget was used up",
  gateway_timeout: "went on after a gateway time-out",
  transport_error: "went on after a lost connection",
  process_lost: "went on after the server process was lost",
  shutdown: "went on after a shutdown",
  ledger_unreadable: "went on once the database could be read",
  settled: "went on with the answer",
  manual: "resumed by hand",
};

export const ResumedDivider = memo(function ResumedDivider({
  part,
}: {
  readonly part: ResumedPart;
}) {
  return (
    <p className="flex items-center gap-2 text-[0.8125rem] text-muted-foreground">
      <span aria-hidden className="h-px flex-1 bg-border" />
      <span>
        Attempt {part.attempt} {RESUMES[part.reason]} · <ClockText iso={part.at} />
      </span>
      <span aria-hidden className="h-px flex-1 bg-border" />
    </p>
  );
});

function Dot() {
  return <span aria-hidden>·</span>;
}
