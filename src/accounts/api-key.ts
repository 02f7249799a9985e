// The text of an API key: how it is made, told apart from noise, and shown without giving it away.
//
//   clq_ 7Hq2…(32 of 0-9A-Za-z, 190 bits) 9fQe…(6: CRC-32 of the 36 characters before, in base 62)
//
// The prefix and the checksum let scanners for leaked secrets find keys without asking anyone (GitHub's tokens have the
// same form: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/).
//
// What someone who makes a key may choose: its name and how long it is valid.
//
// The name that somebody gives to what is theirs: a key, a saved search.

import { crc32 } from 'node:zlib';
import { UsageError } from '../errors.ts';
import { DAY } from '../model/time.ts';
import { quoted } from '../text/quoted.ts';
import { DIGITS, randomDigits } from './secrets.ts';

const PREFIX = 'clq_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const START_LENGTH = 8;
const CHECKSUM_START = PREFIX.length + RANDOM_LENGTH;

const KEY_SHAPE = /^clq_[0-9A-Za-z]{38}$/;

export function newKey(): string {
  const text = PREFIX + randomDigits(RANDOM_LENGTH);
  return text + keyChecksum(text);
}

/**
 * Whether this text has the form and the checksum of a key. Noise passes once in 2^32, so it hardly ever
 * reaches the database.
 */
export function isKey(text: string): boolean {
  return KEY_SHAPE.test(text) && text.slice(CHECKSUM_START) === keyChecksum(text.slice(0, CHECKSUM_START));
}

/**
 * The part of a key that is stored, so that its owner can recognise it: `clq_7Hq2`. The other 28 characters,
 * 166 bits, stay unknown.
 */
export function keyStart(key: string): string {
  return key.slice(0, START_LENGTH);
}

/** CRC-32 of the text in base 62: 6 digits, the highest first. */
export function keyChecksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

export interface KeyWish {
  /** 1 to MAX_NAME_LENGTH (api-key.ts) characters, not counting white space around it. */
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
