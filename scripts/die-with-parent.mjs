/** Loaded before the server: ends the process when the one that started it is gone, however that one died. */
if (process.env.DIE_WITH_PARENT === "1") {
  process.stdin.on("error", () => process.exit(1));
  process.stdin.on("end", () => process.exit(1));
  process.stdin.resume();
  process.stdin.unref?.();
}
