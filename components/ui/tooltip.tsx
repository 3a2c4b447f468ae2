"use client";
/** More about something, on hover and on focus; Esc hides it. The text is its description for screen readers. */
import { useId, useState, type ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface TooltipProps {
  readonly text: string;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Tooltip({ text, children, className }: TooltipProps) {
  const id = useId();
  const [hidden, setHidden] = useState(false);
  return (
    <span
      className={classNames("group/tip relative inline-flex", className)}
      onKeyDown={(event) => event.key === "Escape" && setHidden(true)}
      onMouseEnter={() => setHidden(false)}
      onFocus={() => setHidden(false)}
    >
      <span tabIndex={0} aria-describedby={id} className="inline-flex rounded">
        {children}
      </span>
      <span
        role="tooltip"
        id={id}
        className={classNames(
          "pointer-events-none invisible absolute bottom-full left-1/2 z-30 mb-1.5 w-max max-w-64 -translate-x-1/2 rounded-md border border-border bg-raised px-2 py-1 text-xs text-foreground shadow-raised",
          !hidden && "group-focus-within/tip:visible group-hover/tip:visible",
        )}
      >
        {text}
      </span>
    </span>
  );
}
