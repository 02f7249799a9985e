// Secrets that the service hands out (keys, links, sessions): random tokens, and the hash that is stored of them.

import { hash, randomBytes, randomInt } from 'node:crypto';

/** 256 random bits as 43 characters that may stand in an address or a cookie (base64url). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Base 62, lowest digit first. */
export const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

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
