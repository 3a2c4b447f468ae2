"use client";
/** One call in the conversation: what, with which arguments, and what became of it. Closed unless it matters now. */
import { ChevronRight } from "lucide-react";
import { memo, useState } from "react";
import type { Resolve } from "@/lib/client/api.ts";
import { identityParts, words } from "@/lib/core/describe.ts";
import type { CallView } from "@/lib/core/run-view.ts";
import { JsonView } from "../run/json-view.tsx";
import { SettleCard } from "../run/settle-card.tsx";
import { StateMark } from "../run/state-mark.tsx";
import { STATE_STYLE } from "../run/state-style.ts";
import { Chip } from "../ui/chip.tsx";
import { classNames } from "../ui/class-names.ts";
import { formatDuration } from "../ui/time.ts";

export interface CallCardProps {
  readonly runId: string;
  readonly call: CallView;
  readonly original: CallView | undefined;
  readonly isSelected: boolean;
  readonly seenSeq: number;
  /** false while an attempt is at work: then nothing can be settled. */
  readonly canSettle: boolean;
  readonly onSelect: (callId: string | null) => void;
  readonly onSettle: (callId: string, answer: Resolve) => Promise<void>;
}

export const CallCard = memo(function CallCard(props: CallCardProps) {
  const { call, original, isSelected, onSelect } = props;
  const [toggled, setToggled] = useState<boolean | null>(null);
  const isOpen = toggled ?? call.state === "failed";
  const asks =
    props.canSettle &&
    call.behind === undefined &&
    (call.state === "held" || call.state === "interrupted");
  const toggle = () => {
    setToggled(!isOpen);
    onSelect(isOpen && isSelected ? null : call.callId);
  };
  return (
    <article
      data-call={call.callId}
      data-state={call.state}
      aria-label={`${words(call.tool)}: ${STATE_STYLE[call.state].word}`}
      className={classNames(
        "overflow-hidden rounded-lg border border-border bg-card",
        call.kind !== "read" && "border-l-[3px]",
        isSelected && "ring-2 ring-accent-border",
      )}
      style={call.kind === "read" ? undefined : { borderLeftColor: STATE_STYLE[call.state].fill }}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={toggle}
        className={classNames(
          "flex w-full flex-wrap items-center gap-x-2 gap-y-1 px-3 text-left -outline-offset-2 hover:bg-muted/60 pointer-coarse:min-h-11",
          call.kind === "read" ? "min-h-8 py-1 text-[0.8125rem]" : "min-h-10 py-1.5 text-sm",
        )}
      >
        <ChevronRight
          aria-hidden
          className={classNames("size-3.5 shrink-0 text-muted-foreground", isOpen && "rotate-90")}
        />
        <span className="font-medium">{words(call.tool)}</span>
        {identityParts(call.input).map((part, i) => (
          <Chip key={i} className="max-w-48">
            <span className="truncate">{part}</span>
          </Chip>
        ))}
        <span className="ml-auto flex items-center gap-2 text-[0.8125rem]">
          <StateMark state={call.state} />
          <Duration call={call} />
        </span>
      </button>
      {call.state === "blocked" && original && (
        <BlockedLine original={original} ignored={call.ignored ?? []} onSelect={onSelect} />
      )}
      {call.behind !== undefined && call.state === "held" && (
        <p className="border-t border-border px-3 py-1.5 text-[0.8125rem] text-muted-foreground">
          Asked again: it waits behind the same call above.
        </p>
      )}
      {asks && (
        <div className="border-t border-border p-3">
          <SettleCard
            runId={props.runId}
            call={call}
            original={original}
            seenSeq={props.seenSeq}
            onSettle={props.onSettle}
          />
        </div>
      )}
      {isOpen && (
        <div className="flex flex-col gap-3 border-t border-border p-3">
          <JsonView title="Input" value={call.input} />
          {call.result !== undefined && <JsonView title="Result" value={call.result} />}
        </div>
      )}
    </article>
  );
});

function BlockedLine({
  original,
  ignored,
  onSelect,
}: {
  readonly original: CallView;
  /** Fields that differ and do not count. */
  readonly ignored: readonly string[];
  readonly onSelect: (callId: string) => void;
}) {
  return (
    <p className="border-t border-border px-3 py-1.5 text-[0.8125rem] text-muted-foreground">
      Not run again — already done in attempt {original.attempt}.{" "}
      {ignored.length > 0 &&
        `${ignored.join(", ")} ${ignored.length === 1 ? "does" : "do"} not count. `}
      <button
        type="button"
        className="min-h-6 underline underline-offset-2"
        onClick={() => onSelect(original.callId)}
      >
        Show original
      </button>
    </p>
  );
}

function Duration({ call }: { readonly call: CallView }) {
  if (call.startedAt === undefined || call.endedAt === undefined || call.state === "held")
    return null;
  const ms = Date.parse(call.endedAt) - Date.parse(call.startedAt);
  return <span className="text-xs text-muted-foreground tabular-nums">{formatDuration(ms)}</span>;
}
