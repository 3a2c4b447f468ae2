/**
 * The journal: a run's calls, classified from its ledger. A pure read in one pass; it writes nothing and needs
 * nothing beyond starts, dones and clears, so a foreign ledger without call ids classifies as well.
 *
 * Invariants: it never throws; an unknown outcome stays interrupted until a done, a verification or a person
 * settles it; one effect is one entry. A malformed event is skipped and reported.
 *
 *   start ─▶ open ──ok, landed──▶ completed
 *             │ ╲──failed, denied──▶ closed (no list)
 *             │  ╲─absent, again──▶ absent ──later start with its key──▶ closed
 *             └──clear──▶ dropped ──ok or failed by callId──▶ completed, closed
 */
import type { CallKind, RunEvent } from "./event.ts";
import { CallQueues, type JournalCall } from "./journal-call.ts";
import {
  type ClearFact,
  type DoneFact,
  type Fields,
  type PlaceFact,
  readCount,
  readFact,
  type ResolvedFact,
  type StartFact,
} from "./journal-event.ts";
import { inputText, signatureOf } from "./signature.ts";

/** One call of the journal. */
export interface JournalEntry {
  readonly tool: string;
  /** As the model sent it. */
  readonly input: unknown;
  /** As stored, else of the input as sent; for display. The guard computes its own with today's action. */
  readonly signature: string | null;
  /** 0-based among the run's starts, never reset. */
  readonly order: number;
  readonly startSeq: number;
  readonly attempt: number;
  /** The model step it was asked in; 0 where the ledger has no steps. */
  readonly step: number;
  readonly callId?: string;
  readonly result?: unknown;
  readonly idempotencyKey?: string;
  readonly kind?: CallKind;
  /** Who answered for it, when its own outcome did not come first. */
  readonly settledBy?: "verify" | "person";
}

/** Something in the ledger that a reader should know of and that changed no class. */
export interface Problem {
  readonly kind: "malformed" | "unpaired" | "contradiction";
  readonly seq: number;
  readonly callId?: string;
  readonly message: string;
}

export interface Journal {
  readonly completed: JournalEntry[];
  readonly interrupted: JournalEntry[];
  readonly absent: JournalEntry[];
  readonly problems: Problem[];
}

/** Classifies a run's calls. Never throws, whatever the list holds. */
export function classifyJournal(events: readonly RunEvent[]): Journal {
  const fold = new JournalFold();
  for (const event of events) fold.push(event);
  return fold.result();
}

/** The journal read event by event; `result` may be asked for at any point. */
export class JournalFold {
  readonly #calls: JournalCall[] = [];
  readonly #problems: Problem[] = [];
  readonly #open = new CallQueues();
  readonly #openWithoutId = new CallQueues();
  readonly #openById = new CallQueues();
  readonly #ids = new Set<string>();
  readonly #droppedById = new Map<string, JournalCall>();
  readonly #settledById = new Map<string, JournalCall>();
  readonly #openCount = new Map<string, number>();
  readonly #byKey = new Map<string, JournalCall[]>();
  readonly #absentByKey = new Map<string, JournalCall[]>();
  readonly #openReads = new Set<JournalCall>();
  readonly #openAny = new Set<JournalCall>();
  readonly #earlyDones = new Map<string, DoneFact>();
  readonly #plannedStep = new Map<string, number>();
  #position = 0;
  #attempt = 0;
  #step = 0;

  push(event: unknown): void {
    this.#position += 1;
    let seq = this.#position;
    try {
      seq = this.#placeOf(event);
      this.#apply(event, seq);
    } catch {
      // A getter that throws, or the like: no event of ours, and no reason to lose the others.
      this.#report("malformed", seq, "The event could not be read.");
    }
  }

  result(): Journal {
    const of = (wanted: JournalCall["class"]) =>
      this.#calls.filter((call) => call.class === wanted).map(entryOf);
    return {
      completed: of("completed"),
      interrupted: of("open"),
      absent: of("absent"),
      problems: [...this.#problems],
    };
  }

  #placeOf(event: unknown): number {
    if (typeof event !== "object" || event === null) return this.#position;
    const fields = event as Fields;
    this.#attempt = readCount(fields["attempt"]) ?? this.#attempt;
    return readCount(fields["seq"]) ?? this.#position;
  }

