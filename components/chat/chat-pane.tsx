"use client";
/** The conversation: earlier runs, the newest one live, and the composer. Follows the end while the reader is there. */
import { ArrowDown } from "lucide-react";
import Link from "next/link";
import { useEffect, useState } from "react";
import * as api from "@/lib/client/api.ts";
import type { ChatState } from "@/lib/core/chat.ts";
import type { RunState } from "@/lib/core/run-view.ts";
import type { LiveRun, KnownRun } from "../run/use-run.ts";
import { Button } from "../ui/button.tsx";
import { Composer, type Outgoing } from "./composer.tsx";
import { RunMessages } from "./run-messages.tsx";
import { useFollow } from "./use-follow.ts";

/** A run that is on record and no longer followed. */
export interface PastRun {
  readonly runId: string;
  readonly run: RunState;
  readonly chat: ChatState;
}

export interface ChatPaneProps {
  readonly threadId: string;
  readonly past: readonly PastRun[];
  readonly live: LiveRun | null;
  readonly current: KnownRun | null;
  readonly isActive: boolean;
  readonly callId: string | null;
  readonly onSelect: (callId: string | null) => void;
  readonly onSend: (message: Outgoing) => Promise<void>;
}

export function ChatPane(props: ChatPaneProps) {
  const { threadId, past, live, current, isActive, callId, onSelect, onSend } = props;
  const follow = useFollow();
  const stop = useStop(current?.runId ?? null, isActive);
  const queue = useQueue(isActive, onSend);
  const settleIn = (runId: string) => async (settledId: string, answer: api.Resolve) => {
    await api.resolveCall(runId, settledId, answer);
    live?.store.retryNow();
  };
  const resume = async () => {
    if (!current) return;
    await api.resumeRun(current.runId);
    live?.store.retryNow();
  };
  return (
    <>
      <div className="relative min-h-0 flex-1">
        <div
          ref={follow.boxRef}
          role="log"
          aria-label="Conversation"
          aria-live="off"
          tabIndex={0}
          className="h-full overflow-y-auto overscroll-contain px-4 py-5 -outline-offset-2"
        >
          <div ref={follow.contentRef} className="mx-auto flex max-w-2xl flex-col gap-5">
            {past.map((each) => (
              <section key={each.runId} aria-label="Earlier run" className="flex flex-col gap-4">
                <RunMessages
                  runId={each.runId}
                  run={each.run}
                  chat={each.chat}
                  callId={null}
                  onSelect={() => undefined}
                  onSettle={settleIn(each.runId)}
                  onResume={() => undefined}
                />
                <Link
                  href={`/runs/${each.runId}`}
                  className="self-start text-xs text-muted-foreground underline"
                >
                  Look at this run
                </Link>
              </section>
            ))}
            {live && current && (
              <section aria-label="Current run" className="flex flex-col gap-4">
                <RunMessages
                  runId={current.runId}
                  run={live.snapshot.run}
                  chat={live.snapshot.chat}
                  callId={callId}
                  onSelect={onSelect}
                  onSettle={settleIn(current.runId)}
                  onResume={() => void resume()}
                />
              </section>
            )}
          </div>
        </div>
        {!follow.following && (
          <Button
            size="small"
            onClick={follow.jumpToEnd}
            className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-raised"
          >
            <ArrowDown aria-hidden className="size-3.5" /> Jump to latest
          </Button>
        )}
      </div>
      <div className="border-t border-border bg-card px-4 py-3">
        <div className="mx-auto max-w-2xl">
          <Composer
            draftKey={`draft:${threadId}`}
            isActive={isActive}
            isStopping={stop.isStopping}
            queued={queue.queued?.text ?? null}
            onSend={onSend}
            onStop={stop.stop}
            onQueue={(message, how) => {
              queue.put(message);
              if (how === "stop") stop.stop();
            }}
          />
        </div>
      </div>
    </>
  );
}

/** Stops the run on the server. Said to be under way after 300 ms, so that a quick stop does not flash. */
function useStop(runId: string | null, isActive: boolean) {
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const [isLate, setLate] = useState(false);
  const isAsked = askedFor !== null && askedFor === runId && isActive;
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => setLate(true), 300);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isAsked]);
  const stop = () => {
    if (runId === null) return;
    setAskedFor(runId);
    api.cancelRun(runId).catch(() => setAskedFor(null));
  };
  return { stop, isStopping: isAsked && isLate };
}

/** One message that waits until the run has ended. */
function useQueue(isActive: boolean, onSend: (message: Outgoing) => Promise<void>) {
  const [queued, setQueued] = useState<Outgoing | null>(null);
  const [isSending, setSending] = useState(false);
  useEffect(() => {
    if (isActive || queued === null || isSending) return;
    setSending(true);
    onSend(queued)
      .then(() => setQueued(null))
      // It stays queued, with its token, and is tried again when the run's state changes.
      .catch(() => undefined)
      .finally(() => setSending(false));
  }, [isActive, queued, isSending, onSend]);
  return { queued, put: setQueued };
}
