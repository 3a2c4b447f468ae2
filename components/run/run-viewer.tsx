"use client";
/** A run as it is on record, live: header, timeline, ledger and notes, and the details of what is selected. */
import { useEffect, useRef, useState } from "react";
import * as api from "@/lib/client/api.ts";
import type { RunSnapshot, RunStore } from "@/lib/client/run-store.ts";
import { Button } from "../ui/button.tsx";
import { panelId, tabId, Tabs } from "../ui/tabs.tsx";
import { AttemptNotes } from "./attempt-notes.tsx";
import { ConnectionPill } from "./connection-pill.tsx";
import { Inspector } from "./inspector.tsx";
import { LedgerList } from "./ledger-list.tsx";
import { RunHeader } from "./run-header.tsx";
import { Timeline, type Selection } from "./timeline.tsx";

const VIEWS = [
  { id: "timeline", label: "Timeline" },
  { id: "ledger", label: "Ledger" },
  { id: "notes", label: "Notes" },
] as const;
export type RunView = (typeof VIEWS)[number]["id"];

export interface RunViewerProps extends Selection {
  readonly runId: string;
  readonly store: RunStore;
  readonly snapshot: RunSnapshot;
  /** Set where the page itself chooses the view, as on a phone. */
  readonly view?: RunView;
}

export function RunViewer({
  runId,
  store,
  snapshot,
  callId,
  onSelect,
  view: given,
}: RunViewerProps) {
  const [chosen, setChosen] = useState<RunView>("timeline");
  const view = given ?? chosen;
  const { run, events, version } = snapshot;
  const settle = async (settledId: string, answer: api.Resolve) => {
    await api.resolveCall(runId, settledId, answer);
    store.retryNow();
  };
  return (
    <div className="flex flex-col gap-4" data-testid="run-viewer" data-last-seq={run.lastSeq}>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <RunHeader run={run} owner={snapshot.owner} />
        <div className="flex items-center gap-2">
          <ConnectionPill
            connection={snapshot.connection}
            onRetry={() => store.retryNow()}
            onGoLive={() => store.goLive()}
          />
          {snapshot.connection.kind === "live" && (
            <Button size="small" weight="ghost" onClick={() => store.pause()}>
              Pause
            </Button>
          )}
        </div>
      </div>
      {given === undefined && (
        <Tabs
          name="run"
          label="Views of the run"
          items={VIEWS}
          selected={view}
          onSelect={setChosen}
          className="border-b border-border"
        />
      )}
      <div
        role="tabpanel"
        id={panelId("run", view)}
        aria-labelledby={given === undefined ? tabId("run", view) : undefined}
      >
        {view === "timeline" && <Timeline run={run} callId={callId} onSelect={onSelect} />}
        {view === "ledger" && <LedgerList events={events} version={version} onSelect={onSelect} />}
        {view === "notes" && <AttemptNotes attempts={run.attempts} />}
      </div>
      {callId !== null && (
        <Inspector {...{ runId, run, events, callId, onSelect }} onSettle={settle} />
      )}
      <Announcer snapshot={snapshot} />
    </div>
  );
}

/** One polite region: changes of the run in words, at most one message in two seconds. */
function Announcer({ snapshot }: { readonly snapshot: RunSnapshot }) {
  const { counts, phase } = snapshot.run;
  const message = [
    phase === "waiting" ? "The run waits for you." : `The run is ${phase}.`,
    counts.prevented > 0 ? `${counts.prevented} repeats prevented.` : "",
    counts.needsYou > 0 ? `${counts.needsYou} calls need you.` : "",
  ].join(" ");
  const [said, setSaid] = useState("");
  const latest = useRef(message);
  useEffect(() => {
    latest.current = message;
    const timer = setTimeout(() => setSaid(latest.current), 2_000);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {said}
    </p>
  );
}