  #apply(event: unknown, seq: number): void {
    const fact = readFact(event);
    switch (fact.is) {
      case "start":
        return this.#start(fact, seq);
      case "done":
        return this.#done(fact, seq);
      case "resolved":
        return this.#resolved(fact, seq);
      case "clear":
        return this.#clear(fact);
      case "place":
        return this.#place(fact);
      case "attempt":
        this.#step = 0;
        return;
      case "malformed":
        return this.#report("malformed", seq, fact.message);
      case "nothing":
        return;
    }
  }

  #place({ step, planned }: PlaceFact): void {
    this.#step = step;
    for (const callId of planned) this.#plannedStep.set(callId, step);
  }

  #start(fact: StartFact, seq: number): void {
    const text = inputText(fact.input);
    if (this.#isRepeatedStart(fact, text)) return;
    const call: JournalCall = {
      tool: fact.tool,
      input: fact.input,
      inputText: text,
      signature: fact.signature === undefined ? signatureOf(fact.tool, fact.input) : fact.signature,
      order: this.#calls.length,
      startSeq: seq,
      attempt: this.#attempt,
      step: (fact.callId !== undefined && this.#plannedStep.get(fact.callId)) || this.#step,
      callId: fact.callId,
      idempotencyKey: fact.idempotencyKey,
      kind: fact.kind,
      class: "open",
      result: undefined,
      settled: undefined,
      settledBy: undefined,
    };
    this.#calls.push(call);
    this.#openUp(call);
    this.#useUpAbsent(call);
    this.#applyEarlyDone(call, seq);
  }

  #isRepeatedStart({ callId, tool }: StartFact, text: string | null): boolean {
    if (callId === undefined || text === null) return false;
    return this.#openById.of(callId, tool, text).first() !== undefined;
  }

  #openUp(call: JournalCall): void {
    const { tool, inputText: text, callId, idempotencyKey } = call;
    for (const queues of callId === undefined ? [this.#open, this.#openWithoutId] : [this.#open]) {
      queues.of(tool).add(call);
      if (text !== null) queues.of(tool, text).add(call);
    }
    if (callId !== undefined) {
      this.#ids.add(callId);
      this.#openById.of(callId).add(call);
      if (text !== null) {
        this.#openById.of(callId, tool, text).add(call);
      }
    }
    this.#count(call, 1);
    this.#openAny.add(call);
    if (call.kind === "read") this.#openReads.add(call);
    if (idempotencyKey !== undefined) pushTo(this.#byKey, keyName(call), call);
  }

  /** An entry settled as absent is answered for by the first later start under its key. */
  #useUpAbsent(call: JournalCall): void {
    if (call.idempotencyKey === undefined) return;
    const absent = this.#absentByKey.get(keyName(call))?.shift();
    if (absent) absent.class = "closed";
  }

  #applyEarlyDone(call: JournalCall, seq: number): void {
    if (call.callId === undefined) return;
    const early = this.#earlyDones.get(call.callId);
    if (early === undefined) return;
    this.#earlyDones.delete(call.callId);
    this.#settleByDone(call, early, seq);
  }

  #done(fact: DoneFact, seq: number): void {
    const { callId } = fact;
    const isOwn = callId !== undefined && this.#ids.has(callId);
    const call = isOwn ? this.#ownCall(callId, fact) : this.#pairWithoutId(fact, seq);
    if (call) return this.#settleByDone(call, fact, seq);
    if (isOwn || callId === undefined) return;
    // The writers raced: the start of this call may still come.
    const early = this.#earlyDones.get(callId);
    if (early === undefined || early.outcome === "unknown") this.#earlyDones.set(callId, fact);
  }

  /** Of the calls under one id: the open one, by input where the done names it; else one it can still prove. */
  #ownCall(callId: string, fact: DoneFact): JournalCall | undefined {
    const text = namedInput(fact) ?? undefined;
    const same =
      fact.tool === undefined || text === undefined
        ? undefined
        : this.#openById.of(callId, fact.tool, text).first();
    return (
      same ??
      this.#openById.of(callId).first() ??
      this.#droppedById.get(callId) ??
      this.#settledById.get(callId)
    );
  }

  /** Ids on both sides that differ never pair; a done with an id looks among starts that have none. */
  #pairWithoutId(fact: DoneFact, seq: number): JournalCall | undefined {
    if (fact.tool === undefined) return undefined;
    const withoutId = fact.callId !== undefined;
    const queues = withoutId ? this.#openWithoutId : this.#open;
    const oldest = queues.of(fact.tool).first();
    const text = namedInput(fact);
    if (oldest === undefined || text === undefined) return oldest;
    const same = text === null ? undefined : queues.of(fact.tool, text).first();
    if (same) return same;
    if (this.#openCount.get(countName(fact.tool, withoutId)) === 1) return oldest;
    this.#report(
      "unpaired",
      seq,
      `A tool_done of ${fact.tool} names an input that no open start has.`,
    );
    return undefined;
  }

  #settleByDone(call: JournalCall, fact: DoneFact, seq: number): void {
    if (call.settled !== undefined) return this.#contradiction(call, fact, seq);
    if (fact.outcome === "unknown") return;
    if (fact.outcome === "failed") return this.#close(call, "closed");
    this.#complete(call, fact.result);
  }

  #contradiction(call: JournalCall, fact: DoneFact, seq: number): void {
    if (fact.outcome === "unknown") return;
    const agrees = (call.settled === "landed") === (fact.outcome === "ok");
    if (agrees) return;
    const message = `Settled as ${call.settled}, but its outcome came later: ${fact.outcome}.`;
    this.#report("contradiction", seq, message, call.callId);
  }

  /** The world honours a key once: every open start under it is the same effect, and one entry. */
  #complete(call: JournalCall, result: unknown): void {
    const sameKey = call.idempotencyKey === undefined ? [] : (this.#byKey.get(keyName(call)) ?? []);
    const group = sameKey.filter((other) => other.class === "open" && other !== call);
    const first = group.find((other) => other.order < call.order) ?? call;
    if (call.idempotencyKey !== undefined) this.#byKey.delete(keyName(call));
    for (const other of [call, ...group])
      this.#close(other, other === first ? "completed" : "closed");
    first.result = result;
  }

  #close(call: JournalCall, into: Exclude<JournalCall["class"], "open">): void {
    if (call.class === "open") {
      this.#count(call, -1);
      this.#openAny.delete(call);
      this.#openReads.delete(call);
    }
    call.class = into;
    if (call.callId === undefined) return;
    if (into === "dropped") this.#droppedById.set(call.callId, call);
    else this.#droppedById.delete(call.callId);
  }

  #resolved(fact: ResolvedFact, seq: number): void {
    if (fact.outcome === "approved") return;
    const call = this.#openById.of(fact.callId).first() ?? this.#droppedById.get(fact.callId);
    if (!call) {
      // An answer about a held call itself settles no start.
      if (fact.outcome !== "denied" && !fact.isAboutHeld) {
        this.#report(
          "unpaired",
          seq,
          "A tool_resolved settles a call that is not open.",
          fact.callId,
        );
      }
      return;
    }
    call.settledBy = fact.by;
    if (fact.outcome === "landed") {
      this.#complete(call, fact.result);
      call.settled = "landed";
    } else if (fact.outcome === "denied") {
      this.#close(call, "closed");
      call.settled = "denied";
    } else {
      this.#close(call, "absent");
      call.settled = "absent";
      if (call.idempotencyKey !== undefined) pushTo(this.#absentByKey, keyName(call), call);
    }
    this.#settledById.set(fact.callId, call);
  }

  #clear({ readsOnly }: ClearFact): void {
    for (const call of [...(readsOnly ? this.#openReads : this.#openAny)]) {
      this.#close(call, "dropped");
    }
  }

  #count(call: JournalCall, by: 1 | -1): void {
    const names = [countName(call.tool, false)];
    if (call.callId === undefined) names.push(countName(call.tool, true));
    for (const name of names) this.#openCount.set(name, (this.#openCount.get(name) ?? 0) + by);
  }

  #report(kind: Problem["kind"], seq: number, message: string, callId?: string): void {
    this.#problems.push({ kind, seq, message, ...(callId !== undefined && { callId }) });
  }
}

const keyName = (call: JournalCall) => JSON.stringify([call.tool, call.idempotencyKey]);
const countName = (tool: string, withoutId: boolean) => `${withoutId ? "-" : "+"}${tool}`;

/** undefined: the done names no input. null: it names one that nothing can be compared with. */
function namedInput(fact: DoneFact): string | null | undefined {
  return fact.input === undefined || fact.input === null ? undefined : inputText(fact.input);
}

function pushTo(map: Map<string, JournalCall[]>, key: string, call: JournalCall): void {
  const known = map.get(key);
  if (known) known.push(call);
  else map.set(key, [call]);
}

function entryOf(call: JournalCall): JournalEntry {
  const { tool, input, signature, order, startSeq, attempt, step } = call;
  return {
    tool,
    input,
    signature,
    order,
    startSeq,
    attempt,
    step,
    ...(call.callId !== undefined && { callId: call.callId }),
    ...(call.result !== undefined && { result: call.result }),
    ...(call.idempotencyKey !== undefined && { idempotencyKey: call.idempotencyKey }),
    ...(call.kind !== undefined && { kind: call.kind }),
    ...(call.settledBy !== undefined && { settledBy: call.settledBy }),
  };
}
