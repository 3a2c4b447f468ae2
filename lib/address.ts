/**
 * Where a program on this machine reaches a server that listens on `host`: all interfaces are no place to go to, and
 * an IPv6 address stands in brackets. Its twin for the start commands is in scripts/port.mjs.
 */
export function addressOf(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::" || host === "[::]") return `http://[::1]:${port}`;
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}
