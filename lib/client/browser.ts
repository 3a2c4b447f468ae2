/** What the stream needs of a browser, passed in so that tests can stand in for one. */
export interface Browser {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly now: () => number;
  readonly random: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly isHidden: () => boolean;
  readonly isOffline: () => boolean;
  /** Calls when visibility, focus or the network changed, or the page came back from the back/forward cache. */
  readonly onWake: (told: (why: Waking) => void) => () => void;
  readonly slots: StreamSlots;
}

/** `restored`: the page was frozen or in the back/forward cache, so that its connections can't be trusted. */
export type Waking = "changed" | "restored";

/** A place among the few streams that a browser may hold at once. */
export interface StreamSlots {
  /** Takes a slot, or tells that none is free. `wanted` is called when another page asks while this one is hidden. */
  take(wanted: () => void): Promise<(() => void) | undefined>;
}

/** The real one. */
export function thisBrowser(): Browser {
  return {
    fetch: (url, init) => fetch(url, init),
    now: () => performance.now(),
    random: () => Math.random(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    isHidden: () => document.visibilityState === "hidden",
    isOffline: () => !navigator.onLine,
    onWake: (told) => {
      const places: [EventTarget, string][] = [
        [document, "visibilitychange"],
        [document, "resume"],
        [window, "online"],
        [window, "offline"],
        [window, "pageshow"],
        [window, "focus"],
      ];
      const listener = (event: Event) => {
        const isBack = event instanceof PageTransitionEvent && event.persisted;
        told(isBack || event.type === "resume" ? "restored" : "changed");
      };
      for (const [place, name] of places) place.addEventListener(name, listener);
      return () => {
        for (const [place, name] of places) place.removeEventListener(name, listener);
      };
    },
    slots: lockSlots(),
  };
}

/** Streams that one browser holds at most. Source: six connections per origin, two kept free for requests. */
const SLOTS = 4;
const CHANNEL = "durable-resume-streams";

/** Slots as Web Locks, so that a closed tab gives its own back; without them every page has one. */
function lockSlots(): StreamSlots {
  if (!("locks" in navigator) || typeof BroadcastChannel === "undefined") {
    return { take: () => Promise.resolve(() => undefined) };
  }
  return {
    async take(wanted) {
      for (let slot = 1; slot <= SLOTS; slot += 1) {
        const release = await takeLock(`${CHANNEL}-${slot}`);
        if (release) return whileListening(wanted, release);
      }
      const channel = new BroadcastChannel(CHANNEL);
      channel.postMessage("slot wanted");
      channel.close();
      return undefined;
    },
  };
}

function takeLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    const asked = navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve(() => release()));
    });
    asked.catch(() => resolve(undefined));
  });
}

function whileListening(wanted: () => void, release: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => {
    if (document.visibilityState === "hidden") wanted();
  };
  return () => {
    channel.close();
    release();
  };
}
