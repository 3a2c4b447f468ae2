/**
 * What a rule of the store's contract begins with: runs in the states it needs, under an owner of its own, so that
 * rules share one store and no rule sees another's rows. Nothing here waits for time: a lease of 0 ms has run out.
 */
import { AppError } from "../core/errors.ts";
import type { NewEvent } from "../core/event.ts";
import { asOwnerId, asRunId, asThreadId, type OwnerId, type RunId } from "../core/ids.ts";
import type { ThreadId } from "../core/ids.ts";
import type { Appended, Effects, Leases, Ledger, NewRun, Runs, Wakeups } from "../core/ports.ts";
import type { Lease, RunRecord } from "../core/run-record.ts";
import { aNewEvent, type Sketch } from "./builders.ts";
import { transcriptOf } from "./transcript.ts";

/** The ports that the contract is about. */
export interface ContractStore {
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly runs: Runs;
  readonly wakeups: Wakeups;
  readonly effects: Effects;
}

/** A call that waits for an answer about `sent`, maybe behind another that asks the same. */
export interface HeldShape {
  readonly asked: string;
  readonly sent: string;
  readonly behind?: string;
}

let made = 0;
const nextNumber = () => String((made += 1)).padStart(20, "0");

/** Long enough that no lease or pause of a rule ever runs out by itself. */
export const LONG_MS = 600_000;

export class Scene {
  readonly store: ContractStore;
  readonly peer: ContractStore;
  readonly ownerId: OwnerId = asOwnerId(`ada-${nextNumber()}`);

  /** `peer`: the same database as another process sees it. */
  constructor(store: ContractStore, peer: ContractStore) {
    this.store = store;
    this.peer = peer;
  }

  newId(prefix: string): string {
    return `${prefix}_${nextNumber()}`;
  }

  newRunId(): RunId {
    return asRunId(this.newId("run"));
  }

  async thread(ownerId = this.ownerId): Promise<ThreadId> {
    return (await this.store.runs.createThread(ownerId, asThreadId(this.newId("thr")))).id;
  }

  /** A request in a new thread. */
  async request(more: Partial<NewRun> = {}): Promise<NewRun> {
    const ownerId = more.ownerId ?? this.ownerId;
    return {
      runId: this.newRunId(),
      ownerId,
      threadId: more.threadId ?? (await this.thread(ownerId)),
      input: { kind: "message", text: "Email Ada the report" },
      model: { temper: "heeds" },
      faults: [],
      ...more,
    };
  }

  async run(more: Partial<NewRun> = {}): Promise<RunRecord> {
    return (await this.store.runs.createRun(await this.request(more))).run;
  }

  /** A new run that `owner` has claimed; its ledger holds `run_started` alone. */
  async claimed(owner = "worker-1", more: Partial<NewRun> = {}): Promise<Lease> {
    return this.claim((await this.run(more)).id, owner);
  }

  async claim(runId: RunId, owner: string, leaseMs = LONG_MS): Promise<Lease> {
    const claimed = await this.store.leases.claim(runId, owner, leaseMs);
    if (!claimed) throw new Error(`${runId} can't be claimed`);
    return claimed.lease;
  }

  /** Another owner takes the run although the one before lives on. */
  async takeOver({ runId }: Lease, owner = "worker-2"): Promise<Lease> {
    await this.store.leases.expireRun(runId);
    return this.claim(runId, owner);
  }

  append(lease: Lease, ...sketches: readonly Sketch[]): Promise<Appended> {
    const events = eventsOf(sketches);
    return this.store.ledger.append({ lease, appendId: this.newId("app"), events });
  }

  /** A run that waits; the starts of `sent` stand from seq 4, the holds after the second attempt began. */
  async waiting(held: readonly HeldShape[] = [{ asked: "asked", sent: "sent" }]): Promise<Lease> {
    const lease = await this.claimed();
    const sent = [...new Set(held.map((call) => call.sent))];
    await this.append(lease, ...firstAttempt(sent));
    const again = await this.claim(lease.runId, "worker-1");
    await this.append(again, ...secondAttempt(sent, held));
    return again;
  }

  /** A run that ended with the write `sent` (seq 3) open. */
  async ended(end: Sketch): Promise<Lease> {
    const lease = await this.claimed();
    await this.append(lease, { type: "attempt_started" }, aStart("sent"), end);
    return lease;
  }

  async lines(runId: RunId, afterSeq = 0): Promise<string[]> {
    return transcriptOf(await this.store.ledger.read(runId, afterSeq, 1_000));
  }

  row(runId: RunId): Promise<RunRecord> {
    return this.store.runs.getRun(this.ownerId, runId);
  }
}

export function eventsOf(sketches: readonly Sketch[]): NewEvent[] {
  return sketches.map((sketch) => aNewEvent(sketch));
}

const aStart = (callId: string): Sketch => ({ type: "tool_start", callId });

const plan = (callId: string) => ({
  callId,
  providerCallId: callId,
  tool: "send_email",
  input: {},
});

function firstAttempt(sent: readonly string[]): Sketch[] {
  return [
    { type: "attempt_started" },
    { type: "step_finished", calls: sent.map(plan) },
    ...sent.map(aStart),
    { type: "attempt_ended" },
  ];
}

function secondAttempt(sent: readonly string[], held: readonly HeldShape[]): Sketch[] {
  return [
    { type: "attempt_started", attempt: 2, fence: 2, reason: "transport_error" },
    { type: "step_finished", attempt: 2, calls: held.map(({ asked }) => plan(asked)) },
    ...held.map((call): Sketch => {
      const originalSeq = 4 + sent.indexOf(call.sent);
      const behind = call.behind === undefined ? {} : { behind: call.behind };
      return { type: "tool_held", attempt: 2, callId: call.asked, originalSeq, ...behind };
    }),
    { type: "run_waiting", attempt: 2, heldCallIds: held.map(({ asked }) => asked) },
  ];
}

/** The code of the error a promise ends with, or `done`. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "done";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** A rule of the contract: its name, and what shows that it holds. */
export type Rule = (name: string, check: (scene: Scene) => Promise<void>) => void;
