// One-time codes by time, as authenticator apps make them: RFC 6238 with SHA-1, steps of 30 seconds and 6 digits, over
// the HOTP of RFC 4226. Apps ignore other choices or refuse them.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Seconds that a code stands for. */
export const STEP_SECONDS = 30;
const DIGITS = 6;

/**
 * How many steps before and after the present one are taken too, for clocks that differ and codes that are typed
 * slowly; more is advised against (RFC 6238, 5.2).
 */
export const TOLERATED_STEPS = 1;

/** As long as SHA-1's result, which RFC 4226, 4 recommends. */
const SECRET_BYTES = 20;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const CODE_SHAPE = /^\d{6}$/;

export function newTotpSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** The code of a step, which is counted since 1970. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  // RFC 4226, 5.3: the last half-byte says where the number stands; its first bit is left out.
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** `time` in Unix seconds. */
export function stepAt(time: number): number {
  return Math.floor(time / STEP_SECONDS);
}

/**
 * The step that the code belongs to, of those that are taken at `time` and come after `lastStep`; null if there is
 * none. A server whose clock was set back takes no code until it has come to `lastStep` again.
 */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  { time, lastStep }: { readonly time: number; readonly lastStep: number },
): number | null {
  if (!CODE_SHAPE.test(code)) return null;
  const now = stepAt(time);
  for (let step = Math.max(now - TOLERATED_STEPS, lastStep + 1); step <= now + TOLERATED_STEPS; step++) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code))) return step;
  }
  return null;
}

/** RFC 4648, 6, without padding. Whole groups of 5 bytes. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 5) {
    const group = Buffer.from(bytes).readUIntBE(at, 5);
    for (let place = 7; place >= 0; place--) text += BASE32[Math.floor(group / 32 ** place) % 32];
  }
  return text;
}

/**
 * What an authenticator app reads from a link or a QR code
 * (https://github.com/google/google-authenticator/wiki/Key-Uri-Format). Apps list it by the issuer and the account.
 */
export function otpauthLink(secret: Uint8Array, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
