// A caller that has gone: what it asked for is given up.

/**
 * The result of `work`; rejects with the signal's reason as soon as it is aborted, whatever becomes of the work. If
 * it is aborted already, the work is not begun.
 */
export function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  // Most calls have none, and small questions take some microseconds: no promise more than there must be.
  return signal === undefined ? work() : raced(signal, work);
}

function raced<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => reject(signal.reason);
    const end = () => signal.removeEventListener('abort', onAbort);
    const working = work();
    signal.addEventListener('abort', onAbort, { once: true });
    // Aborted by the work itself, or while it began.
    if (signal.aborted) onAbort();
    working.then(
      (result) => {
        end();
        // Of an answer that was there at once nobody may have heard yet.
        if (signal.aborted) onAbort();
        else resolve(result);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
