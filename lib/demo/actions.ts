/** What the demo agent can do. */
import type { Action } from "../runtime/action.ts";
import { demoReads } from "./reads.ts";
import type { World } from "./world.ts";
import { demoWrites } from "./writes.ts";

export function demoActions(world: World): Action[] {
  return [...demoWrites(world), ...demoReads(world)];
}
