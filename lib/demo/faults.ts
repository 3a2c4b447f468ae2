/**
 * Fault plans: cut a run at a named point, the way a host, a gateway, a socket or a crash would. They act only
 * through what the runtime offers for it, and exist only where `LAB=1`.
 */
import { APICallError } from "@ai-sdk/provider";
import type { RunId } from "../core/ids.ts";
import type { Log } from "../core/ports.ts";
import type { Fault, FaultKind } from "../core/run-record.ts";
import type { AttemptControl, Boundary, BoundaryPlace } from "../runtime/boundary.ts";

export interface FaultPlanDeps {
  /** Live attempts of a run. */
  readonly controls: (runId: RunId) => readonly AttemptControl[];
  /** Lets another owner take the run although this one lives. */
  readonly takeOver: (runId: RunId) => Promise<void>;
  /** Ends this process at once, as SIGKILL does. */
  readonly kill: () => void;
  readonly log: Log;
}

export interface FaultPlans {
  readonly boundary: Boundary;
  /** Cuts a live run now. Returns whether there was an attempt to cut. */
  cutNow(runId: RunId, as: FaultKind): Promise<boolean>;
}

export function createFaultPlans(deps: FaultPlanDeps): FaultPlans {
  const reached = new Map<string, number>();
  const fired = new Set<string>();

  const boundary: Boundary = async (place) => {
    const control = deps.controls(place.runId).find(({ attempt }) => attempt === place.attempt);
    if (!control) return;
    const due = control.faults.filter((fault, i) => {
      if (!isAt(fault, place)) return false;
      const key = `${place.runId} ${i}`;
      const count = (reached.get(key) ?? 0) + 1;
      reached.set(key, count);
      if (count !== (fault.nth ?? 1) || fired.has(key)) return false;
      fired.add(key);
      return true;
    });
    for (const fault of due) {
      deps.log.info({ ...place, as: fault.as }, "a planned fault fires");
      await fire(deps, { control, as: fault.as, place });
    }
  };

  const cutNow = async (runId: RunId, as: FaultKind) => {
    const control = deps.controls(runId).at(-1);
    if (!control) return false;
    deps.log.info({ runId, as }, "a run is cut by hand");
    // A dead owner never answers, and the request that asked for it must.
    const firing = fire(deps, { control, as, place: undefined });
    await Promise.race([firing, Promise.resolve()]);
    return true;
  };

  return { boundary, cutNow };
}

function isAt(fault: Fault, { point, attempt, action }: BoundaryPlace): boolean {
  if (fault.at !== point || (fault.attempt ?? 1) !== attempt) return false;
  // In the model's text there is no call yet that an action could name.
  return fault.action === undefined || point === "in_text" || fault.action === action;
}

interface Firing {
  readonly control: AttemptControl;
  readonly as: FaultKind;
  /** Where it fires; undefined when a person cuts by hand. */
  readonly place: BoundaryPlace | undefined;
}

/** Never returns when the owner is dead afterwards. */
async function fire(deps: FaultPlanDeps, { control, as, place }: Firing): Promise<void> {
  const inStream = place?.point === "in_text" || place?.point === "in_arguments";
  switch (as) {
    case "soft_timeout":
      control.stop("soft_timeout");
      return;
    case "gateway_timeout":
      if (inStream) throw gatewayTimeout();
      control.cut("gateway_timeout", "The gateway closed the connection after its time limit.");
      return;
    case "transport_error":
      if (inStream) throw brokenSocket();
      control.cut("transport_error", "The connection was reset.");
      return;
    case "lease_lost":
      return takeOver(deps, control.runId);
    case "process_lost":
      control.die();
      return never();
    case "process_killed":
      deps.kill();
      return never();
  }
}

/** A place in an attempt must not throw: a takeover that the database refuses is a fault that did not fire. */
async function takeOver(deps: FaultPlanDeps, runId: RunId): Promise<void> {
  try {
    await deps.takeOver(runId);
  } catch (error) {
    deps.log.warn({ runId, error: String(error) }, "the planned takeover failed");
  }
}

function gatewayTimeout(): Error {
  return new APICallError({
    message: "Gateway Timeout",
    url: "demo://model",
    requestBodyValues: {},
    statusCode: 504,
  });
}

/** What fetch throws when the other side resets the connection. */
function brokenSocket(): Error {
  const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  return new TypeError("terminated", { cause });
}

function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}
