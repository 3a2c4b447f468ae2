"use client";
/**
 * Where messages are written. While a run is at work, Send is Stop, and a message that is sent anyway waits its
 * turn or stops the run first. A draft survives a reload; sending it twice makes one run.
 */
import { ArrowUp, Square } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { useStoredState } from "../ui/stored-state.ts";
import { type Draft, editDraft, EMPTY_DRAFT, tokenOf } from "./client-token.ts";

export interface Outgoing {
  readonly text: string;
  readonly clientToken: string;
}

export interface ComposerProps {
  /** Key under which the draft is kept. */
  readonly draftKey: string;
  readonly isActive: boolean;
  /** Whether the run's stop was asked for and has not happened yet. */
  readonly isStopping: boolean;
  readonly queued: string | null;
  readonly onSend: (message: Outgoing) => Promise<void>;
  readonly onStop: () => void;
  readonly onQueue: (message: Outgoing, how: "queue" | "stop") => void;
}

export function Composer(props: ComposerProps) {
  const { draftKey, isActive, isStopping } = props;
  const [draft, setDraft] = useStoredState<Draft>(draftKey, EMPTY_DRAFT);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const isEmpty = draft.text.trim() === "";

  useEffect(() => {
    const { current } = box;
    if (!current) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(current.scrollHeight, 200)}px`;
  }, [draft.text]);

  const take = (): Outgoing => {
    const kept = tokenOf(draft);
    setDraft(kept);
    return { text: kept.text.trim(), clientToken: kept.token };
  };
  const send = async () => {
    if (isEmpty || isSending) return;
    setSending(true);
    setProblem(null);
    try {
      await props.onSend(take());
      setDraft(EMPTY_DRAFT);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "It was not sent.");
    } finally {
      setSending(false);
      box.current?.focus();
    }
  };
  const queue = (how: "queue" | "stop") => {
    if (isEmpty) return;
    props.onQueue(take(), how);
    setDraft(EMPTY_DRAFT);
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isActive) queue("queue");
    else void send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };

  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <p role="alert" className="text-[0.8125rem] text-danger empty:hidden">
        {problem}
      </p>
      {props.queued !== null && (
        <p className="text-[0.8125rem] text-muted-foreground" data-testid="queued">
          Next, when this run has ended: “{props.queued}”
        </p>
      )}
      {isActive && !isEmpty && (
        <div className="flex flex-wrap items-center gap-2 text-[0.8125rem]">
          <span className="text-muted-foreground">A run is at work.</span>
          <Button size="small" onClick={() => queue("queue")}>
            Queue
          </Button>
          <Button size="small" onClick={() => queue("stop")}>
            Stop and send
          </Button>
        </div>
      )}
      <div className="flex items-end gap-2 rounded-2xl border border-border-strong bg-card p-1.5 focus-within:border-ring">
        <textarea
          ref={box}
          rows={1}
          value={draft.text}
          onChange={(event) => setDraft(editDraft(draft, event.target.value))}
          onKeyDown={onKeyDown}
          aria-label="Message"
          placeholder="Ask the agent to mail, charge, open a ticket or look something up"
          className="min-h-9 flex-1 resize-none bg-transparent px-2.5 py-1.5 outline-none placeholder:text-muted-foreground"
        />
        {isActive ? (
          <Button weight="danger" onClick={props.onStop} aria-label="Stop the run">
            <Square aria-hidden className="size-3.5" />
            {isStopping ? "Stopping…" : "Stop"}
          </Button>
        ) : (
          <Button weight="primary" type="submit" aria-disabled={isEmpty || isSending}>
            <ArrowUp aria-hidden className="size-4" />
            {isSending ? "Sending…" : "Send"}
          </Button>
        )}
      </div>
    </form>
  );
}
