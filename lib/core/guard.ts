/**
 * The guard decides about each call of an attempt. Made once per attempt from the journal as read before the
 * attempt began; the attempt's own calls never enter it, so an attempt can't block itself.
 *
 * Invariants: reads run; a completed entry answers one repeat; an interrupted entry is claimed once; what matches
 * nothing runs, unless its action wants a person to look at near matches or to allow it first. Look-ups go by
 * signature, computed with today's actions from the stored inputs: their cost does not grow with the journal.
 */
import { type ActionPolicy, isRead, needsApproval } from "./action-policy.ts";
import type { HeldQuestion, RunEvent } from "./event.ts";
import { ClaimSlots, type SlotClass } from "./guard-slots.ts";
import { classifyJournal, type Journal, type JournalEntry } from "./journal.ts";
import { differencesOf, type FieldDifference } from "./near.ts";
import { type Comparable, comparableOf, signatureOf } from "./signature.ts";

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
  /** Of a hold: what a person is asked. */
  readonly question?: HeldQuestion;
  /** seq of an unclaimed start of the same tool that did not match. */
  readonly nearOf?: number;
  /** Set when that start is a near match: how this call differs from it. */
  readonly differences?: readonly FieldDifference[];
  /** Fields that differ from the entry's and do not count for the action's identity. */
  readonly ignored?: readonly string[];
  /** With `verify`: what to do when the verifier can't tell. The entry is claimed for that too. */
  readonly unverified?: Decision;
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

/** What a person has already said about a call that was held. */
export interface Leave {
  /** seq of the start it is close to: it is another effect, or that one did not happen. */
  readonly notNear?: number;
  readonly approved?: boolean;
}

export interface Guard {
  /** Decides and claims. */
  decide(call: AskedCall, leave?: Leave): Decision;
  /** Decides about a call of which a person said that it is the effect of that start. */
  decideSame(call: AskedCall, startSeq: number): Decision;
  /** Takes in a write of this attempt whose outcome is unknown, so that it can't be asked for again in silence. */
  noteUnknown(entry: JournalEntry): void;
  /** Says that a call is held by this decision; equal calls then wait behind it. */
  hold(decision: Decision, callId: string): void;
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
  /** Calls that are held on their own account, by signature. */
  readonly #held = new Map<string, string>();
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

  decide({ tool, input }: AskedCall, leave: Leave = {}): Decision {
    const action = this.#actionOf(tool);
    if (isRead(action)) return { decision: "run", reason: "A read is safe to repeat." };
    const signature = signatureOf(tool, input, action);
    if (signature === null) return { ...this.#withoutSignature(tool), signature };
    const asked = { tool, action, signature, ...comparableOf(input, action) };
    return { ...this.#bySignature(asked, leave), signature };
  }

  decideSame({ tool, input }: AskedCall, startSeq: number): Decision {
    const action = this.#actionOf(tool);
    const signature = signatureOf(tool, input, action);
    const slot = this.#slots.at(startSeq);
    if (slot?.class !== "completed") return { ...this.decide({ tool, input }), signature };
    slot.claimed = true;
    const reason = "A person said that this is the call that completed; its stored result answers.";
    return { decision: "block", entry: slot.entry, reason, signature };
  }

  #bySignature(asked: Asked, leave: Leave): Decision {
    const { signature } = asked;
    const completed = this.#slots.claim(signature, "completed");
    if (completed) return { ...blockBy(completed.entry), ...ignoredIn(asked, completed.entry) };
    const interrupted = this.#slots.claim(signature, "interrupted");
    if (interrupted) {
      const decision = this.#interruptedBy(interrupted.entry, asked.action);
      return { ...decision, ...ignoredIn(asked, interrupted.entry) };
    }
    const held = this.#slots.held(signature);
    if (held) return behind(held.heldBy, held.entry);
    const absent = this.#slots.claim(signature, "absent");
    if (absent) return { ...runAbsent(absent.entry), ...ignoredIn(asked, absent.entry) };
    const heldCallId = this.#held.get(signature);
    if (heldCallId !== undefined) return behind(heldCallId);
    return this.#fresh(asked, leave);
  }

  noteUnknown(entry: JournalEntry): void {
    this.#add(entry, "interrupted", false);
  }

  hold({ question, entry, behind: waitsFor, signature }: Decision, callId: string): void {
    if (waitsFor !== undefined) return;
    if (question === "unknown" && entry) this.#slots.setHeld(entry.startSeq, callId);
    else if (typeof signature === "string") this.#held.set(signature, callId);
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
    const action = this.#actionOf(entry.tool);
    const signature = signatureOf(entry.tool, entry.input, action);
    const { value } = comparableOf(entry.input, action);
    this.#slots.add({ entry, signature, value, class: is, claimed });
  }

  /** Nothing can be compared with it, so a person looks before it may be the second one. */
  #withoutSignature(tool: string): Decision {
    const near = this.#resumed ? this.#slots.nearest(tool) : undefined;
    if (!near) return { decision: "run", reason: "No earlier call of this action is on record." };
    return {
      decision: "hold",
      question: "near",
      reason: `The input of this call can't be compared, and ${tool} was already started in this run. Is it the same effect?`,
      nearOf: near.startSeq,
    };
  }

