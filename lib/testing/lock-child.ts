/** A process that locks a data directory as soon as it is told to, says what came of it, and stays. */
import { lockDataDirectory } from "../store/data-directory-lock.ts";

const [directory = "", address = ""] = process.argv.slice(2);

process.on("message", () => {
  lockDataDirectory(directory, address).then(
    () => process.send?.({ locked: true }),
    (error: { code?: string; facts?: unknown; message: string }) =>
      process.send?.({ locked: false, code: error.code ?? error.message, facts: error.facts }),
  );
});
process.send?.("ready");
