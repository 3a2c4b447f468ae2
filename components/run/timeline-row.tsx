"use client";
/** One row of the timeline: what was wanted, and a bar for every time it was asked for. */
import { ShieldCheck } from "lucide-react";
import { type CSSProperties, memo } from "react";
import { identityParts, words } from "@/lib/core/describe.ts";
import type { BarLayout, RunLayout } from "@/lib/core/layout.ts";
import type { IntentView } from "@/lib/core/run-view.ts";
import { classNames } from "../ui/class-names.ts";
import { CutMarks } from "./cut-marks.tsx";
import { STATE_STYLE } from "./state-style.ts";

/** Width of the names on a wide screen. */
export const GUTTER = "w-full md:w-56 md:shrink-0";

export interface TimelineRowProps {
  readonly intent: IntentView;
  readonly layout: RunLayout;
  readonly index: number;
  readonly sentence: string;
  readonly isFocusable: boolean;
  readonly isSelected: boolean;
  readonly onFocus: () => void;
  readonly onSelect: (callId: string | null) => void;
}

export const TimelineRow = memo(function TimelineRow(props: TimelineRowProps) {
  const { intent, layout, index, sentence, isFocusable, isSelected } = props;
  const bars = layout.rows[index]?.bars ?? [];
  const { icon: Icon, word, fill } = STATE_STYLE[intent.state];
  const last = intent.calls.at(-1)?.callId ?? null;
  return (
    <div
      role="row"
      aria-level={1}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      aria-label={sentence}
      data-row={index}
      data-intent={intent.key}
      data-state={intent.state}
      tabIndex={isFocusable ? 0 : -1}
      onFocus={props.onFocus}
      onClick={() => props.onSelect(isSelected ? null : last)}
      className={classNames(
        "cursor-pointer border-b border-border -outline-offset-2 last:border-b-0 hover:bg-muted/50 md:flex",
        isSelected && "bg-accent hover:bg-accent",
      )}
    >
      <div role="gridcell" className={`${GUTTER} flex items-start gap-2 px-3 pt-1.5 md:py-2`}>
        <Icon
          aria-hidden
          className={classNames(
            "mt-0.5 size-4 shrink-0",
            intent.state === "running" && "spin-slow",
          )}
          style={{ color: fill }}
        />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2 text-[0.8125rem] leading-5">
            <span className={intent.kind === "read" ? "" : "font-medium"}>
              {words(intent.tool)}
            </span>
            <span className="text-xs text-muted-foreground">{word}</span>
          </p>
          <p className="truncate text-xs text-muted-foreground">
            {identityParts(intent.input).join(" · ")}
          </p>
        </div>
      </div>
      <div
        role="gridcell"
        aria-hidden
        className="relative mx-3 h-6 min-w-0 flex-1 overflow-hidden md:mx-0 md:h-auto md:min-h-12 md:border-l md:border-border"
      >
        <CutMarks layout={layout} />
        {bars.map((bar) => (
          <Bar key={`${bar.call.callId} ${bar.from}`} bar={bar} />
        ))}
      </div>
    </div>
  );
});

function Bar({ bar }: { readonly bar: BarLayout }) {
  const { call, from, to, linkTo } = bar;
  const { pattern, fill, word } = STATE_STYLE[call.state];
  const style = { left: `${from}%`, width: `${to - from}%`, "--fill": fill } as CSSProperties;
  return (
    <>
      {linkTo !== undefined && (
        <span
          className="absolute top-1/2 h-px border-t border-dashed"
          style={{ left: `${linkTo}%`, width: `${from - linkTo}%`, borderColor: fill }}
        />
      )}
      <span
        className="bar"
        data-pattern={pattern}
        title={`${word} · attempt ${call.attempt}`}
        style={style}
      />
      {call.state === "blocked" && (
        <ShieldCheck
          className="absolute top-1/2 size-4 -translate-y-1/2 bg-card"
          style={{ left: `calc(${to}% + 1px)`, color: fill }}
        />
      )}
    </>
  );
}
