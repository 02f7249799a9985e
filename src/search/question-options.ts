// What a caller asks for by arrival.
//
// The query in `under`: only comments of posts that match it. Contract 4.9.
//
// The time budget of what an engine answers without one: figures of a whole index, for a caller who waits.

import { ServiceError } from '../errors.ts';
import { type Interpretation, interpretWithoutWindow } from './language/interpret.ts';

/** The greatest arrival that a caller may give. */
export const MAX_SINCE = 999_999_999;

/** As a part of a question: nothing where all is asked for. */
export function sinceOf({ since = 0 }: { readonly since?: number | undefined }): { readonly since?: number } {
  return since === 0 ? {} : { since };
}

/**
 * null: absent, empty, or separators alone. Throws what the language refuses, with places in `under`; a `before:`
 * without an `after:` too.
 */
export function readUnder(text: string | null): Omit<Interpretation, 'implied'> | null {
  if (text === null || text === '') return null;
  try {
    const under = interpretWithoutWindow(text);
    return under.query.items.length === 0 ? null : under;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.position === undefined) throw error;
    const position = { ...error.position, parameter: 'under' } as const;
    throw new ServiceError(error.code, `parameter \`under\`: ${error.message}`, { position, cause: error });
  }
}

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
