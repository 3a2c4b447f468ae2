"use client";
/** One run on a page of its own, by deep link: `?call=` opens a call. */
import Link from "next/link";
import { parseAsString, useQueryState } from "nuqs";
import { CopyButton } from "../ui/copy-button.tsx";
import { WorldPanel } from "../world/world-panel.tsx";
import { RunViewer } from "./run-viewer.tsx";
import { type KnownRun, useRun } from "./use-run.ts";

export function RunPageView({
  known,
  threadId,
}: {
  readonly known: KnownRun;
  readonly threadId: string;
}) {
  const [callId, setCallId] = useQueryState("call", parseAsString);
  const live = useRun(known);
  if (!live) return null;
  const onSelect = (next: string | null) => void setCallId(next);
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-4 text-[0.8125rem] text-muted-foreground">
        <Link href={`/threads/${threadId}`} className="underline">
          Open the conversation
        </Link>
        <CopyButton text={known.runId} what="run id" />
      </p>
      <RunViewer runId={known.runId} {...live} callId={callId} onSelect={onSelect} />
      <WorldPanel runId={known.runId} run={live.snapshot.run} />
    </>
  );
}
