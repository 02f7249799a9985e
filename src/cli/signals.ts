// Ctrl-C and SIGTERM: the first asks for an orderly stop, another one ends the process at once.

/**
 * A second signal within this time is the same request: a terminal sends Ctrl-C to a whole group of
 * processes, and npm and bin/colloquy.mjs pass it on to a process that has already received it.
 */
const SAME_WISH_MS = 1000;

/**
 * Calls `stop` once, at the first signal. Dispose of the result to give the signals their usual meaning
 * again.
 */
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
