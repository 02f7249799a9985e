// Secrets that the service hands out (keys, links, sessions): random tokens, and the hash that is stored of them. The
// text of an API key: how it is made, told apart from noise, and shown without giving it away.
//
//   clq_ 7Hq2…(32 of 0-9A-Za-z, 190 bits) 9fQe…(6: CRC-32 of the 36 characters before, in base 62)
//
// The prefix and the checksum let scanners for leaked secrets find keys without asking anyone (GitHub's tokens have the
// same form: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/).
//
// What someone who makes a key may choose: its name and how long it is valid. Saved searches have such names too.

import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { UsageError } from '../errors.ts';
import { DAY } from '../model/time.ts';
import { quoted } from '../text/quoted.ts';

/** 256 random bits as 43 characters that may stand in an address or a cookie (base64url). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Base 62, lowest digit first. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Digits drawn without bias by the system's generator. 32 of them are 190 bits. */
export function randomDigits(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += DIGITS[randomInt(DIGITS.length)];
  return text;
}

/** SHA-256. Enough for secrets of 190 bits and more, which cannot be guessed; passwords take argon2id instead. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}

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
  /** 1 to MAX_NAME_LENGTH characters, not counting white space around it. */
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
