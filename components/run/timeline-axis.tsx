/** The head of the timeline: attempts as bands, and the words of each cut where it happened. */
import { Scissors } from "lucide-react";
import { CAUSE_WORDS } from "@/lib/core/describe.ts";
import type { CutLayout, RunLayout } from "@/lib/core/layout.ts";
import type { AttemptEndReason } from "@/lib/core/event.ts";
import { formatDuration } from "../ui/time.ts";
import { GUTTER } from "./timeline-row.tsx";

export function TimelineAxis({ layout }: { readonly layout: RunLayout }) {
  return (
    <div role="row" className="border-b border-border bg-muted/60 text-xs md:flex">
      <div role="columnheader" className={`${GUTTER} hidden px-3 py-1.5 font-medium md:block`}>
        What was wanted
      </div>
      <div role="columnheader" className="min-w-0 flex-1">
        <div className="relative h-7" aria-hidden>
          {layout.bands.map(({ attempt, from, to }) => (
            <span
              key={attempt.attempt}
              className="absolute inset-y-0 flex items-center overflow-hidden border-l border-border-strong pl-1.5 font-medium whitespace-nowrap"
              style={{ left: `${from}%`, width: `${Math.max(0, to - from)}%` }}
            >
              {to - from > 14 ? `Attempt ${attempt.attempt}` : attempt.attempt}
            </span>
          ))}
        </div>
        <ol className="flex flex-col gap-0.5 empty:hidden md:pb-1" aria-label="Cuts">
          {layout.cuts.map((cut) => (
            <CutLine key={cut.ended.attempt} cut={cut} />
          ))}
        </ol>
      </div>
    </div>
  );
}

function CutLine({ cut }: { readonly cut: CutLayout }) {
  const { ended, next, gapMs } = cut;
  const cause = CAUSE_WORDS[ended.endReason as AttemptEndReason] ?? "cut";
  const owners = next
    ? `${ended.owner} to ${next.owner}, fence ${ended.fence} to ${next.fence}`
    : ended.owner;
  return (
    <li
      tabIndex={0}
      title={`${ended.endDetail ?? ""} Owner ${owners}.`}
      className="flex flex-wrap items-center gap-x-1.5 px-1.5 text-muted-foreground"
    >
      <Scissors aria-hidden className="size-3.5 shrink-0" />
      <span className="font-medium text-foreground">Cut after attempt {ended.attempt}:</span>
      <span>{cause}</span>
      {gapMs !== null && next && (
        <span>
          · attempt {next.attempt} after {formatDuration(gapMs)}
        </span>
      )}
      <span className="sr-only">. Owner {owners}.</span>
    </li>
  );
}
