/** The actions as tools that the model may ask for. They have no executor: dispatch is the loop's. */
import { jsonSchema, tool, type ToolSet } from "ai";
import * as z from "zod";
import type { ActionRegistry } from "./action.ts";

const cache = new WeakMap<ActionRegistry, ToolSet>();

/** Builds the tools once per registry. Input is checked by the loop, so the SDK parses JSON and no more. */
export function modelToolsOf(actions: ActionRegistry): ToolSet {
  const known = cache.get(actions);
  if (known) return known;
  const tools: ToolSet = {};
  for (const action of Object.values(actions)) {
    const schema = z.toJSONSchema(action.schema, { io: "input" });
    tools[action.name] = tool({
      description: action.description,
      inputSchema: jsonSchema(schema as Parameters<typeof jsonSchema>[0]),
    });
  }
  cache.set(actions, tools);
  return tools;
}
