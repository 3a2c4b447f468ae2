/** Ports and addresses of the start commands. */
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { addressOf as addressOfInLib } from "../lib/address.ts";
import { addressOf, findPort } from "./port.mjs";

it.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["localhost", "http://localhost:3000"],
  ["0.0.0.0", "http://127.0.0.1:3000"],
  ["::", "http://[::1]:3000"],
  ["::1", "http://[::1]:3000"],
  ["[::1]", "http://[::1]:3000"],
])("a server on %s is reached at %s, and the lock file says the same", (host, address) => {
  expect(addressOf(host, 3000)).toBe(address);
  expect(addressOfInLib(host, 3000)).toBe(address);
});

it("takes the next port when the wanted one is taken", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  expect(await findPort("127.0.0.1", port)).toBeGreaterThan(port);
  taken.close();
});
