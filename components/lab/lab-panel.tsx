"use client";
/** Lab controls, only where the server runs with `LAB=1`: how the model behaves, and where the next run is cut. */
import { FlaskConical, Plus, Scissors, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { cutRun } from "@/lib/client/api.ts";
import {
  FAULT_KINDS,
  FAULT_POINTS,
  type Fault,
  type FaultKind,
  type FaultPoint,
  type Temper,
  TEMPERS,
} from "@/lib/core/run-record.ts";
import { faultSentence, KIND_WORDS, POINT_WORDS } from "@/lib/demo/examples.ts";
import { Button } from "../ui/button.tsx";

export interface LabPlan {
  readonly temper: Temper;
  readonly faults: readonly Fault[];
}

export interface LabPanelProps {
  readonly plan: LabPlan;
  readonly onChange: (plan: LabPlan) => void;
  /** The run that is at work, if one is. */
  readonly activeRunId: string | null;
}

const ACTIONS = [
  "",
  "send_email",
  "charge_card",
  "create_ticket",
  "list_sent_emails",
  "list_charges",
  "list_tickets",
];

const TEMPER_WORDS: Record<Temper, string> = {
  heeds: "heeds the note",
  forgets: "forgets, repeats every call",
  rewords: "rewords free text",
  reorders: "reorders calls and keys",
  repeats: "wants every write three times",
};

export default function LabPanel({ plan, onChange, activeRunId }: LabPanelProps) {
  const [draft, setDraft] = useState<Fault>({ at: "after_done", as: "gateway_timeout" });
  const add = () => onChange({ ...plan, faults: [...plan.faults, draft] });
  const remove = (at: number) =>
    onChange({ ...plan, faults: plan.faults.filter((_, i) => i !== at) });
  return (
    <section
      aria-label="Lab"
      data-testid="lab"
      className="overflow-hidden rounded-xl border border-notice-border bg-notice-surface"
    >
      <div aria-hidden className="lab-stripe h-1.5" />
      <div className="flex flex-col gap-3 p-3">
        <h2 className="flex items-center gap-2 text-sm font-semibold">
          <FlaskConical aria-hidden className="size-4" /> Lab: cut the next run on purpose
        </h2>
        <Choice
          label="After a resume the model"
          value={plan.temper}
          options={TEMPERS}
          wordsOf={(temper) => TEMPER_WORDS[temper]}
          onChange={(temper) => onChange({ ...plan, temper })}
        />
        <div className="grid grid-cols-2 gap-2">
          <Choice
            label="Action"
            value={draft.action ?? ""}
            options={ACTIONS}
            wordsOf={(name) => (name === "" ? "any" : name)}
            onChange={(action) =>
              setDraft({ ...draft, action: action === "" ? undefined : action })
            }
          />
          <Choice<FaultPoint>
            label="Where"
            value={draft.at}
            options={FAULT_POINTS}
            wordsOf={(at) => POINT_WORDS[at]}
            onChange={(at) => setDraft({ ...draft, at })}
          />
          <Choice<FaultKind>
            label="How"
            value={draft.as}
            options={FAULT_KINDS}
            wordsOf={(as) => KIND_WORDS[as]}
            onChange={(as) => setDraft({ ...draft, as })}
          />
          <div className="grid grid-cols-2 gap-2">
            <Count
              label="Attempt"
              value={draft.attempt ?? 1}
              onChange={(attempt) => setDraft({ ...draft, attempt })}
            />
            <Count
              label="Time"
              value={draft.nth ?? 1}
              onChange={(nth) => setDraft({ ...draft, nth })}
            />
          </div>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-40 flex-1 text-[0.8125rem]">{faultSentence(draft)}</p>
          <Button size="small" onClick={add}>
            <Plus aria-hidden className="size-3.5" /> Arm for the next run
          </Button>
        </div>
        <ul aria-label="Armed cuts" className="flex flex-col gap-1 empty:hidden">
          {plan.faults.map((fault, i) => (
            <li
              key={i}
              className="flex items-center gap-2 rounded-md border border-border bg-card px-2 py-1 text-[0.8125rem]"
            >
              <Scissors aria-hidden className="size-3.5 shrink-0" />
              <span className="min-w-0 flex-1">{faultSentence(fault)}</span>
              <Button
                size="icon"
                weight="ghost"
                aria-label="Remove this cut"
                onClick={() => remove(i)}
              >
                <X aria-hidden className="size-3.5" />
              </Button>
            </li>
          ))}
        </ul>
        {activeRunId !== null && <CutNow runId={activeRunId} />}
      </div>
    </section>
  );
}

function CutNow({ runId }: { readonly runId: string }) {
  const [kind, setKind] = useState<FaultKind>("gateway_timeout");
  const [problem, setProblem] = useState("");
  const cut = () => {
    setProblem("");
    cutRun(runId, kind).catch((error: unknown) => {
      // A killed server can't answer; that is what was asked for.
      if (kind !== "process_killed")
        setProblem(error instanceof Error ? error.message : "It was not cut.");
    });
  };
  return (
    <div className="flex flex-wrap items-end gap-2 border-t border-border pt-3">
      <Choice<FaultKind>
        label="Cut the live run"
        value={kind}
        options={FAULT_KINDS}
        wordsOf={(as) => KIND_WORDS[as]}
        onChange={setKind}
      />
      <Button weight="danger" size="small" onClick={cut}>
        <Scissors aria-hidden className="size-3.5" /> Cut now
      </Button>
      <p role="alert" className="w-full text-[0.8125rem] text-danger empty:hidden">
        {problem}
      </p>
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly T[];
  readonly wordsOf: (option: T) => string;
  readonly onChange: (option: T) => void;
}

function Choice<T extends string>({ label, value, options, wordsOf, onChange }: ChoiceProps<T>) {
  return (
    <Field label={label}>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value as T)}
        className="min-h-8 w-full min-w-0 rounded-md border border-border-strong bg-card px-2 text-[0.8125rem] pointer-coarse:min-h-11"
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {wordsOf(option)}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Count({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <Field label={label}>
      <input
        type="number"
        min={1}
        max={20}
        value={value}
        onChange={(event) => onChange(Math.max(1, Number(event.target.value) || 1))}
        className="min-h-8 w-full rounded-md border border-border-strong bg-card px-2 text-[0.8125rem] tabular-nums pointer-coarse:min-h-11"
      />
    </Field>
  );
}

function Field({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <label className="flex min-w-0 flex-col gap-0.5 text-xs text-muted-foreground">
      {label}
      <span className="text-foreground">{children}</span>
    </label>
  );
}
