/** A connection that a test can break: cut, or silent as a half-open socket is, which reports nothing. */
import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** From now on nothing passes on connections that are open; new ones work. */
  silence(): void;
  /** Open connections are reset. */
  cut(): void;
  /** New connections are refused until `restore`. */
  refuse(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Listens on a free port and passes everything on. */
export async function startTcpProxy(host: string, port: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let refusing = false;
  const server = createServer((near) => {
    near.on("error", () => near.destroy());
    if (refusing) return void near.resetAndDestroy();
    const far = connect({ host, port });
    far.on("error", () => far.destroy());
    const pair = [near, far] as const;
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => {
      near.destroy();
      pairs.delete(pair);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    silence: () => {
      for (const pair of pairs) {
        for (const socket of pair) socket.unpipe().pause();
      }
    },
    cut: () => {
      for (const [near] of pairs) near.resetAndDestroy();
    },
    refuse: () => void (refusing = true),
    restore: () => void (refusing = false),
    close: async () => {
      for (const [near, far] of pairs) [near, far].forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
