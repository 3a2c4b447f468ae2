/** Where attempts were cut: a torn line through every row. */
import type { RunLayout } from "@/lib/core/layout.ts";

export function CutMarks({ layout }: { readonly layout: RunLayout }) {
  return layout.cuts.map((cut) => (
    <span
      key={cut.ended.attempt}
      aria-hidden
      className="torn-line absolute inset-y-0 w-[9px] -translate-x-1/2"
      style={{ left: `${cut.at}%` }}
    />
  ));
}
