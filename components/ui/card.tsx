/** A surface that stands apart from the page. */
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

export function Card({ className, ...rest }: ComponentProps<"div">) {
  return (
    <div className={classNames("rounded-xl border border-border bg-card", className)} {...rest} />
  );
}
