"use client";
/** What a resume would do with each write, before anybody presses the button. */
import { useEffect, useState } from "react";
import { previewResume } from "@/lib/client/api.ts";
import { identityParts, words } from "@/lib/core/describe.ts";
import type { PreviewedCall } from "@/lib/core/resume-preview.ts";

/** `seenSeq`: the last event shown; asked again when it moves. */
export function ResumePreview({
  runId,
  seenSeq,
}: {
  readonly runId: string;
  readonly seenSeq: number;
}) {
  const [calls, setCalls] = useState<readonly PreviewedCall[] | null>(null);
  useEffect(() => {
    let isOver = false;
    previewResume(runId).then(
      (answer) => !isOver && setCalls(answer.calls),
      // The button works without it.
      () => !isOver && setCalls(null),
    );
    return () => {
      isOver = true;
    };
  }, [runId, seenSeq]);
  if (calls === null || calls.length === 0) return null;
  return (
    <section aria-label="What a resume would do" className="text-[0.8125rem]">
      <h3 className="font-medium">What a resume would do</h3>
      <ul className="mt-1 flex flex-col gap-1">
        {calls.map((call) => (
          <li key={call.startSeq} data-plan={call.plan}>
            <span className="font-medium">{words(call.tool)}</span>{" "}
            {identityParts(call.input).join(" · ")}
            <span className="block text-muted-foreground">{call.reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