  #interruptedBy(entry: JournalEntry, action: ActionPolicy | undefined): Decision {
    const unverified = this.#unverifiedBy(entry, action);
    if (!action?.verify) return unverified;
    const reason = `The same call ${whenOf(entry)}; the action can check it.`;
    return { decision: "verify", entry, reason, unverified };
  }

  #unverifiedBy(entry: JournalEntry, action: ActionPolicy | undefined): Decision {
    const when = whenOf(entry);
    if (action?.transactional) {
      const reason = `The same call of attempt ${entry.attempt} was not committed, so it did not happen; it runs under its first key.`;
      return { decision: "run", entry, reason, ...keyOf(entry) };
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
    const reason = `The same call ${when}. Did it happen?`;
    return { decision: "hold", question: "unknown", entry, reason };
  }

  #fresh(asked: Asked, leave: Leave): Decision {
    const decision = this.#freshOrNear(asked, leave);
    if (decision.decision !== "run" || leave.approved) return decision;
    if (!needsApproval(asked.action, asked.parsed)) return decision;
    const reason = `${asked.tool} is done only with a person's leave. May it be done?`;
    return { ...decision, decision: "hold", question: "approval", reason };
  }

  #freshOrNear(asked: Asked, leave: Leave): Decision {
    const { tool, action } = asked;
    const instead = leave.notNear === undefined ? undefined : this.#slots.at(leave.notNear);
    if (instead?.class === "absent" && !instead.claimed) {
      instead.claimed = true;
      return runAbsent(instead.entry);
    }
    const another = `It differs from every earlier call of ${tool}, so it is another effect.`;
    const near = this.#resumed ? this.#slots.near(tool, asked.value) : undefined;
    if (!near) {
      const sameTool = this.#resumed ? this.#slots.nearest(tool) : undefined;
      if (sameTool) return { decision: "run", reason: another, nearOf: sameTool.startSeq };
      return { decision: "run", reason: "It matches nothing that was done before." };
    }
    const { entry } = near;
    const differences = differencesOf(near.value, asked.value);
    const mark = { nearOf: entry.startSeq, differences };
    if (action?.onNear !== "hold" || leave.notNear !== undefined) {
      const isTold = leave.notNear === entry.startSeq;
      const reason = isTold ? "A person said that it is another effect." : another;
      return { decision: "run", reason, ...mark };
    }
    near.claimed = true;
    const reason = `It is nearly the same as the call of attempt ${entry.attempt}. Is it the same effect?`;
    return { decision: "hold", question: "near", entry, reason, ...mark };
  }
}

interface Asked extends Comparable {
  readonly tool: string;
  readonly action: ActionPolicy | undefined;
  readonly signature: string;
}

function whenOf({ attempt }: JournalEntry): string {
  return `was started in attempt ${attempt} and its outcome is unknown`;
}

/** With an identity equal calls may differ in what does not count for it. */
function ignoredIn({ by, action, parsed }: Asked, entry: JournalEntry) {
  if (by === "input") return {};
  const differences = differencesOf(comparableOf(entry.input, action).parsed, parsed);
  return differences.length === 0 ? {} : { ignored: differences.map(({ path }) => path) };
}

function blockBy(entry: JournalEntry): Decision {
  const reason = `The same call completed in attempt ${entry.attempt}; its stored result answers.`;
  return { decision: "block", entry, reason };
}

function runAbsent(entry: JournalEntry): Decision {
  const reason = `The same call of attempt ${entry.attempt} did not happen; it runs under its first key.`;
  return { decision: "run", entry, reason, ...keyOf(entry) };
}

function behind(heldCallId: string | undefined, entry?: JournalEntry): Decision {
  return {
    decision: "hold",
    question: "unknown",
    ...(entry && { entry }),
    ...(heldCallId !== undefined && { behind: heldCallId }),
    reason: "The same call is already waiting for an answer; this one waits behind it.",
  };
}

function keyOf({ idempotencyKey }: JournalEntry) {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}
