/**
 * A list that is never changed in place, with look-up by key in constant time. The positions are remembered beside
 * the list, not in it: the list stays plain JSON, and a list that came over the wire is indexed on first use.
 * The memory is a hint that every look-up checks against the list, so lists that share a past can't mislead.
 */
type Positions = Map<string, number>;

const memory = new WeakMap<readonly unknown[], Positions>();

/** Names an item: one or more keys, each unique in the list. */
export type KeysOf<Item> = (item: Item) => readonly string[];

function positionsOf<Item>(list: readonly Item[], keysOf: KeysOf<Item>): Positions {
  const known = memory.get(list);
  if (known !== undefined) return known;
  const positions: Positions = new Map();
  list.forEach((item, at) => {
    for (const key of keysOf(item)) if (!positions.has(key)) positions.set(key, at);
  });
  memory.set(list, positions);
  return positions;
}

/** Position of the item with this key, or -1. */
export function positionOf<Item>(list: readonly Item[], key: string, keysOf: KeysOf<Item>): number {
  const at = positionsOf(list, keysOf).get(key);
  if (at === undefined) return -1;
  const item = list[at];
  if (item !== undefined && keysOf(item).includes(key)) return at;
  // Another list with the same past has moved the key: look for it here.
  return list.findIndex((candidate) => keysOf(candidate).includes(key));
}

/** A copy with `item` at `at`; `at` = the list's length adds it. */
export function withItem<Item>(
  list: readonly Item[],
  at: number,
  item: Item,
  keysOf: KeysOf<Item>,
): readonly Item[] {
  const positions = positionsOf(list, keysOf);
  const next = list.slice();
  next[at] = item;
  for (const key of keysOf(item)) {
    const before = positions.get(key);
    // A first holder of the key in this list keeps it; a stale hint gives way.
    const holder = before === undefined ? undefined : next[before];
    if (holder === undefined || !keysOf(holder).includes(key)) positions.set(key, at);
  }
  memory.set(next, positions);
  return next;
}

/** A copy without the item at `at`. Its positions are found anew when they are next asked for. */
export function withoutItem<Item>(list: readonly Item[], at: number): readonly Item[] {
  return list.filter((_, index) => index !== at);
}
