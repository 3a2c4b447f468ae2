/**
 * What a run looks like in a conversation: one message of the person and one of the agent, whose parts stand in
 * the order of the ledger. Call cards name a call only; what is known about it is in the run's state.
 */
import type { AttemptReason } from "./event.ts";
import type { AttemptOver } from "./run-view.ts";

export interface TextPart {
  readonly kind: "text" | "reasoning";
  readonly key: string;
  readonly text: string;
  readonly attempt: number;
  /**
   * Set when its attempt was cut before the step was finished. `continued`: the next attempt was given it and goes
   * on from there. `dropped`: nobody goes on from it; the text is shown dimmed.
   */
  readonly cut?: "continued" | "dropped";
  /** true until its step is finished. */
  readonly open: boolean;
}

export interface CallPart {
  readonly kind: "call";
  readonly key: string;
  readonly callId: string;
}

/** The divider where an attempt was cut. */
export interface CutPart {
  readonly kind: "cut";
  readonly key: string;
  readonly attempt: number;
  readonly reason: AttemptOver;
  readonly detail: string;
  readonly at: string;
  /** Last seq that the cut attempt stored. */
  readonly lastSeq: number;
  readonly lastAt: string;
  readonly next?: {
    readonly attempt: number;
    readonly owner: string;
    readonly fence: number;
    /** From the last sign of life of the cut attempt. */
    readonly afterMs: number;
  };
}

/** An attempt that began for another reason than a cut: a person answered, or pressed Resume. */
export interface ResumedPart {
  readonly kind: "resumed";
  readonly key: string;
  readonly attempt: number;
  readonly reason: AttemptReason;
  readonly at: string;
}

export interface WaitingPart {
  readonly kind: "waiting";
  readonly key: string;
  readonly heldCallIds: readonly string[];
  /** true once a later attempt has begun. */
  readonly over: boolean;
}

export interface FailurePart {
  readonly kind: "failure";
  readonly key: string;
  readonly code: string;
  readonly message: string;
  readonly resumable: boolean;
  /** true once a later attempt has begun. */
  readonly over: boolean;
}

export interface CancelledPart {
  readonly kind: "cancelled";
  readonly key: string;
  readonly by: string;
}

export interface StoppedPart {
  readonly kind: "stopped";
  readonly key: string;
  readonly processor: string;
  readonly reason: string;
}

export type ChatPart =
  | TextPart
  | CallPart
  | CutPart
  | ResumedPart
  | WaitingPart
  | FailurePart
  | CancelledPart
  | StoppedPart;

export interface ChatMessage {
  readonly key: string;
  readonly role: "user" | "assistant";
  readonly at: string;
  readonly parts: readonly ChatPart[];
}

export interface ChatState {
  readonly lastSeq: number;
  /** The person's message, then the agent's once it has begun. */
  readonly messages: readonly ChatMessage[];
  /** The attempt that speaks, and its last sign of life. */
  readonly attempt: {
    readonly number: number;
    readonly isOver: boolean;
    readonly lastSeq: number;
    readonly lastAt: string;
  };
}
