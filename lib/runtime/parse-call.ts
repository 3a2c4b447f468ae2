/** Decides whether a planned call may be dispatched at all. What is refused never reaches a guard or a body. */
import type { PlannedCall } from "../core/event.ts";
import type { Action, ActionRegistry } from "./action.ts";

/** A planned call and whether it may be dispatched. Parsed once. */
export interface PlannedAndParsed {
  readonly call: PlannedCall;
  readonly parsed: ParsedCall;
}

export type ParsedCall =
  | { readonly kind: "call"; readonly action: Action; readonly input: unknown }
  | { readonly kind: "refused"; readonly problem: string };

/** Finds the action and parses the input with its schema; says in words what is wrong otherwise. */
export function parseCall(actions: ActionRegistry, call: PlannedCall): ParsedCall {
  const action = Object.hasOwn(actions, call.tool) ? actions[call.tool] : undefined;
  if (action === undefined) {
    const known = Object.keys(actions).join(", ");
    return refused(`There is no action "${call.tool}". The actions are: ${known}.`);
  }
  if (call.malformed !== undefined) {
    return refused(`The arguments are not complete JSON (${call.malformed}); nothing was done.`);
  }
  const unsafe = unsafeIntegerPath(call.input, "");
  if (unsafe !== undefined) {
    return refused(`${unsafe || "input"}: an integer beyond 2^53 loses digits; send it as a text.`);
  }
  const parsed = action.schema.safeParse(call.input ?? {});
  if (parsed.success) return { kind: "call", action, input: parsed.data };
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join(".") || "input"}: ${issue.message}`,
  );
  return refused(
    `The arguments of ${call.tool} are not valid; nothing was done. ${problems.join("; ")}`,
  );
}

function refused(problem: string): ParsedCall {
  return { kind: "refused", problem };
}

/** Path of the first number that JSON could not carry exactly, or undefined. */
function unsafeIntegerPath(value: unknown, path: string): string | undefined {
  if (typeof value === "number") {
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? path : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = unsafeIntegerPath(member, path === "" ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
