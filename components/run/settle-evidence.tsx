"use client";
/** What is known about a call whose outcome is not: when it started, its key, what a check said, what the world shows. */
import { type ReactNode, useEffect, useState } from "react";
import { listEffects } from "@/lib/client/api.ts";
import { identityParts } from "@/lib/core/describe.ts";
import type { Effect } from "@/lib/core/run-record.ts";
import type { CallView } from "@/lib/core/run-view.ts";
import { ClockText } from "../ui/clock-text.tsx";
import { CopyButton } from "../ui/copy-button.tsx";

interface SettleEvidenceProps {
  readonly runId: string;
  readonly call: CallView;
  readonly original: CallView | undefined;
}

export function SettleEvidence({ runId, call, original }: SettleEvidenceProps) {
  const opened = original ?? call;
  const check = call.check ?? opened.check;
  return (
    <dl
      aria-label="What is known"
      className="grid grid-cols-[5.5rem_1fr] gap-x-3 gap-y-1 text-[0.8125rem]"
    >
      {opened.startedAt !== undefined && (
        <Known name="Started">
          attempt {opened.attempt}, event {opened.startSeq}, <ClockText iso={opened.startedAt} />
        </Known>
      )}
      {opened.idempotencyKey !== undefined && (
        <Known name="Key">
          <CopyButton text={opened.idempotencyKey} what="idempotency key" />
        </Known>
      )}
      {check && (
        <Known name="Check">
          {check.verdict === "absent" ? "not there so far" : "could not tell"}
          {check.evidence === undefined ? "" : `: ${JSON.stringify(check.evidence)}`}
        </Known>
      )}
      <Known name="World">
        <World runId={runId} call={opened} />
      </Known>
    </dl>
  );
}

function World({ runId, call }: { readonly runId: string; readonly call: CallView }) {
  const [effects, setEffects] = useState<readonly Effect[] | "unreachable" | null>(null);
  useEffect(() => {
    let isOver = false;
    listEffects(runId).then(
      (answer) => !isOver && setEffects(answer.effects),
      () => !isOver && setEffects("unreachable"),
    );
    return () => {
      isOver = true;
    };
  }, [runId, call.state]);
  if (effects === null) return <>Looking…</>;
  if (effects === "unreachable") return <>The server can&apos;t be reached.</>;
  const alike = effects.filter(({ action }) => action === call.tool);
  if (alike.length === 0) return <>shows no such effect of this run</>;
  return (
    <ul>
      {alike.map((effect) => (
        <li key={effect.id} className="[overflow-wrap:anywhere]">
          {effect.idempotencyKey === call.idempotencyKey ? "under this key" : "under another key"}:{" "}
          {identityParts(effect.input).join(" · ")}
        </li>
      ))}
    </ul>
  );
}

function Known({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted-foreground">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
