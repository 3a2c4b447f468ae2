/** Folds a run's events into what its readers see. */
import type { RunEvent } from "./event.ts";
import type { RunState } from "./run-view.ts";

export type {
  AttemptOver,
  AttemptView,
  CallState,
  CallView,
  Counts,
  FailureView,
  IntentView,
  RunPhase,
  RunState,
  StepView,
} from "./run-view.ts";

const INITIAL: RunState = {
  lastSeq: 0,
  lastAt: null,
  status: "running",
  phase: "queued",
  input: null,
  startedAt: null,
  endedAt: null,
  attempts: [],
  calls: [],
  intents: [],
  marks: [],
  counts: { asked: 0, effects: 0, prevented: 0, unknown: 0, needsYou: 0 },
  failure: null,
  cancelledBy: null,
  usage: {},
};

/** The state before the first event. */
export function initialRunState(): RunState {
  return INITIAL;
}

/** Adds one event. An event that was already applied changes nothing. Never throws. */
export function foldRun(state: RunState, event: RunEvent): RunState {
  return { ...state, lastSeq: event.seq };
}
