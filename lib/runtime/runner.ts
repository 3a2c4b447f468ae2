/**
 * Drives attempts inside one process: claims runs, by request and by sweep, and runs each attempt to its end,
 * outliving the request that asked for it. It holds no truth: what is running is in the database, so that another
 * process can go on at any moment.
 */
import type { RunId } from "../core/ids.ts";
import type { Claimed } from "../core/ports.ts";
import { Attempt } from "./attempt.ts";
import type { AttemptControl } from "./boundary.ts";
import type { RuntimeDeps } from "./deps.ts";
import { LateOutcomes } from "./late-outcomes.ts";
import { runAttempt } from "./run-attempt.ts";

export interface RunnerStatus {
  readonly active: number;
  readonly slots: number;
  readonly sweeping: boolean;
}

export interface Runner {
  readonly owner: string;
  /** Begins to sweep for runs that nobody drives. */
  start(): void;
  /** Claims the run and drives it, if it is due, nobody has it and a slot is free. Safe to call at any time. */
  kick(runId: RunId): Promise<void>;
  /** Lets another owner, in this process, take a run whose owner is alive. For fault plans. */
  takeOver(runId: RunId): Promise<void>;
  /** Live attempts of a run. */
  controls(runId: RunId): readonly AttemptControl[];
  /** Stops claiming, ends all attempts in order and waits until their outcomes are stored. */
  shutdown(): Promise<void>;
  status(): RunnerStatus;
}

/** What the verbs need beside the runtime's dependencies. */
export type VerbDeps = RuntimeDeps & { readonly runner: Pick<Runner, "kick"> };

export function createRunner(deps: RuntimeDeps): Runner {
  return new ProcessRunner(deps);
}

class ProcessRunner implements Runner {
  readonly owner: string;
  readonly #deps: RuntimeDeps;
  readonly #late: LateOutcomes;
  readonly #active = new Map<Attempt, Promise<boolean>>();
  readonly #stopped = new AbortController();
  #sweeping = false;
  #claiming = 0;

  constructor(deps: RuntimeDeps) {
    this.#deps = deps;
    this.owner = deps.owner;
    this.#late = new LateOutcomes(deps);
  }

  start(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    void this.#sweepForEver();
  }

  async kick(runId: RunId): Promise<void> {
    if (this.#stopped.signal.aborted || this.#freeSlots() <= 0) return;
    await this.#claimOne(runId, this.owner);
  }

  async takeOver(runId: RunId): Promise<void> {
    await this.#deps.leases.expireRun(runId);
    await this.#claimOne(runId, `${this.owner}-rival`);
  }

  controls(runId: RunId): readonly AttemptControl[] {
    return [...this.#active.keys()].filter((attempt) => attempt.runId === runId);
  }

  async shutdown(): Promise<void> {
    this.#stopped.abort();
    for (const attempt of this.#active.keys()) attempt.stop("shutdown");
    const all = Promise.allSettled(this.#active.values());
    // The grace, and one append.
    const { clock, limits } = this.#deps;
    await Promise.race([all, clock.sleep(limits.graceMs + limits.renewEveryMs)]);
    await this.#late.settle(limits.renewEveryMs);
  }

  status(): RunnerStatus {
    const { slots } = this.#deps.limits;
    return {
      active: this.#active.size,
      slots,
      sweeping: this.#sweeping && !this.#stopped.signal.aborted,
    };
  }

  #freeSlots(): number {
    return this.#deps.limits.slots - this.#active.size - this.#claiming;
  }

  async #claimOne(runId: RunId, owner: string): Promise<void> {
    this.#claiming += 1;
    try {
      const claimed = await this.#deps.leases.claim(runId, owner, this.#deps.limits.leaseMs);
      if (claimed) this.#drive(claimed);
    } finally {
      this.#claiming -= 1;
    }
  }

  async #sweepForEver(): Promise<void> {
    const { clock, limits, log } = this.#deps;
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#sweepOnce();
      } catch (error) {
        log.warn({ error: String(error) }, "a sweep failed; the next one tries again");
      }
      await clock.sleep(limits.sweepEveryMs, this.#stopped.signal);
    }
  }

  async #sweepOnce(): Promise<void> {
    const free = this.#freeSlots();
    if (free <= 0) return;
    const { leases, limits } = this.#deps;
    this.#claiming += free;
    try {
      for (const claimed of await leases.claimDue(this.owner, limits.leaseMs, free))
        this.#drive(claimed);
    } finally {
      this.#claiming -= free;
    }
  }

  #drive(claimed: Claimed): void {
    const { run } = claimed;
    const attempt = new Attempt(
      { runId: run.id, attempt: run.attempts + 1, faults: run.faults },
      { clock: this.#deps.clock, graceMs: this.#deps.limits.graceMs },
    );
    // A claim that was under way when the shutdown began is given back in order.
    if (this.#stopped.signal.aborted) attempt.stop("shutdown");
    const driving = runAttempt(this.#deps, { claimed, attempt, late: this.#late });
    this.#active.set(attempt, driving);
    attempt.onDeath(() => this.#active.delete(attempt));
    void driving.then((goesOn) => this.#finished(attempt, goesOn));
  }

  /** The next attempt is claimed like any other run, so that there is one path for every resume. */
  #finished(attempt: Attempt, goesOn: boolean): void {
    this.#active.delete(attempt);
    if (!goesOn) return;
    this.kick(attempt.runId).catch((error: unknown) => {
      this.#deps.log.warn(
        { runId: attempt.runId, error: String(error) },
        "the sweep has to resume a run",
      );
    });
  }
}
