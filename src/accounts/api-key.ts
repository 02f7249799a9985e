// The text of an API key: how it is made, told apart from noise, and shown without giving it away.
//
//   clq_ 7Hq2…(32 of 0-9A-Za-z, 190 bits) 9fQe…(6: CRC-32 of the 36 characters before, in base 62)
//
// The prefix and the checksum let scanners for leaked secrets find keys without asking anyone (GitHub's
// tokens have the same form:
// https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/).

import { crc32 } from 'node:zlib';
import { DIGITS, randomDigits } from './secret.ts';

const PREFIX = 'clq_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const START_LENGTH = 8;
const CHECKSUM_START = PREFIX.length + RANDOM_LENGTH;

const KEY_SHAPE = /^clq_[0-9A-Za-z]{38}$/;

/** A new key: 32 characters drawn without bias by the system's generator. */
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
