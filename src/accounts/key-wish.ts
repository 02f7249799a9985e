// What someone who makes a key may choose: its name and how long it is valid.

import { UsageError } from '../errors.ts';
import { DAY } from '../model/time.ts';
import { readName } from './given-name.ts';

export interface KeyWish {
  /** 1 to MAX_NAME_LENGTH (given-name.ts) characters, not counting white space around it. */
  readonly name: string;
  /** Whole days, 1 to MAX_KEY_DAYS; null: it never expires. */
  readonly expiresInDays: number | null;
}

export const MAX_KEY_DAYS = 3650;

/** The wish, with the expiry in Unix seconds. Throws a UsageError. */
export function readKeyWish(
  { name, expiresInDays }: KeyWish,
  now: number,
): { readonly name: string; readonly expires: number | null } {
  const trimmed = readName(name, 'a key');
  if (expiresInDays === null) return { name: trimmed, expires: null };
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > MAX_KEY_DAYS) {
    throw new UsageError(
      `expected 1 to ${MAX_KEY_DAYS} days until the key expires, found \`${expiresInDays}\``,
    );
  }
  return { name: trimmed, expires: now + expiresInDays * DAY };
}
