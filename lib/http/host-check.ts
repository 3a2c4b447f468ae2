/**
 * Which requests may drive this server. Two rules, so that a web page elsewhere can't: the Host must be loopback
 * or configured (a rebound DNS name is neither), and a state-changing request must not come from another site.
 */

const LOOPBACK = /^(localhost|([a-z0-9-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Host of a Host header without its port, in lower case. Shapes: `name`, `name:port`, `[ipv6]:port`. */
export function hostNameOf(hostHeader: string): string {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]/@\s]+)(:\d{1,5})?$/.exec(hostHeader.trim());
  return match?.[1]?.toLowerCase().replace(/\.$/, "") ?? "";
}

/** Tells whether the server answers under this Host. `allowed` holds names without ports. */
export function isAllowedHost(hostHeader: string | null, allowed: readonly string[]): boolean {
  if (hostHeader === null) return false;
  const name = hostNameOf(hostHeader);
  return name !== "" && (LOOPBACK.test(name) || allowed.some((host) => hostNameOf(host) === name));
}

/**
 * Tells whether a browser sent the request from another site. A request without the browser's own headers comes
 * from a program, which no page can make.
 */
export function isCrossSite(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  // Set by the browser itself and out of a page's reach: it decides alone, also where a proxy rewrote Host.
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = headers.get("origin");
  if (origin === null) return false;
  return !URL.canParse(origin) || new URL(origin).host !== headers.get("host")?.toLowerCase();
}
