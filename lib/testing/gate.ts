/** A door that a test opens once: whoever waits goes on, and whoever comes later does not wait. */
export interface Gate {
  readonly wait: () => Promise<void>;
  readonly open: () => void;
}

/** Makes a closed gate. */
export function createGate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait: () => opened, open: () => open() };
}
