"use client";
/** All runs, newest first: filters in the URL, pages by cursor. New runs are announced and never shift the list. */
import Link from "next/link";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback, useEffect, useState } from "react";
import { listRuns, type RunRowJson } from "@/lib/client/api.ts";
import type { RunStatus } from "@/lib/core/run-record.ts";
import { Button } from "../ui/button.tsx";
import { AgeText } from "../ui/clock-text.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { formatDuration } from "../ui/time.ts";

const STATUSES = ["running", "waiting", "done", "failed", "cancelled"] as const;
const STATUS_WORDS: Record<RunStatus, string> = {
  running: "Running",
  waiting: "Waiting for you",
  done: "Done",
  failed: "Failed",
  cancelled: "Stopped",
};

/** How often the head of the list is looked at. */
const LOOK_MS = 5_000;

export function RunsList() {
  const [filter, setFilter] = useQueryStates({
    status: parseAsStringLiteral(STATUSES),
    q: parseAsString.withDefault(""),
  });
  const { runs, next, problem, isNew, reload, more } = useRunPages(filter.status, filter.q);
  return (
    <>
      <form
        role="search"
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => event.preventDefault()}
      >
        <label className="flex flex-col gap-0.5 text-xs text-muted-foreground">
          State
          <select
            value={filter.status ?? ""}
            onChange={(event) =>
              void setFilter({ status: (event.target.value || null) as RunStatus | null })
            }
            className="min-h-9 rounded-md border border-border-strong bg-card px-2 text-sm text-foreground"
          >
            <option value="">All</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {STATUS_WORDS[status]}
              </option>
            ))}
          </select>
        </label>
        <label className="flex min-w-48 flex-1 flex-col gap-0.5 text-xs text-muted-foreground">
          Words of the request
          <input
            type="search"
            value={filter.q}
            onChange={(event) => void setFilter({ q: event.target.value || null })}
            className="min-h-9 rounded-md border border-border-strong bg-card px-3 text-sm text-foreground"
          />
        </label>
        {isNew && (
          <Button size="small" onClick={reload}>
            New runs · show
          </Button>
        )}
      </form>
      <p role="alert" className="text-sm text-danger empty:hidden">
        {problem}
      </p>
      <RunRows runs={runs} isFiltered={filter.status !== null || filter.q !== ""} />
      {next !== null && (
        <Button className="self-center" onClick={more}>
          Older runs
        </Button>
      )}
    </>
  );
}

function useRunPages(status: RunStatus | null, q: string) {
  const [runs, setRuns] = useState<readonly RunRowJson[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isNew, setNew] = useState(false);
  const [round, setRound] = useState(0);
  const read = useCallback(
    (cursor?: string) =>
      listRuns({ ...(status && { status }), ...(q !== "" && { q }), ...(cursor && { cursor }) }),
    [status, q],
  );
  useEffect(() => {
    let isOver = false;
    const tell = (error: unknown) => {
      if (!isOver)
        setProblem(error instanceof Error ? error.message : "The runs could not be read.");
    };
    const first = setTimeout(() => {
      read().then((page) => {
        if (isOver) return;
        setRuns(page.runs);
        setNext(page.next);
        setNew(false);
        setProblem(null);
      }, tell);
    }, 120);
    const look = setInterval(() => {
      read().then((page) => {
        if (isOver) return;
        setProblem(null);
        setRuns((shown) => {
          if (shown === null) return page.runs;
          const fresh = new Map(page.runs.map((run) => [run.id, run]));
          if (page.runs[0] && !shown.some((run) => run.id === page.runs[0]?.id)) setNew(true);
          return shown.map((run) => fresh.get(run.id) ?? run);
        });
      }, tell);
    }, LOOK_MS);
    return () => {
      isOver = true;
      clearTimeout(first);
      clearInterval(look);
    };
  }, [read, round]);
  const more = () => {
    if (next === null) return;
    read(next).then(
      (page) => {
        setRuns((shown) => [...(shown ?? []), ...page.runs]);
        setNext(page.next);
      },
      (error: unknown) =>
        setProblem(error instanceof Error ? error.message : "No more runs could be read."),
    );
  };
  return { runs, next, problem, isNew, reload: () => setRound(round + 1), more };
}

function RunRows({
  runs,
  isFiltered,
}: {
  readonly runs: readonly RunRowJson[] | null;
  readonly isFiltered: boolean;
}) {
  if (runs === null) {
    return (
      <div className="flex flex-col gap-2" aria-busy="true" aria-label="Reading runs">
        {Array.from({ length: 6 }, (_, i) => (
          <Skeleton key={i} className="h-16" />
        ))}
      </div>
    );
  }
  if (runs.length === 0) {
    return (
      <p className="rounded-xl border border-dashed border-border p-8 text-center text-sm text-muted-foreground">
        {isFiltered ? "No run matches. Remove a filter to see more." : "No run yet. "}
        {!isFiltered && (
          <Link href="/" className="underline">
            Start one
          </Link>
        )}
      </p>
    );
  }
  return (
    <ul
      aria-label="Runs"
      className="divide-y divide-border rounded-xl border border-border bg-card"
    >
      {runs.map((run) => (
        <RunRow key={run.id} run={run} />
      ))}
    </ul>
  );
}

function RunRow({ run }: { readonly run: RunRowJson }) {
  const { counts, attempts } = run;
  const text = run.input.kind === "message" ? run.input.text : run.input.action;
  const lasted = run.endedAt === null ? null : Date.parse(run.endedAt) - Date.parse(run.createdAt);
  const numbers = [
    `${counts.effects} done`,
    `${counts.prevented} prevented`,
    `${counts.unknown} unknown`,
    `${counts.needsYou} need you`,
  ];
  return (
    <li>
      <Link
        href={`/runs/${run.id}`}
        className="flex flex-col gap-1 px-4 py-2.5 -outline-offset-2 hover:bg-muted/60"
      >
        <span className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate">{text}</span>
          <span className="shrink-0 text-[0.8125rem] font-medium">{STATUS_WORDS[run.status]}</span>
        </span>
        <span className="flex flex-wrap gap-x-4 text-xs text-muted-foreground tabular-nums">
          <span>
            {attempts} {attempts === 1 ? "attempt" : "attempts"}
          </span>
          {numbers.map((number) => (
            <span key={number}>{number}</span>
          ))}
          <span className="ml-auto">
            {lasted !== null && `${formatDuration(lasted)} · `}
            <AgeText iso={run.createdAt} />
          </span>
        </span>
      </Link>
    </li>
  );
}
