/**
 * The guard decides about each call of an attempt. Made once per attempt from the journal as read before the
 * attempt began; the attempt's own calls never enter it, so an attempt can't block itself.
 *
 * Invariants: reads run; a completed entry answers one repeat; an interrupted entry is claimed once; what matches
 * nothing runs. Look-ups go by signature, computed with today's actions from the stored inputs: their cost does not
 * grow with the journal.
 */
import { type ActionPolicy, isRead } from "./action-policy.ts";
import type { RunEvent } from "./event.ts";
import { ClaimSlots, type Slot, type SlotClass } from "./guard-slots.ts";
import { classifyJournal, type Journal, type JournalEntry } from "./journal.ts";
import { signatureOf } from "./signature.ts";

export interface GuardOptions {
  /** What happens to an interrupted write whose action declares nothing. Default: hold. */
  readonly unknownWrites?: "hold" | "model";
  /** Whether an attempt came before this one. Default: whether the journal has entries. */
  readonly resumed?: boolean;
  /** seqs of starts whose entries are claimed already, by calls of a held step that is being finished. */
  readonly claimed?: readonly number[];
  /** Calls whose entries never answer: those of the held step that is being finished. */
  readonly excluded?: readonly string[];
}

export interface Decision {
  readonly decision: "run" | "block" | "verify" | "hold";
  /** One sentence for the reader of the run. */
  readonly reason: string;
  /** The entry that was claimed; with `behind`, the one that is waited for. */
  readonly entry?: JournalEntry;
  /** callId of the held call that this one waits behind. */
  readonly behind?: string;
  /** seq of an unclaimed start of the same tool that did not match. */
  readonly nearOf?: number;
  /** The key to run under when it is not the call's own. */
  readonly idempotencyKey?: string;
  /** Of a write: by what it was compared; null = with nothing. */
  readonly signature?: string | null;
}

export interface AskedCall {
  readonly tool: string;
  /** As the model sent it. */
  readonly input: unknown;
}

export interface Guard {
  /** Decides and claims. */
  decide(call: AskedCall): Decision;
  /** Takes in a write of this attempt whose outcome is unknown, so that it can't be asked for again in silence. */
  noteUnknown(entry: JournalEntry): void;
  /** Says that the call which claimed the entry is held; equal calls then wait behind it. */
  hold(entry: JournalEntry, callId: string): void;
  /** Takes in what became of open entries; gives back the claim of a decision that was not carried out. */
  learn(events: readonly RunEvent[], unclaimed: JournalEntry | undefined): void;
}

/** Makes the guard of one attempt. */
export function createGuard(
  journal: Journal,
  actions: Readonly<Record<string, ActionPolicy>>,
  options: GuardOptions = {},
): Guard {
  return new AttemptGuard(journal, actions, options);
}

class AttemptGuard implements Guard {
  readonly #slots = new ClaimSlots();
  readonly #actions: Readonly<Record<string, ActionPolicy>>;
  readonly #unknownWrites: "hold" | "model";
  readonly #resumed: boolean;

  constructor(
    journal: Journal,
    actions: Readonly<Record<string, ActionPolicy>>,
    options: GuardOptions,
  ) {
    this.#actions = actions;
    this.#unknownWrites = options.unknownWrites ?? "hold";
    const { completed, interrupted, absent } = journal;
    this.#resumed = options.resumed ?? completed.length + interrupted.length + absent.length > 0;
    const excluded = new Set(options.excluded);
    const claimed = new Set(options.claimed);
    const classed = [
      ...completed.map((entry) => ({ entry, class: "completed" as const })),
      ...interrupted.map((entry) => ({ entry, class: "interrupted" as const })),
      ...absent.map((entry) => ({ entry, class: "absent" as const })),
    ].sort((a, b) => a.entry.order - b.entry.order);
    for (const { entry, class: is } of classed) {
      if (entry.callId !== undefined && excluded.has(entry.callId)) continue;
      this.#add(entry, is, claimed.has(entry.startSeq));
    }
  }

  decide({ tool, input }: AskedCall): Decision {
    const action = this.#actionOf(tool);
    if (isRead(action)) return { decision: "run", reason: "A read is safe to repeat." };
    const signature = signatureOf(tool, input, action);
    const decision =
      signature === null
        ? this.#withoutSignature(tool)
        : this.#bySignature(signature, tool, action);
    return { ...decision, signature };
  }

