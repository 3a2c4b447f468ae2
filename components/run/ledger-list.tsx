"use client";
/** Every event of the run, by seq, each as a sentence; one that is opened shows its JSON. Only visible rows exist. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { describe } from "@/lib/core/describe.ts";
import type { RunEvent } from "@/lib/core/event.ts";
import { ClockText } from "../ui/clock-text.tsx";
import { JsonView } from "./json-view.tsx";

const ROW_PX = 32;

export interface LedgerListProps {
  readonly events: readonly RunEvent[];
  /** Grows when `events` has grown in place. */
  readonly version: number;
  readonly onSelect: (callId: string | null) => void;
}

export function LedgerList({ events, onSelect }: LedgerListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<number | null>(null);
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    useFlushSync: false,
  });
  const event = opened === null ? undefined : events.find(({ seq }) => seq === opened);
  const open = (next: RunEvent) => {
    setOpened(next.seq === opened ? null : next.seq);
    if ("callId" in next && typeof next["callId"] === "string") onSelect(next["callId"]);
  };
  return (
    <section aria-label="Ledger" className="flex flex-col gap-3">
      <div
        ref={box}
        tabIndex={0}
        className="h-[26rem] overflow-y-auto rounded-xl border border-border bg-card"
      >
        <ol
          style={{ height: rows.getTotalSize() }}
          className="relative"
          aria-label={`${events.length} events`}
        >
          {rows.getVirtualItems().map(({ index, start }) => {
            const row = events[index];
            if (!row) return null;
            return (
              <li
                key={row.seq}
                aria-setsize={events.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0"
                style={{ top: start, height: ROW_PX }}
              >
                <button
                  type="button"
                  aria-expanded={row.seq === opened}
                  onClick={() => open(row)}
                  className="flex size-full items-center gap-3 border-b border-border px-3 text-left text-[0.8125rem] -outline-offset-2 hover:bg-muted aria-expanded:bg-accent"
                >
                  <span className="w-9 shrink-0 text-right text-muted-foreground tabular-nums">
                    {row.seq}
                  </span>
                  <span className="hidden shrink-0 text-xs text-muted-foreground sm:inline">
                    <ClockText iso={row.at} />
                  </span>
                  <span className="w-24 shrink-0 truncate font-mono text-xs">{row.type}</span>
                  <span className="min-w-0 truncate">{describe(row)}</span>
                </button>
              </li>
            );
          })}
        </ol>
      </div>
      {event && <JsonView title={`Event ${event.seq}`} value={event} />}
    </section>
  );
}
