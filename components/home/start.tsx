"use client";
/** The start page: what will be seen, examples that each show one idea, and a composer for a new conversation. */
import { FlaskConical } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { createThread, sendMessage } from "@/lib/client/api.ts";
import { type Example, EXAMPLES, LAB_EXAMPLE } from "@/lib/demo/examples.ts";
import { mintClientToken } from "../chat/client-token.ts";
import { Composer, type Outgoing } from "../chat/composer.tsx";

export function Start({ isLab }: { readonly isLab: boolean }) {
  const router = useRouter();
  const [starting, setStarting] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const begin = async ({ text, clientToken }: Outgoing, example?: Example) => {
    const { threadId } = await createThread();
    const { temper, faults } = example ?? {};
    await sendMessage(threadId, {
      text,
      clientToken,
      ...(temper && { model: { temper } }),
      ...(faults && { faults }),
    });
    router.push(`/threads/${threadId}`);
  };
  const play = (example: Example) => {
    setStarting(example.title);
    setProblem(null);
    begin({ text: example.text, clientToken: mintClientToken() }, example).catch(
      (error: unknown) => {
        setProblem(error instanceof Error ? error.message : "It could not be started.");
        setStarting(null);
      },
    );
  };
  const examples = isLab ? [...EXAMPLES, LAB_EXAMPLE] : EXAMPLES;
  return (
    <div className="flex flex-col gap-6">
      <div>
        <h1 className="text-2xl font-semibold tracking-tight">What should the agent do?</h1>
        <p className="mt-1.5 max-w-prose text-muted-foreground">
          Its run is drawn beside the chat while it happens. Cut it anywhere: it resumes, and what
          was done once stays done once.
        </p>
      </div>
      <ul className="grid gap-3 sm:grid-cols-2" aria-label="Examples">
        {examples.map((example) => (
          <li key={example.title}>
            <button
              type="button"
              aria-disabled={starting !== null}
              onClick={() => starting === null && play(example)}
              className="flex size-full flex-col gap-1 rounded-xl border border-border bg-card p-4 text-left hover:border-border-strong hover:bg-muted/50"
            >
              <span className="flex items-center gap-2 font-medium">
                {example === LAB_EXAMPLE && <FlaskConical aria-hidden className="size-4" />}
                {starting === example.title ? "Starting…" : example.title}
              </span>
              <span className="text-sm">“{example.text}”</span>
              <span className="text-[0.8125rem] text-muted-foreground">{example.idea}</span>
            </button>
          </li>
        ))}
      </ul>
      <p role="alert" className="text-sm text-danger empty:hidden">
        {problem}
      </p>
      <Composer
        draftKey="draft:new"
        isActive={false}
        isStopping={false}
        queued={null}
        onSend={(message) => begin(message)}
        onStop={() => undefined}
        onQueue={() => undefined}
      />
    </div>
  );
}
