// The time budget of what an engine answers without one: figures of a whole index, for a caller who waits.

import { ServiceError } from '../errors.ts';

/**
 * What `work` finds. Throws `query_timeout` where that takes longer than so many milliseconds (Infinity: no limit); the
 * work goes on, for the next who asks.
 */
export async function withinBudget<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  if (timeoutMs === Infinity) return await work();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const words = `what is known of the whole index took longer than ${timeoutMs} ms`;
    late.reject(new ServiceError('query_timeout', words, { retryAfter: 1 }));
  }, timeoutMs);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
