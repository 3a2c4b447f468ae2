"use client";
/**
 * A tab list with roving focus. The panels are the caller's: each needs `id={panelId(…)}` and
 * `role="tabpanel"` while tabs are what chooses between them.
 */
import type { KeyboardEvent, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface TabItem<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly icon?: ReactNode;
  /** Set when something in the tab needs attention: read out, and shown as a dot. */
  readonly alert?: string | undefined;
}

export interface TabsProps<Id extends string> {
  readonly name: string;
  readonly label: string;
  readonly items: readonly TabItem<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  readonly className?: string;
  readonly stacked?: boolean;
}

export const tabId = (name: string, id: string) => `${name}-tab-${id}`;
export const panelId = (name: string, id: string) => `${name}-panel-${id}`;

export function Tabs<Id extends string>(props: TabsProps<Id>) {
  const { name, items, selected, onSelect } = props;
  const move = (event: KeyboardEvent, to: number) => {
    const next = items[(to + items.length) % items.length];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next.id);
    document.getElementById(tabId(name, next.id))?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = items.findIndex((item) => item.id === selected);
    if (event.key === "ArrowRight") move(event, at + 1);
    else if (event.key === "ArrowLeft") move(event, at - 1);
    else if (event.key === "Home") move(event, 0);
    else if (event.key === "End") move(event, items.length - 1);
  };
  return (
    <div
      role="tablist"
      aria-label={props.label}
      onKeyDown={onKeyDown}
      className={classNames("flex", props.className)}
    >
      {items.map((item) => (
        <Tab
          key={item.id}
          item={item}
          stacked={props.stacked ?? false}
          {...{ name, selected, onSelect }}
        />
      ))}
    </div>
  );
}

interface TabProps<Id extends string> {
  readonly name: string;
  readonly item: TabItem<Id>;
  readonly selected: Id;
  readonly stacked: boolean;
  readonly onSelect: (id: Id) => void;
}

function Tab<Id extends string>({ name, item, selected, stacked, onSelect }: TabProps<Id>) {
  const isSelected = item.id === selected;
  return (
    <button
      type="button"
      role="tab"
      id={tabId(name, item.id)}
      aria-selected={isSelected}
      aria-controls={panelId(name, item.id)}
      tabIndex={isSelected ? 0 : -1}
      onClick={() => onSelect(item.id)}
      className={classNames(
        "relative flex flex-1 items-center justify-center font-medium -outline-offset-2",
        stacked
          ? "min-h-14 flex-col gap-0.5 text-xs"
          : "min-h-9 gap-2 px-3 text-sm pointer-coarse:min-h-11",
        isSelected ? "text-foreground" : "text-muted-foreground hover:text-foreground",
      )}
    >
      {item.icon}
      {item.label}
      {item.alert !== undefined && (
        <span className="ml-0.5 inline-flex items-center">
          <span aria-hidden className="size-2 rounded-full bg-danger forced:bg-[Mark]" />
          <span className="sr-only">, {item.alert}</span>
        </span>
      )}
      <span
        aria-hidden
        className={classNames(
          "absolute inset-x-3 h-0.5 rounded-full",
          stacked ? "top-0" : "bottom-0",
          isSelected && "bg-foreground forced:bg-[Highlight]",
        )}
      />
    </button>
  );
}
