"use client";
/** Copies a text, shows it shortened, and says that it was copied. */
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { classNames } from "./class-names.ts";

export interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for the accessible name: "idempotency key". */
  readonly what: string;
  readonly shown?: string;
  readonly className?: string;
}

export function CopyButton({ text, what, shown, className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      // Without the permission the text stays selectable in the title; there is nothing to repair.
      () => setCopied(false),
    );
  };
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      onClick={copy}
      title={text}
      aria-label={copied ? `Copied ${what}` : `Copy ${what} ${shown ?? text}`}
      className={classNames(
        "inline-flex min-h-6 max-w-full items-center gap-1 rounded px-1 font-mono text-xs text-muted-foreground hover:bg-muted hover:text-foreground pointer-coarse:min-h-11",
        className,
      )}
    >
      <span className="truncate">{shown ?? text}</span>
      <Icon aria-hidden className="size-3 shrink-0" />
    </button>
  );
}
