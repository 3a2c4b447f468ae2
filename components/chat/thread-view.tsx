"use client";
/**
 * A conversation beside its live run, with one selection for both. Only the newest run is streamed; earlier ones
 * are on record and shown from it.
 */
import { MessageSquare, Route, ScrollText } from "lucide-react";
import dynamic from "next/dynamic";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import * as api from "@/lib/client/api.ts";
import { foldChatAll, initialChatState } from "@/lib/core/chat.ts";
import { foldRunAll, initialRunState } from "@/lib/core/run.ts";
import type { LabPlan } from "../lab/lab-panel.tsx";
import { RunViewer } from "../run/run-viewer.tsx";
import { type KnownRun, useRun } from "../run/use-run.ts";
import { SplitPane } from "../ui/split-pane.tsx";
import { panelId, Tabs } from "../ui/tabs.tsx";
import { WorldPanel } from "../world/world-panel.tsx";
import { ChatPane, type PastRun } from "./chat-pane.tsx";
import type { Outgoing } from "./composer.tsx";

const LabPanel = dynamic(() => import("../lab/lab-panel.tsx"), { ssr: false });

export interface ThreadViewProps {
  readonly threadId: string;
  /** Oldest first. */
  readonly runs: readonly KnownRun[];
  readonly isLab: boolean;
}

type Pane = "chat" | "run" | "ledger";

const PANES = [
  { id: "chat", label: "Chat", icon: <MessageSquare aria-hidden className="size-4" /> },
  { id: "run", label: "Run", icon: <Route aria-hidden className="size-4" /> },
  { id: "ledger", label: "Ledger", icon: <ScrollText aria-hidden className="size-4" /> },
] as const;

export function ThreadView({ threadId, runs, isLab }: ThreadViewProps) {
  const [current, setCurrent] = useState<KnownRun | null>(runs.at(-1) ?? null);
  const [past, setPast] = useState<readonly PastRun[]>(() => runs.slice(0, -1).map(pastOf));
  const [plan, setPlan] = useState<LabPlan>({ temper: "heeds", faults: [] });
  const [callId, setCallId] = useQueryState("call", parseAsString);
  const [pane, setPane] = useState<Pane>("chat");
  const live = useRun(current);
  const onSelect = (next: string | null) => void setCallId(next);

  const send = async ({ text, clientToken }: Outgoing) => {
    const faults = plan.faults.length > 0 ? { faults: plan.faults } : {};
    const model = { temper: plan.temper };
    const { runId } = await api.sendMessage(threadId, { text, clientToken, model, ...faults });
    if (runId === current?.runId) return;
    if (live && current) {
      const { run, chat } = live.snapshot;
      setPast([...past, { runId: current.runId, run, chat }]);
    }
    setPlan({ ...plan, faults: [] });
    onSelect(null);
    setCurrent({ runId, events: [], head: 0 });
  };

  const needsYou = live && live.snapshot.run.counts.needsYou > 0 ? "a call needs you" : undefined;
  const isActive = live !== null && isAtWork(live.snapshot.run.phase);
  const selection = { callId, onSelect };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Tabs
        name="pane"
        label="Parts of the page"
        items={PANES.map((item) => ({ ...item, alert: item.id === "chat" ? needsYou : undefined }))}
        selected={pane}
        onSelect={setPane}
        className="order-last border-t border-border bg-card md:order-none md:border-t-0 md:border-b wide:hidden"
      />
      <SplitPane
        name="thread"
        label="Width of the chat"
        firstMin={380}
        secondMin={480}
        className="flex min-h-0 flex-1 flex-col wide:grid wide:grid-cols-[calc(var(--share,0.44)*100%)_9px_minmax(0,1fr)]"
        dividerClassName="hidden cursor-col-resize border-x border-border bg-muted touch-none hover:bg-accent wide:block"
        first={
          <div
            id={panelId("pane", "chat")}
            className={`min-h-0 flex-1 flex-col ${pane === "chat" ? "flex" : "hidden wide:flex"}`}
          >
            <ChatPane
              {...{ threadId, past, live, current, isActive, ...selection }}
              onSend={send}
            />
          </div>
        }
        second={
          <div
            id={panelId("pane", pane === "ledger" ? "ledger" : "run")}
            className={`min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4 ${pane === "chat" ? "hidden wide:flex" : "flex"}`}
          >
            {live && current ? (
              <>
                <RunViewer
                  key={current.runId}
                  runId={current.runId}
                  {...live}
                  {...selection}
                  {...(pane === "ledger" && { view: "ledger" })}
                />
                <WorldPanel runId={current.runId} run={live.snapshot.run} />
              </>
            ) : (
              <NoRunYet />
            )}
            {isLab && (
              <LabPanel
                plan={plan}
                onChange={setPlan}
                activeRunId={
                  live?.snapshot.run.phase === "running" ? (current?.runId ?? null) : null
                }
              />
            )}
          </div>
        }
      />
    </div>
  );
}

export function isAtWork(phase: string): boolean {
  return phase === "queued" || phase === "running" || phase === "resuming" || phase === "waiting";
}

function pastOf({ runId, events }: KnownRun): PastRun {
  return {
    runId,
    run: foldRunAll(initialRunState(), events),
    chat: foldChatAll(initialChatState(), events),
  };
}

function NoRunYet() {
  return (
    <p className="rounded-xl border border-dashed border-border p-8 text-center text-sm text-muted-foreground">
      Send a message: its run is drawn here while it happens, call by call.
    </p>
  );
}
