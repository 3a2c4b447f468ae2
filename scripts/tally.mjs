/** Counts what is right and wrong, step by step. Whatever a step does, the last line can still be said. */
import { say } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";

export class Tally {
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  /** Runs a step and says how it went; true = nothing was wrong. One that throws counts as one failure. */
  async step(name, work) {
    const since = Date.now();
    say(`${name} …`);
    const { passed, failed, skipped = 0, output = "" } = await run(work);
    if (failed > 0 && output !== "") say(output);
    this.#passed += passed;
    this.#failed += failed;
    this.#skipped += skipped;
    const time = `${((Date.now() - since) / 1000).toFixed(1)} s`;
    say(`${failed > 0 ? "✗" : "✓"} ${name}: ${passed} right, ${failed} wrong (${time})`);
    return failed === 0;
  }

  /** Counts an error from outside the steps. */
  fail(error) {
    say(describe(error));
    this.#failed += 1;
  }

  /** Says the last line; returns the exit code. Nothing counted is no success. */
  end() {
    if (this.#skipped > 0) say(`${this.#skipped} skipped`);
    const failed = this.#passed === 0 ? Math.max(this.#failed, 1) : this.#failed;
    say(`${this.#passed} passed, ${failed} failed`);
    return failed > 0 ? 1 : 0;
  }
}

/** The outcome of a step that is right or wrong as a whole. */
export function one(isRight) {
  return { passed: isRight ? 1 : 0, failed: isRight ? 0 : 1 };
}

async function run(work) {
  try {
    return await work();
  } catch (error) {
    return { ...one(false), output: describe(error) };
  }
}

function describe(error) {
  if (error instanceof SetupError) return `${error.output}${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
