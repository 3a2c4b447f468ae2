/** `npm run demo`: the demo agent with its lab, on a fresh clone and with nothing else installed. */
import { serve } from "./serve.mjs";

const { LAB = "1" } = process.env;
process.exitCode = await serve({ env: { LAB, LOG_LEVEL: process.env.LOG_LEVEL || "warn" } });
process.exit();
