/** Buttons of four weights and two sizes; every one is at least 24 px, and 44 px where the pointer is a finger. */
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

export type ButtonWeight = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "small" | "medium" | "icon";

const WEIGHTS: Record<ButtonWeight, string> = {
  primary: "bg-primary text-primary-foreground hover:bg-primary-hover",
  secondary: "border border-border-strong bg-card text-foreground hover:bg-muted",
  ghost: "text-foreground hover:bg-muted",
  danger: "border border-danger bg-card text-danger hover:bg-danger-surface",
};

const SIZES: Record<ButtonSize, string> = {
  small: "min-h-7 gap-1.5 px-2.5 text-[0.8125rem] pointer-coarse:min-h-11",
  medium: "min-h-9 gap-2 px-3.5 text-sm pointer-coarse:min-h-11",
  icon: "size-8 justify-center pointer-coarse:size-11",
};

export interface ButtonProps extends ComponentProps<"button"> {
  readonly weight?: ButtonWeight;
  readonly size?: ButtonSize;
}

/** The classes alone, for links that look like buttons. */
export function buttonClasses(weight: ButtonWeight = "secondary", size: ButtonSize = "medium") {
  return classNames(
    "inline-flex shrink-0 items-center justify-center rounded-lg font-medium select-none",
    "disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55",
    WEIGHTS[weight],
    SIZES[size],
  );
}

export function Button({ weight, size, className, type = "button", ...rest }: ButtonProps) {
  return (
    <button type={type} className={classNames(buttonClasses(weight, size), className)} {...rest} />
  );
}
