"use client";
/**
 * The agent's text. Plain text paints first; markdown replaces it once its code has arrived. Text of a cut attempt
 * stays where it was, dimmed, and says so.
 */
import { lazy, memo, Suspense, useMemo } from "react";
import type { TextPart } from "@/lib/core/chat-view.ts";
import { classNames } from "../ui/class-names.ts";
import { useHydrated } from "../ui/clock-text.tsx";
import { splitBlocks } from "./markdown-blocks.ts";

const MarkdownBlock = lazy(() => import("./markdown.tsx"));

export const TextBlock = memo(function TextBlock({ part }: { readonly part: TextPart }) {
  const dropped = part.cut === "dropped";
  if (part.kind === "reasoning") return <Reasoning part={part} />;
  return (
    <div
      data-cut={part.cut}
      className={classNames("prose-chat", dropped && "text-muted-foreground")}
    >
      {dropped && <span className="sr-only">Cut off, written by attempt {part.attempt}: </span>}
      <Markdown text={part.text} />
    </div>
  );
});

function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => splitBlocks(text), [text]);
  const hydrated = useHydrated();
  return blocks.map((block, index) => {
    const plain = <p className="whitespace-pre-wrap">{block}</p>;
    return (
      // Blocks only ever grow at the end, so that their place names them.
      <div key={index}>
        {hydrated ? (
          <Suspense fallback={plain}>
            <MarkdownBlock text={block} />
          </Suspense>
        ) : (
          plain
        )}
      </div>
    );
  });
}

function Reasoning({ part }: { readonly part: TextPart }) {
  return (
    <details className="text-sm text-muted-foreground">
      <summary className="min-h-6">Reasoning</summary>
      <p className="mt-1 border-l-2 border-border pl-3 whitespace-pre-wrap">{part.text}</p>
    </details>
  );
}
