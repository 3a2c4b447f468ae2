"use client";
/**
 * A modal on the native <dialog>: the browser traps focus, closes on Esc and gives focus back. On a phone it is
 * a sheet at the bottom edge.
 */
import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Dialog({ open, onClose, title, children, className }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      className={classNames(
        "m-auto max-h-[90dvh] w-[min(44rem,calc(100vw-2rem))] flex-col overflow-hidden rounded-2xl border border-border bg-raised p-0 text-foreground shadow-raised open:flex",
        "max-md:mx-0 max-md:mb-0 max-md:w-full max-md:max-w-none max-md:rounded-b-none",
        className,
      )}
    >
      <header className="flex items-center gap-3 border-b border-border py-3 pr-3 pl-5">
        <h2 id={titleId} className="min-w-0 flex-1 font-semibold">
          {title}
        </h2>
        <Button size="icon" weight="ghost" aria-label="Close" onClick={onClose}>
          <X aria-hidden className="size-4" />
        </Button>
      </header>
      <div className="overflow-y-auto overscroll-contain p-5">{open && children}</div>
    </dialog>
  );
}
