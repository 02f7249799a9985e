// What someone who makes a key may choose: its name and how long it is valid.

import { UsageError } from '../errors.ts';
import { DAY } from '../model/time.ts';
import { quoted } from '../text/quoted.ts';

export interface KeyWish {
  /** 1 to MAX_NAME_LENGTH characters, not counting white space around it. */
  readonly name: string;
  /** Whole days, 1 to MAX_KEY_DAYS; null: it never expires. */
  readonly expiresInDays: number | null;
}

/** Characters (code points). */
export const MAX_NAME_LENGTH = 100;
export const MAX_KEY_DAYS = 3650;

/** The wish, with the expiry in Unix seconds. Throws a UsageError. */
export function readKeyWish(
  { name, expiresInDays }: KeyWish,
  now: number,
): { readonly name: string; readonly expires: number | null } {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > MAX_NAME_LENGTH || /\p{C}/u.test(trimmed)) {
    throw new UsageError(
      `expected a key's name of 1 to ${MAX_NAME_LENGTH} printable characters, found ${quoted(name)}`,
    );
  }
  if (expiresInDays === null) return { name: trimmed, expires: null };
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > MAX_KEY_DAYS) {
    throw new UsageError(
      `expected 1 to ${MAX_KEY_DAYS} days until the key expires, found \`${expiresInDays}\``,
    );
  }
  return { name: trimmed, expires: now + expiresInDays * DAY };
}
