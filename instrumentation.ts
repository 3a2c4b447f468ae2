/** Runs when a server process starts: opens the server, so that runs go on before anyone asks. */
export async function register(): Promise<void> {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const { startServer } = await import("./lib/start-server.ts");
  await startServer();
}
