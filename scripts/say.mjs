/** What a command tells the person who waits for it: one line for each thing it does, with the time it takes. */

/** Prints a line. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs `work` and says what is being done; says again every few seconds, so that no minute is silent. Returns what
 * `work` returns.
 */
export async function whileSaying(text, work) {
  const since = Date.now();
  say(`${text} …`);
  const timer = setInterval(() => say(`  still at it, ${seconds(since)} so far`), 10_000);
  try {
    const result = await work();
    say(`  done in ${seconds(since)}`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
