/** A placeholder of the real row's height; it appears only after 300 ms. */
import { classNames } from "./class-names.ts";

export function Skeleton({ className }: { readonly className?: string }) {
  return <div aria-hidden className={classNames("appear-late rounded-md bg-muted", className)} />;
}
