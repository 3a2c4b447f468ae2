"use client";
/**
 * Two panes with a divider between them that can be dragged, moved with the arrow keys, and is remembered. The
 * first pane's share is a CSS variable, so that dragging lays out without rendering React.
 */
import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";

export interface SplitPaneProps {
  /** Key under which the share is remembered. */
  readonly name: string;
  readonly label: string;
  readonly first: ReactNode;
  readonly second: ReactNode;
  /** Smallest widths in pixels. */
  readonly firstMin: number;
  readonly secondMin: number;
  readonly className?: string;
  /** Classes of the divider; the caller hides it where the panes are not side by side. */
  readonly dividerClassName?: string;
}

const INITIAL_SHARE = 0.44;
const KEY_STEP = 0.02;

export function SplitPane(props: SplitPaneProps) {
  const root = useRef<HTMLDivElement>(null);
  const divider = useRef<HTMLDivElement>(null);
  const storageKey = `split:${props.name}`;

  const place = (share: number) => {
    const { current: box } = root;
    if (box === null) return;
    const width = Math.max(box.clientWidth, 1);
    const low = Math.min(props.firstMin / width, 0.5);
    const high = Math.max(1 - props.secondMin / width, 0.5);
    const kept = Math.min(Math.max(share, low), high);
    box.style.setProperty("--share", String(kept));
    divider.current?.setAttribute("aria-valuenow", String(Math.round(kept * 100)));
  };
  const remember = () => {
    const share = root.current?.style.getPropertyValue("--share");
    if (share) writeStored(storageKey, share);
  };

  useEffect(() => {
    const stored = Number(readStored(storageKey));
    if (stored > 0 && stored < 1) place(stored);
    // Only the first paint reads the stored share; later changes come from the reader.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = root.current?.getBoundingClientRect();
    if (box !== undefined) place((event.clientX - box.left) / box.width);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowLeft" ? -KEY_STEP : event.key === "ArrowRight" ? KEY_STEP : 0;
    if (by === 0) return;
    event.preventDefault();
    const share = Number(root.current?.style.getPropertyValue("--share"));
    place((share || INITIAL_SHARE) + by);
    remember();
  };

  return (
    <div ref={root} className={props.className}>
      {props.first}
      <div
        ref={divider}
        role="separator"
        tabIndex={0}
        aria-label={props.label}
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(INITIAL_SHARE * 100)}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
        onPointerUp={remember}
        className={props.dividerClassName}
      />
      {props.second}
    </div>
  );
}

/** Storage may be switched off; then nothing is remembered and nothing else changes. */
function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function writeStored(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}
