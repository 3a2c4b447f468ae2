/**
 * The entries a guard can claim, found by signature and, when nothing is equal, by near forms. A slot stands in one
 * queue per name and class; queues pass over slots that were claimed or have changed their class, so that each
 * look-up is constant on average.
 */
import type { JournalEntry } from "./journal.ts";
import { nearFormsOf } from "./near.ts";

export type SlotClass = "completed" | "interrupted" | "absent";

export interface Slot {
  entry: JournalEntry;
  /** null matches nothing, but the slot still counts as an earlier call of its tool. */
  readonly signature: string | null;
  /** What the signature was made of. */
  readonly value: unknown;
  class: SlotClass | "gone";
  claimed: boolean;
  /** callId of the held call that claimed it. */
  heldBy?: string;
}

class SlotQueue {
  readonly #slots: Slot[] = [];
  #head = 0;

  add(slot: Slot): void {
    this.#slots.push(slot);
  }

  /** The oldest slot that passes; those before it never pass again, unless `rewind` is called. */
  first(passes: (slot: Slot) => boolean): Slot | undefined {
    for (; this.#head < this.#slots.length; this.#head += 1) {
      const slot = this.#slots[this.#head];
      if (slot && passes(slot)) return slot;
    }
    return undefined;
  }

  rewind(): void {
    this.#head = 0;
  }
}

type QueueKind = SlotClass | "held" | "tool" | "near" | "near-shorter";

export class ClaimSlots {
  readonly #queues = new Map<string, SlotQueue>();
  readonly #bySeq = new Map<number, Slot>();
  /** Tools whose entries stand in queues by near form: made when first asked for. */
  readonly #nearTools = new Set<string>();

  add(slot: Slot): void {
    this.#bySeq.set(slot.entry.startSeq, slot);
    this.#queue("tool", slot.entry.tool).add(slot);
    if (this.#nearTools.has(slot.entry.tool)) this.#addNear(slot);
    this.#enqueue(slot);
  }

  at(startSeq: number): Slot | undefined {
    return this.#bySeq.get(startSeq);
  }

  /** Claims the oldest unclaimed slot of a class. */
  claim(signature: string, wanted: SlotClass): Slot | undefined {
    const slot = this.#queue(wanted, signature).first((s) => !s.claimed && s.class === wanted);
    if (slot) slot.claimed = true;
    return slot;
  }

  /** A slot that is still open and was claimed by a held call. */
  held(signature: string): Slot | undefined {
    return this.#queue("held", signature).first((s) => s.class === "interrupted" && s.claimed);
  }

  /** The oldest unclaimed entry of a tool that may have had an effect. */
  nearest(tool: string): JournalEntry | undefined {
    return this.#queue("tool", tool).first(mayHaveHappened)?.entry;
  }

  /** The oldest unclaimed slot of a tool that is nearly equal to a value. Source of the rules: near.ts. */
  near(tool: string, value: unknown): Slot | undefined {
    this.#indexNear(tool);
    const { whole, shorter } = nearFormsOf(value);
    if (whole === null) return undefined;
    const find = (kind: "near" | "near-shorter", text: string) =>
      this.#queue(kind, `${tool} ${text}`).first(mayHaveHappened);
    const found = find("near", whole) ?? find("near-shorter", whole);
    if (found) return found;
    for (const text of shorter) {
      const longer = find("near", text);
      if (longer) return longer;
    }
    return undefined;
  }

  setHeld(startSeq: number, callId: string): void {
    const slot = this.#bySeq.get(startSeq);
    if (!slot || slot.heldBy !== undefined) return;
    slot.heldBy = callId;
    if (slot.signature !== null) this.#queue("held", slot.signature).add(slot);
  }

  unclaim(startSeq: number): void {
    const slot = this.#bySeq.get(startSeq);
    if (!slot) return;
    slot.claimed = false;
    this.#rewind(slot);
  }

  /**
   * Moves an entry that was open to the class it has now. A call that only waits for it gives its claim back; one
   * that ran under its key keeps it.
   */
  reclassify(entry: JournalEntry, now: SlotClass): void {
    const slot = this.#bySeq.get(entry.startSeq);
    if (slot?.class !== "interrupted") return;
    slot.entry = entry;
    slot.class = now;
    if (slot.heldBy !== undefined) slot.claimed = false;
    this.#enqueue(slot);
    this.#rewind(slot);
  }

  /** Lets go of open entries that are open no longer and have no class: known not to have happened. */
  dropInterruptedExcept(open: ReadonlySet<number>): void {
    for (const [startSeq, slot] of this.#bySeq) {
      if (slot.class === "interrupted" && !open.has(startSeq)) slot.class = "gone";
    }
  }

  #indexNear(tool: string): void {
    if (this.#nearTools.has(tool)) return;
    this.#nearTools.add(tool);
    for (const slot of this.#bySeq.values()) {
      if (slot.entry.tool === tool) this.#addNear(slot);
    }
  }

  #addNear(slot: Slot): void {
    for (const { kind, name } of nearNames(slot)) this.#queue(kind, name).add(slot);
  }

  #enqueue(slot: Slot): void {
    if (slot.signature !== null && slot.class !== "gone") {
      this.#queue(slot.class, slot.signature).add(slot);
    }
  }

  #rewind(slot: Slot): void {
    const { tool } = slot.entry;
    this.#queue("tool", tool).rewind();
    if (this.#nearTools.has(tool)) {
      for (const { kind, name } of nearNames(slot)) this.#queue(kind, name).rewind();
    }
    if (slot.signature !== null && slot.class !== "gone") {
      this.#queue(slot.class, slot.signature).rewind();
    }
  }

  #queue(kind: QueueKind, name: string): SlotQueue {
    const key = `${kind} ${name}`;
    const known = this.#queues.get(key);
    if (known) return known;
    const made = new SlotQueue();
    this.#queues.set(key, made);
    return made;
  }
}

function mayHaveHappened({ claimed, class: is }: Slot): boolean {
  return !claimed && (is === "completed" || is === "interrupted");
}

function nearNames({ entry, value }: Slot) {
  const { whole, shorter } = nearFormsOf(value);
  if (whole === null) return [];
  return [
    { kind: "near" as const, name: `${entry.tool} ${whole}` },
    ...shorter.map((text) => ({ kind: "near-shorter" as const, name: `${entry.tool} ${text}` })),
  ];
}
