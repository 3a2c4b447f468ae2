"use client";
/**
 * The timeline: one row per intent, attempts as bands, cuts as torn lines with their cause. The bars are for the
 * eye; each row carries a sentence. One tab stop, arrows and J/K move, Enter opens, Esc closes.
 */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { describeIntent } from "@/lib/core/describe.ts";
import { layoutRun, ORDER_MARKS_MAX, type Scale } from "@/lib/core/layout.ts";
import type { RunState } from "@/lib/core/run-view.ts";
import { Button } from "../ui/button.tsx";
import { useNow } from "../ui/clock-text.tsx";
import { Legend } from "./state-mark.tsx";
import { TimelineAxis } from "./timeline-axis.tsx";
import { TimelineRow } from "./timeline-row.tsx";

export interface Selection {
  readonly callId: string | null;
  readonly onSelect: (callId: string | null) => void;
}

export function Timeline({ run, callId, onSelect }: { readonly run: RunState } & Selection) {
  const now = useNow();
  const hintId = useId();
  const [chosenScale, setScale] = useState<Scale | null>(null);
  const scale = chosenScale ?? (run.marks.length <= ORDER_MARKS_MAX ? "order" : "time");
  const nowMs = scale === "time" ? now : 0;
  const layout = useMemo(() => layoutRun(run, { scale, nowMs }), [run, scale, nowMs]);
  const grid = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const rowCount = run.intents.length;

  const move = (to: number) => {
    const row = Math.min(Math.max(0, to), rowCount - 1);
    setFocused(row);
    grid.current?.querySelector<HTMLElement>(`[data-row="${row}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
    const step = steps[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step !== undefined) move(focused + step);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(rowCount - 1);
    else if (event.key === "Enter" || event.key === " ") {
      onSelect(run.intents[focused]?.calls.at(-1)?.callId ?? null);
    } else if (event.key === "Escape") onSelect(null);
    else return;
    event.preventDefault();
  };

  if (rowCount === 0) return <EmptyTimeline run={run} />;
  return (
    <section aria-label="Timeline" className="flex flex-col gap-3">
      <div
        ref={grid}
        role="treegrid"
        aria-label="Calls of the run, one row for each thing that was wanted"
        aria-describedby={hintId}
        aria-rowcount={rowCount}
        onKeyDown={onKeyDown}
        className="overflow-hidden rounded-xl border border-border bg-card"
      >
        <TimelineAxis layout={layout} />
        {run.intents.map((intent, i) => (
          <TimelineRow
            key={intent.key}
            intent={intent}
            layout={layout}
            index={i}
            sentence={describeIntent(intent)}
            isFocusable={i === Math.min(focused, rowCount - 1)}
            isSelected={intent.calls.some((call) => call.callId === callId)}
            onFocus={() => setFocused(i)}
            onSelect={onSelect}
          />
        ))}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Legend />
        <ScaleSwitch scale={scale} onChange={setScale} />
      </div>
      <p id={hintId} className="sr-only">
        Arrow keys or J and K move between rows, Enter opens the details, Escape closes them.
      </p>
    </section>
  );
}

function ScaleSwitch({
  scale,
  onChange,
}: {
  readonly scale: Scale;
  readonly onChange: (scale: Scale) => void;
}) {
  return (
    <div role="group" aria-label="Scale" className="flex gap-1">
      {(["order", "time"] as const).map((option) => (
        <Button
          key={option}
          size="small"
          weight={scale === option ? "secondary" : "ghost"}
          aria-pressed={scale === option}
          onClick={() => onChange(option)}
        >
          {option === "order" ? "By order" : "By time"}
        </Button>
      ))}
    </div>
  );
}

function EmptyTimeline({ run }: { readonly run: RunState }) {
  const isLive = run.phase === "queued" || run.phase === "running" || run.phase === "resuming";
  return (
    <p className="rounded-xl border border-dashed border-border p-6 text-center text-sm text-muted-foreground">
      {isLive
        ? "No call yet. Each one gets a row here as it is asked for."
        : "This run asked for no call."}
    </p>
  );
}
