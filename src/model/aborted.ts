// A caller that has gone: what it asked for is given up.

/**
 * The result of `work`; rejects with the signal's reason as soon as it is aborted, whatever becomes of the work. If
 * it is aborted already, the work is not begun.
 */
export function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  // Most calls have none, and small questions take some microseconds: no promise more than there must be.
  return signal === undefined ? work() : raced(signal, work);
}

async function raced<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await Promise.race([work(), aborted]);
    // Of an answer that was there at once nobody may have heard yet.
    signal.throwIfAborted();
    return result;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
