"use client";
/** Everything on record about one call: state, decision and why, arguments, result, key, and what belongs to it. */
import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { Resolve } from "@/lib/client/api.ts";
import { describe, words } from "@/lib/core/describe.ts";
import type { RunEvent } from "@/lib/core/event.ts";
import { findCall, findStart } from "@/lib/core/intent-rows.ts";
import type { CallView, RunState } from "@/lib/core/run-view.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Differences } from "./differences.tsx";
import { JsonView } from "./json-view.tsx";
import { SettleCard } from "./settle-card.tsx";
import { StateMark } from "./state-mark.tsx";

export interface InspectorProps {
  readonly runId: string;
  readonly run: RunState;
  readonly events: readonly RunEvent[];
  readonly callId: string;
  readonly onSelect: (callId: string | null) => void;
  readonly onSettle: (callId: string, answer: Resolve) => Promise<void>;
}

export function Inspector({ runId, run, events, callId, onSelect, onSettle }: InspectorProps) {
  const call = findCall(run, callId);
  if (!call) return null;
  const original = findStart(run, call.originalSeq);
  const isOpen = call.state === "held" || (call.state === "interrupted" && run.phase !== "running");
  return (
    <aside
      aria-label="Details of the call"
      className="flex flex-col gap-3 rounded-xl border border-border bg-card p-4"
    >
      <header className="flex items-center gap-3">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{words(call.tool)}</h2>
        <StateMark state={call.state} wordClass="text-sm" />
        <Button
          size="icon"
          weight="ghost"
          aria-label="Close details"
          onClick={() => onSelect(null)}
        >
          <X aria-hidden className="size-4" />
        </Button>
      </header>
      {isOpen && call.behind === undefined && (
        <SettleCard {...{ runId, call, original, onSettle }} seenSeq={run.lastSeq} />
      )}
      <dl className="grid grid-cols-[7rem_1fr] gap-x-3 gap-y-1.5 text-[0.8125rem]">
        <Fact name="Asked in">
          attempt {call.attempt}
          {call.step === null ? "" : `, step ${call.step}`}
        </Fact>
        {call.reason !== undefined && <Fact name="Why">{call.reason}</Fact>}
        {original && (
          <Fact name="Original">
            <button
              type="button"
              className="min-h-6 underline underline-offset-2"
              onClick={() => onSelect(original.callId)}
            >
              attempt {original.attempt}, event {original.startSeq}
            </button>
          </Fact>
        )}
        {call.idempotencyKey !== undefined && (
          <Fact name="Key">
            <CopyButton text={call.idempotencyKey} what="idempotency key" />
          </Fact>
        )}
        {call.signature != null && (
          <Fact name="Signature">
            <CopyButton
              text={call.signature}
              what="signature"
              shown={`${call.signature.slice(0, 16)}…`}
            />
          </Fact>
        )}
        {call.nearOf !== undefined && call.originalSeq === undefined && (
          <Fact name="Close to">event {call.nearOf}</Fact>
        )}
        {call.ignored && <Fact name="Not counted">{call.ignored.join(", ")}</Fact>}
        {call.settlement && (
          <Fact name="Settled">
            by {call.settlement.by === "verify" ? "a check" : "a person"}, event{" "}
            {call.settlement.seq}
            {call.settlement.reason === undefined ? "" : `: ${call.settlement.reason}`}
          </Fact>
        )}
        {call.settlement?.evidence !== undefined && (
          <Fact name="Evidence">{JSON.stringify(call.settlement.evidence)}</Fact>
        )}
        {call.contradiction && (
          <Fact name="Contradiction">
            Its own outcome came later and says: {call.contradiction.outcome}.
          </Fact>
        )}
      </dl>
      {call.differences && <Differences differences={call.differences} />}
      <JsonView title="Input" value={call.input} />
      {call.result !== undefined && <JsonView title="Result" value={call.result} />}
      <Related events={events} call={call} />
    </aside>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted-foreground">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

function Related({
  events,
  call,
}: {
  readonly events: readonly RunEvent[];
  readonly call: CallView;
}) {
  const related = events.filter((event) => "callId" in event && event["callId"] === call.callId);
  return (
    <section aria-label="Events of the call">
      <h3 className="mb-1 text-xs font-medium text-muted-foreground">On record</h3>
      <ol className="flex flex-col gap-0.5 text-[0.8125rem]">
        {related.map((event) => (
          <li key={event.seq} className="flex gap-2">
            <span className="w-8 shrink-0 text-right text-muted-foreground tabular-nums">
              {event.seq}
            </span>
            <span className="min-w-0 [overflow-wrap:anywhere]">{describe(event)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
