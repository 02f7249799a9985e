// Secrets that the service hands out (keys, links, sessions): random tokens, and the hash that is stored of
// them.

import { hash, randomBytes } from 'node:crypto';

/** 256 random bits as 43 characters that may stand in an address or a cookie (base64url). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256. Enough for secrets of 190 bits and more, which cannot be guessed; passwords take argon2id instead. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}
