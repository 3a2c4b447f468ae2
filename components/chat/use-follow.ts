"use client";
/**
 * Follows the end of a growing log, but only while the reader is there. Any sign of the reader going elsewhere
 * (wheel or keys upwards, a finger, the scroll bar, a selection, opening a card) stops it at once; coming back to
 * the end starts it again. Content that grows is never mistaken for the reader's scrolling.
 */
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";

/** How near to the end still counts as being there, in pixels. */
const END_SLACK = 24;
const UP_KEYS = new Set(["ArrowUp", "PageUp", "Home"]);

export interface Follow {
  readonly boxRef: RefObject<HTMLDivElement | null>;
  readonly contentRef: RefObject<HTMLDivElement | null>;
  /** false while the reader looks at something earlier. */
  readonly following: boolean;
  readonly jumpToEnd: () => void;
}

export function useFollow(): Follow {
  const boxRef = useRef<HTMLDivElement>(null);
  const contentRef = useRef<HTMLDivElement>(null);
  const live = useRef(true);
  const [following, setFollowing] = useState(true);

  const set = useCallback((next: boolean) => {
    live.current = next;
    setFollowing(next);
  }, []);
  const toEnd = useCallback(() => {
    const { current: box } = boxRef;
    if (box !== null) box.scrollTop = box.scrollHeight;
  }, []);
  const jumpToEnd = useCallback(() => {
    set(true);
    toEnd();
  }, [set, toEnd]);

  useEffect(() => {
    const { current: box } = boxRef;
    const { current: content } = contentRef;
    if (box === null || content === null) return;
    const stopListening = listen(box, set, live);
    const observer = new ResizeObserver(() => {
      if (live.current) toEnd();
      else if (isAtEnd(box) && box.scrollHeight > box.clientHeight) set(true);
    });
    observer.observe(content);
    observer.observe(box);
    toEnd();
    return () => {
      observer.disconnect();
      stopListening();
    };
  }, [set, toEnd]);

  return { boxRef, contentRef, following, jumpToEnd };
}

function isAtEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight < END_SLACK;
}

function listen(box: HTMLElement, set: (next: boolean) => void, live: RefObject<boolean>) {
  let lastTop = box.scrollTop;
  let lastHeight = box.scrollHeight;
  let touchY = 0;
  const stop = () => {
    if (live.current && box.scrollHeight > box.clientHeight) set(false);
  };
  const onWheel = (event: WheelEvent) => {
    if (event.deltaY < 0) stop();
  };
  const onKey = (event: KeyboardEvent) => {
    const inField = event.target instanceof HTMLElement && event.target.closest("input, textarea");
    if (!inField && UP_KEYS.has(event.key)) stop();
  };
  const onTouchStart = (event: TouchEvent) => {
    touchY = event.touches[0]?.clientY ?? 0;
  };
  const onTouchMove = (event: TouchEvent) => {
    if ((event.touches[0]?.clientY ?? 0) > touchY) stop();
  };
  const onSelect = () => {
    const selection = document.getSelection();
    if (selection !== null && !selection.isCollapsed && box.contains(selection.anchorNode)) stop();
  };
  // A card that opens at the end must not push its own header away from under the pointer.
  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest("[aria-expanded], summary") !== null) stop();
  };
  const onScroll = () => {
    // The scroll bar moves up without a wheel; a shrinking log also does, and is not the reader.
    if (box.scrollTop < lastTop - 1 && box.scrollHeight >= lastHeight && !isAtEnd(box)) stop();
    else if (!live.current && box.scrollTop > lastTop && isAtEnd(box)) set(true);
    lastTop = box.scrollTop;
    lastHeight = box.scrollHeight;
  };
  const off = new AbortController();
  const options = { passive: true, signal: off.signal } as const;
  box.addEventListener("wheel", onWheel, options);
  box.addEventListener("keydown", onKey, options);
  box.addEventListener("touchstart", onTouchStart, options);
  box.addEventListener("touchmove", onTouchMove, options);
  box.addEventListener("click", onClick, { ...options, capture: true });
  box.addEventListener("scroll", onScroll, options);
  document.addEventListener("selectionchange", onSelect, options);
  return () => off.abort();
}
