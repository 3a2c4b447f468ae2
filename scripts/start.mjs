/** `npm start`: the same server without fault tools. */
import { serve } from "./serve.mjs";

process.exitCode = await serve({ env: {} });
process.exit();
