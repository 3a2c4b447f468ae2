"use client";
/** A JSON value: small ones as text at once, larger ones as a tree whose code is loaded when it is opened. */
import { lazy, Suspense, useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";

const JsonTree = lazy(() => import("./json-tree.tsx"));

/** Characters shown without being asked. */
const SMALL = 600;

export function JsonView({ title, value }: { readonly title: string; readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? "null";
  const [isOpen, setOpen] = useState(false);
  const plain = (
    <pre className="overflow-x-auto rounded-lg bg-muted p-2.5 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
      {text.length > SMALL ? `${text.slice(0, SMALL)}…` : text}
    </pre>
  );
  return (
    <section aria-label={title}>
      <div className="mb-1 flex items-center gap-2">
        <h3 className="text-xs font-medium text-muted-foreground">{title}</h3>
        <CopyButton text={text} what={`${title.toLowerCase()} as JSON`} shown="Copy" />
        {text.length > SMALL && (
          <button
            type="button"
            className="min-h-6 text-xs underline"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "Less" : `All ${text.length} characters`}
          </button>
        )}
      </div>
      {isOpen ? (
        <Suspense fallback={plain}>
          <JsonTree value={value} />
        </Suspense>
      ) : (
        plain
      )}
    </section>
  );
}