  #bySignature(signature: string, tool: string, action: ActionPolicy | undefined): Decision {
    const completed = this.#slots.claim(signature, "completed");
    if (completed) return blockBy(completed.entry);
    const interrupted = this.#slots.claim(signature, "interrupted");
    if (interrupted) return this.#interruptedBy(interrupted.entry, action);
    const held = this.#slots.held(signature);
    if (held) return behind(held);
    const absent = this.#slots.claim(signature, "absent");
    if (absent) return runAbsent(absent.entry);
    return this.#fresh(tool);
  }

  noteUnknown(entry: JournalEntry): void {
    this.#add(entry, "interrupted", false);
  }

  hold(entry: JournalEntry, callId: string): void {
    this.#slots.setHeld(entry.startSeq, callId);
  }

  learn(events: readonly RunEvent[], unclaimed: JournalEntry | undefined): void {
    if (unclaimed) this.#slots.unclaim(unclaimed.startSeq);
    const journal = classifyJournal(events);
    const open = new Set(journal.interrupted.map(({ startSeq }) => startSeq));
    for (const entry of journal.completed) this.#slots.reclassify(entry, "completed");
    for (const entry of journal.absent) this.#slots.reclassify(entry, "absent");
    this.#slots.dropInterruptedExcept(open);
  }

  #actionOf(tool: string): ActionPolicy | undefined {
    return Object.hasOwn(this.#actions, tool) ? this.#actions[tool] : undefined;
  }

  #add(entry: JournalEntry, is: SlotClass, claimed: boolean): void {
    if (entry.kind === "read") return;
    const signature = signatureOf(entry.tool, entry.input, this.#actionOf(entry.tool));
    this.#slots.add({ entry, signature, class: is, claimed });
  }

  /** Nothing can be compared with it, so a person looks before it may be the second one. */
  #withoutSignature(tool: string): Decision {
    const near = this.#resumed ? this.#slots.nearest(tool) : undefined;
    if (!near) return { decision: "run", reason: "No earlier call of this action is on record." };
    return {
      decision: "hold",
      reason: `The input of this call can't be compared, and ${tool} was already started in this run. Is it the same effect?`,
      nearOf: near.startSeq,
    };
  }

  #interruptedBy(entry: JournalEntry, action: ActionPolicy | undefined): Decision {
    const when = `was started in attempt ${entry.attempt} and its outcome is unknown`;
    if (action?.verify) {
      return {
        decision: "verify",
        entry,
        reason: `The same call ${when}; the action can check it.`,
      };
    }
    if (action?.idempotent) {
      const reason = `The same call ${when}; it runs again under its first key, which the other side honours.`;
      return { decision: "run", entry, reason, ...keyOf(entry) };
    }
    const rule = action?.onUnknown ?? (this.#unknownWrites === "hold" ? "hold" : "run");
    if (rule === "run") {
      return {
        decision: "run",
        entry,
        reason: `The same call ${when}; the model was told and asked again.`,
      };
    }
    return { decision: "hold", entry, reason: `The same call ${when}. Did it happen?` };
  }

  #fresh(tool: string): Decision {
    const near = this.#resumed ? this.#slots.nearest(tool) : undefined;
    if (!near) return { decision: "run", reason: "It matches nothing that was done before." };
    return {
      decision: "run",
      reason: `It differs from every earlier call of ${tool}, so it is another effect.`,
      nearOf: near.startSeq,
    };
  }
}

function blockBy(entry: JournalEntry): Decision {
  const reason = `The same call completed in attempt ${entry.attempt}; its stored result answers.`;
  return { decision: "block", entry, reason };
}

function runAbsent(entry: JournalEntry): Decision {
  const reason = `The same call of attempt ${entry.attempt} did not happen; it runs under its first key.`;
  return { decision: "run", entry, reason, ...keyOf(entry) };
}

function behind({ entry, heldBy }: Slot): Decision {
  return {
    decision: "hold",
    entry,
    ...(heldBy !== undefined && { behind: heldBy }),
    reason: "The same call is already waiting for an answer; this one waits behind it.",
  };
}

function keyOf({ idempotencyKey }: JournalEntry) {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}
