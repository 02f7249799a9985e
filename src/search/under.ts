// The query in `under`: only comments of posts that match it. Contract 4.9.

import { ServiceError } from '../errors.ts';
import { type Interpretation, interpretWithoutWindow } from './language/interpret.ts';

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
