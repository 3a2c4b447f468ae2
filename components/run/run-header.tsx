"use client";
/** The run in one line and four numbers: what happened, what was prevented, what is unknown, what needs a person. */
import { CircleCheck, CircleQuestionMark, Hand, type LucideIcon, ShieldCheck } from "lucide-react";
import type { OwnerFrame } from "@/lib/client/run-stream.ts";
import type { RunPhase, RunState } from "@/lib/core/run-view.ts";
import { formatDuration } from "../ui/time.ts";
import { useNow } from "../ui/clock-text.tsx";

const PHASE_WORDS: Record<RunPhase, string> = {
  queued: "Queued",
  running: "Running",
  resuming: "Resuming",
  waiting: "Waiting for you",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

export function RunHeader({
  run,
  owner,
}: {
  readonly run: RunState;
  readonly owner: OwnerFrame | null;
}) {
  const { counts } = run;
  const now = useNow();
  const attempts = run.attempts.length;
  return (
    <div className="flex flex-wrap items-end gap-x-5 gap-y-2">
      <div className="min-w-32">
        <p className="text-xs text-muted-foreground">Run</p>
        <p className="font-semibold" data-testid="run-phase" data-phase={run.phase}>
          {phaseWords(run, owner)}
        </p>
        <p className="text-xs text-muted-foreground tabular-nums">
          {attempts} {attempts === 1 ? "attempt" : "attempts"} · {elapsedOf(run, now)}
        </p>
      </div>
      <dl aria-label="The four numbers" className="flex flex-wrap gap-x-5 gap-y-2">
        <Figure icon={CircleCheck} fill="completed" name="Effects done" value={counts.effects} />
        <Figure
          icon={ShieldCheck}
          fill="blocked"
          name="Repeats prevented"
          value={counts.prevented}
        />
        <Figure
          icon={CircleQuestionMark}
          fill="interrupted"
          name="Unknown"
          value={counts.unknown}
        />
        <Figure icon={Hand} fill="held" name="Needs you" value={counts.needsYou} />
      </dl>
    </div>
  );
}

/** A run that nobody drives although it should be driven is never shown as running. */
function phaseWords(run: RunState, owner: OwnerFrame | null): string {
  const isStalled = run.phase === "running" && owner?.owner != null && owner.leaseMs <= 0;
  return isStalled ? "Stalled: its owner is gone" : PHASE_WORDS[run.phase];
}

function elapsedOf({ startedAt, endedAt, phase, lastAt }: RunState, now: number): string {
  if (startedAt === null) return "0 ms";
  const isLive = phase === "running" || phase === "resuming";
  const end = endedAt ?? (isLive ? null : lastAt);
  const until = end === null ? Math.max(now, Date.parse(lastAt ?? startedAt)) : Date.parse(end);
  return formatDuration(until - Date.parse(startedAt));
}

interface FigureProps {
  readonly icon: LucideIcon;
  readonly fill: string;
  readonly name: string;
  readonly value: number;
}

function Figure({ icon: Icon, fill, name, value }: FigureProps) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-muted-foreground">{name}</dt>
      <dd
        className="flex items-center gap-1.5 text-xl leading-6 font-semibold tabular-nums"
        data-figure={name}
      >
        <Icon aria-hidden className="size-4" style={{ color: `var(--state-${fill})` }} />
        {value}
      </dd>
    </div>
  );
}
