"use client";
/** What the demo world really received, beside what the model asked for: asked n, happened m. */
import { Globe } from "lucide-react";
import { useEffect, useState } from "react";
import { listEffects } from "@/lib/client/api.ts";
import { identityParts, words } from "@/lib/core/describe.ts";
import type { Effect } from "@/lib/core/run-record.ts";
import type { RunState } from "@/lib/core/run-view.ts";
import { ClockText } from "../ui/clock-text.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

/** Between two looks while the run is at work. */
const LOOK_MS = 2_000;

export function WorldPanel({ runId, run }: { readonly runId: string; readonly run: RunState }) {
  const isActive = run.phase === "running" || run.phase === "resuming" || run.phase === "queued";
  const { effects, isUnreachable } = useEffects(
    runId,
    `${run.counts.effects} ${run.calls.length} ${run.phase}`,
    isActive,
  );
  const asked = run.counts.asked;
  const happened = effects?.length ?? null;
  return (
    <section
      aria-label="World"
      data-testid="world"
      data-happened={happened ?? ""}
      className="rounded-xl border border-border bg-card"
    >
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-border px-4 py-2.5">
        <h2 className="flex items-center gap-2 text-sm font-semibold">
          <Globe aria-hidden className="size-4" /> World
        </h2>
        <p className="text-sm tabular-nums">
          Asked <strong data-testid="asked">{asked}</strong> · Happened{" "}
          <strong data-testid="happened">{happened ?? "…"}</strong>
        </p>
        <p className="ml-auto text-xs text-muted-foreground">
          {isUnreachable
            ? "The server can't be reached; this may be old."
            : "What was really received"}
        </p>
      </header>
      <EffectList effects={effects} />
    </section>
  );
}

function EffectList({ effects }: { readonly effects: readonly Effect[] | null }) {
  if (effects === null) return <p className="px-4 py-3 text-sm text-muted-foreground">Looking…</p>;
  if (effects.length === 0) {
    return (
      <p className="px-4 py-3 text-sm text-muted-foreground">Nothing has reached the world yet.</p>
    );
  }
  return (
    <ul aria-label="Effects">
      {effects.map((effect) => (
        <li
          key={effect.id}
          data-effect={effect.action}
          className="flex flex-wrap items-center gap-x-3 border-b border-border px-4 py-1.5 text-[0.8125rem] last:border-b-0"
        >
          <span className="font-medium">{words(effect.action)}</span>
          <span className="min-w-0 flex-1 truncate text-muted-foreground">
            {identityParts(effect.input).join(" · ")}
          </span>
          <CopyButton
            text={effect.idempotencyKey}
            what="idempotency key"
            shown={effect.idempotencyKey.split(":").at(-1) ?? effect.idempotencyKey}
          />
          <span className="text-xs text-muted-foreground">
            <ClockText iso={effect.at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Asks the world when the run has moved, and every two seconds while it is at work. */
function useEffects(runId: string, change: string, isActive: boolean) {
  const [effects, setEffects] = useState<readonly Effect[] | null>(null);
  const [isUnreachable, setUnreachable] = useState(false);
  useEffect(() => {
    let isOver = false;
    const look = () =>
      listEffects(runId).then(
        (answer) => {
          if (isOver) return;
          setEffects(answer.effects);
          setUnreachable(false);
        },
        () => {
          if (!isOver) setUnreachable(true);
        },
      );
    void look();
    const timer = setInterval(() => void look(), isActive ? LOOK_MS : LOOK_MS * 5);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [runId, change, isActive]);
  return { effects, isUnreachable };
}
