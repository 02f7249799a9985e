// Ctrl-C and SIGTERM: the first asks for an orderly stop, a later one ends the process at once.

/**
 * A second signal sooner than this is the same wish: a terminal gives Ctrl-C to a whole group of processes, and npm and
 * bin/colloquy.mjs hand it on to one that has it already.
 */
const SAME_WISH_MS = 1000;

/** Calls `stop` once, at the first signal. Disposing of what it returns gives the signals their usual meaning again. */
export function onStopSignal(stop: () => void): Disposable {
  let first: number | null = null;
  const listener = () => {
    if (first === null) {
      first = performance.now();
      stop();
    } else if (performance.now() - first > SAME_WISH_MS) {
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
