/** A reader of a run's stream outside a browser: the client as it is, with every connection looked at. */
import { createParser } from "eventsource-parser";
import type { Browser } from "@/lib/client/browser.ts";
import { RunStream } from "@/lib/client/run-stream.ts";
import type { RunEvent } from "@/lib/core/event.ts";

/** One connection, as its bytes were. */
export interface Connection {
  /** Names of its frames, in order. */
  readonly frames: string[];
  byeReason: string | undefined;
  end: "open" | "clean" | "broken";
}

export interface Follower {
  readonly stream: RunStream;
  readonly events: readonly RunEvent[];
  readonly connections: readonly Connection[];
}

/** Follows the run from its first event until `stream` is closed. */
export function follow(address: string, runId: string): Follower {
  const events: RunEvent[] = [];
  const connections: Connection[] = [];
  const stream = new RunStream({
    runId,
    browser: nodeBrowser(address, connections),
    lastSeq: 0,
    head: 0,
    onEvents: (batch) => events.push(...batch),
    onReset: () => events.splice(0),
    onState: () => undefined,
    onOwner: () => undefined,
  });
  stream.start();
  return { stream, events, connections };
}

function nodeBrowser(address: string, connections: Connection[]): Browser {
  return {
    fetch: async (url, init) => {
      const answer = await fetch(address + url, init);
      const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
      if (!isStream || !answer.body) return answer;
      const [forClient, forTest] = answer.body.tee();
      const connection: Connection = { frames: [], byeReason: undefined, end: "open" };
      connections.push(connection);
      void look(forTest, connection);
      return new Response(forClient, answer);
    },
    now: () => performance.now(),
    random: () => Math.random(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    isHidden: () => false,
    isOffline: () => false,
    onWake: () => () => undefined,
    slots: { take: () => Promise.resolve(() => undefined) },
  };
}

async function look(body: ReadableStream<Uint8Array>, connection: Connection): Promise<void> {
  const parser = createParser({
    onEvent: ({ event = "", data }) => {
      connection.frames.push(event);
      if (event === "bye") {
        connection.byeReason = (JSON.parse(data) as { reason: string }).reason;
      }
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body) parser.feed(decoder.decode(bytes, { stream: true }));
    connection.end = "clean";
  } catch {
    // Reset by the server's end, or taken back by the client: in neither case the end of the answer.
    connection.end = "broken";
  }
}
