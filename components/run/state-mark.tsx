/** A state as icon and word, with its colour beside them and never alone. */
import type { CSSProperties } from "react";
import type { CallState } from "@/lib/core/run-view.ts";
import { classNames } from "../ui/class-names.ts";
import { LEGEND, STATE_STYLE } from "./state-style.ts";

export function StateMark({
  state,
  wordClass,
}: {
  readonly state: CallState;
  readonly wordClass?: string;
}) {
  const { icon: Icon, word, fill } = STATE_STYLE[state];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap" data-state={state}>
      <Icon
        aria-hidden
        className={classNames("size-4 shrink-0", state === "running" && "spin-slow")}
        style={{ color: fill }}
      />
      <span className={wordClass}>{word}</span>
    </span>
  );
}

/** What the patterns mean, made from the table that draws them. */
export function Legend() {
  return (
    <ul
      aria-label="Legend"
      className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted-foreground"
    >
      {LEGEND.map((state) => (
        <li key={state} className="flex items-center gap-2">
          <span aria-hidden className="relative inline-block h-4 w-7">
            <span
              className="bar inset-x-0"
              data-pattern={STATE_STYLE[state].pattern}
              style={{ "--fill": STATE_STYLE[state].fill } as CSSProperties}
            />
          </span>
          {STATE_STYLE[state].word}
        </li>
      ))}
    </ul>
  );
}
