// The name that somebody gives to what is theirs: a key, a saved search.

import { UsageError } from '../errors.ts';
import { quoted } from '../text/quoted.ts';

/** Characters (code points), not counting white space around them. */
export const MAX_NAME_LENGTH = 100;

/** Without the white space around it. `of`: what it names (`a key`). Throws a UsageError. */
export function readName(name: string, of: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > MAX_NAME_LENGTH || /\p{C}/u.test(trimmed)) {
    throw new UsageError(
      `expected ${of}'s name of 1 to ${MAX_NAME_LENGTH} printable characters, found ${quoted(name)}`,
    );
  }
  return trimmed;
}
