"use client";
/**
 * State that survives a reload, in the browser's own storage. Several places of a page and several tabs that use
 * one key see one value. Without storage (switched off, full) it lives as long as the page.
 */
import { useCallback, useSyncExternalStore } from "react";

interface Entry {
  raw: string | null;
  value: unknown;
  readonly listeners: Set<() => void>;
}

const entries = new Map<string, Entry>();

export function useStoredState<T>(key: string, initial: T): readonly [T, (next: T) => void] {
  const subscribe = useCallback((listener: () => void) => watch(key, listener), [key]);
  const read = () => {
    const { value } = entryOf(key);
    return value === undefined ? initial : (value as T);
  };
  const value = useSyncExternalStore(subscribe, read, () => initial);
  const write = useCallback((next: T) => store(key, next), [key]);
  return [value, write];
}

function entryOf(key: string): Entry {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const raw = readRaw(key);
  const entry: Entry = { raw, value: parse(raw), listeners: new Set() };
  entries.set(key, entry);
  return entry;
}

function watch(key: string, listener: () => void): () => void {
  const entry = entryOf(key);
  entry.listeners.add(listener);
  const onStorage = (event: StorageEvent) => {
    if (event.key !== key || event.newValue === entry.raw) return;
    entry.raw = event.newValue;
    entry.value = parse(event.newValue);
    for (const each of entry.listeners) each();
  };
  window.addEventListener("storage", onStorage);
  return () => {
    entry.listeners.delete(listener);
    window.removeEventListener("storage", onStorage);
  };
}

function store(key: string, next: unknown): void {
  const entry = entryOf(key);
  entry.value = next;
  entry.raw = JSON.stringify(next);
  try {
    localStorage.setItem(key, entry.raw);
  } catch {
    // Without storage the value lives in memory, as the head of this file says.
  }
  for (const each of entry.listeners) each();
}

function readRaw(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function parse(raw: string | null): unknown {
  if (raw === null) return undefined;
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return undefined;
  }
}
