/** A short fact in a pill: an argument, a count, a mark. Text is neutral; a tint is only a background. */
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface ChipProps {
  readonly children: ReactNode;
  readonly className?: string;
  readonly title?: string;
}

export function Chip({ children, className, title }: ChipProps) {
  return (
    <span
      title={title}
      className={classNames(
        "inline-flex max-w-full min-w-0 items-center gap-1 rounded-md bg-muted px-1.5 py-px text-xs leading-5 text-foreground",
        className,
      )}
    >
      {children}
    </span>
  );
}
