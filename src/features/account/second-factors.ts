// Two-factor authentication: the tables of authenticator secrets and recovery codes, half sessions, and secrets that
// are not turned on yet. Every code works once (ASVS 5.0, 6.5.1). Contract 19. Codes are TOTP (RFC 6238, over the HOTP
// of RFC 4226) with SHA-1, 30-second steps and 6 digits, since authenticator apps ignore or refuse other parameters.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret, newToken } from '../../accounts/secrets.ts';
import type { Visitors } from '../../http/requests/caller.ts';
import { readCookie, setCookie } from '../../http/session.ts';
import { unixNow } from '../../model/time.ts';
import { change, inTransaction, row } from '../../sqlite/database.ts';

export const RECOVERY_CODES = 10;
/**
 * 120 bits each: enough for a plain hash, while those of less than 112 bits would have to be hashed like passwords
 * (ASVS 5.0, 6.5.2).
 */
const RECOVERY_BYTES = 15;
const RECOVERY_SHAPE = /^[A-Z2-7]{24}$/;

export interface SecondFactor {
  /** Unix seconds: turned on then. */
  readonly since: number;
  readonly recoveryCodes: number;
}

export type CodeKind = 'code' | 'recovery code';

export class SecondFactors {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** null: the account has none. */
  of(accountId: number): SecondFactor | null {
    const statement = this.#database.prepare(
      `SELECT created AS since,
         (SELECT count(*) FROM recovery_codes WHERE account = :accountId) AS recoveryCodes
       FROM second_factors WHERE account = :accountId`,
    );
    const found = row<SecondFactor>(statement, { accountId });
    return found === undefined ? null : { ...found };
  }

  /** Whether the code belongs to this secret now. Does not use it up. */
  fits(secret: Uint8Array, code: string): boolean {
    return matchingStep(secret, withoutBlanks(code), { time: unixNow(), lastStep: 0 }) !== null;
  }

  /**
   * Turns it on, if `code` shows that an app has the secret, and returns the recovery codes, which are seen only now.
   * The code is used up. null, and no change: the code is wrong, or the account has a second factor.
   */
  turnOn(accountId: number, secret: Uint8Array, code: string): readonly string[] | null {
    const step = matchingStep(secret, withoutBlanks(code), { time: unixNow(), lastStep: 0 });
    if (step === null) return null;
    return inTransaction(this.#database, () => {
      const sql =
        'INSERT OR IGNORE INTO second_factors (account, secret, last_step, created) VALUES (?, ?, ?, ?)';
      const isOn = change(this.#database, sql, accountId, secret, step, unixNow()) === 1;
      return isOn ? this.#replaceRecoveryCodes(accountId) : null;
    });
  }

  /** Uses up a code of the app or a recovery code; null: wrong, or used before. */
  take(accountId: number, text: string): CodeKind | null {
    return inTransaction(this.#database, () => {
      const factor = row<{ readonly secret: Uint8Array; readonly lastStep: number }>(
        this.#database.prepare('SELECT secret, last_step AS lastStep FROM second_factors WHERE account = ?'),
        accountId,
      );
      if (factor === undefined) return null;
      const code = withoutBlanks(text);
      const step = matchingStep(factor.secret, code, { time: unixNow(), lastStep: factor.lastStep });
      if (step !== null) {
        change(this.#database, 'UPDATE second_factors SET last_step = ? WHERE account = ?', step, accountId);
        return 'code';
      }
      return this.#takeRecoveryCode(accountId, code) ? 'recovery code' : null;
    });
  }

  /** Replaces all recovery codes; null: the account has no second factor. */
  renewRecoveryCodes(accountId: number): readonly string[] | null {
    return inTransaction(this.#database, () =>
      this.of(accountId) === null ? null : this.#replaceRecoveryCodes(accountId),
    );
  }

  /** Turns it off, and forgets its secret and recovery codes. False: the account has none. */
  turnOff(accountId: number): boolean {
    return change(this.#database, 'DELETE FROM second_factors WHERE account = ?', accountId) === 1;
  }

  #takeRecoveryCode(accountId: number, text: string): boolean {
    const code = text.replaceAll('-', '').toUpperCase();
    if (!RECOVERY_SHAPE.test(code)) return false;
    const sql = 'DELETE FROM recovery_codes WHERE account = ? AND hash = ?';
    return change(this.#database, sql, accountId, hashSecret(code)) === 1;
  }

  #replaceRecoveryCodes(accountId: number): readonly string[] {
    change(this.#database, 'DELETE FROM recovery_codes WHERE account = ?', accountId);
    const add = this.#database.prepare('INSERT INTO recovery_codes (account, hash) VALUES (?, ?)');
    return Array.from({ length: RECOVERY_CODES }, () => {
      const code = base32(randomBytes(RECOVERY_BYTES));
      add.run(accountId, hashSecret(code));
      return inGroups(code, '-');
    });
  }
}

export function inGroups(text: string, between: string): string {
  return (text.match(/.{1,4}/g) ?? []).join(between);
}

function withoutBlanks(text: string): string {
  return text.replace(/\s/g, '');
}

/** Seconds that a code stands for. */
export const STEP_SECONDS = 30;
const DIGITS = 6;

/** Steps before and after the present one that are accepted, for wrong clocks and slow typing (RFC 6238, 5.2). */
const TOLERATED_STEPS = 1;

/** As long as SHA-1's result, which RFC 4226, 4 recommends. */
const SECRET_BYTES = 20;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const CODE_SHAPE = /^\d{6}$/;

export function newTotpSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** `step`: counted since 1970. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  // RFC 4226, 5.3: the last half-byte is the offset of the number; its sign bit is dropped.
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** `time` in Unix seconds. */
export function stepAt(time: number): number {
  return Math.floor(time / STEP_SECONDS);
}

/**
 * The step of the code, if it is accepted at `time` and later than `lastStep`; null: none. After the clock was set
 * back, no code is accepted until it reaches `lastStep` again.
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
 * The link for authenticator apps, also as a QR code
 * (https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
 */
export function otpauthLink(secret: Uint8Array, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

export const HALF_SESSION_AGE = 5 * 60;
export const MAX_WRONG_CODES = 5;
/** Of one account, and of all; the oldest is evicted. */
const MAX_OF_ACCOUNT = 20;
const MAX_HALVES = 10_000;

const COOKIE = 'colloquy_half';

interface HalfEntry {
  readonly accountId: number;
  /** Detects a change of password (`Credentials.passwordMark`). */
  readonly passwordMark: string | null;
  /** A path of this site. */
  readonly returnTo: string;
}

interface Half extends HalfEntry {
  wrong: number;
  readonly until: number;
}

/**
 * The state between the right password and the code: in memory for a few minutes, bound to the browser by a cookie.
 * Contract 19.1 and 19.2.
 */
export class HalfSessions {
  readonly #visitors: Visitors;
  /** By the hash of the cookie, the oldest first. */
  readonly #halves = new Map<string, Half>();

  constructor(visitors: Visitors) {
    this.#visitors = visitors;
  }

  start(request: FastifyRequest, reply: FastifyReply, entry: HalfEntry): void {
    this.#halves.delete(this.#nameOf(request));
    this.#makeRoom(entry.accountId);
    const token = newToken();
    this.#halves.set(nameOf(token), {
      ...entry,
      wrong: 0,
      until: performance.now() + HALF_SESSION_AGE * 1000,
    });
    const cookie = { name: COOKIE, value: token, maxAge: HALF_SESSION_AGE };
    setCookie(reply, cookie, this.#visitors.of(request).isTls);
  }

  /** null: none, or expired. */
  of(request: FastifyRequest): HalfEntry | null {
    const half = this.#halves.get(this.#nameOf(request));
    return half === undefined || performance.now() >= half.until ? null : half;
  }

  /** Counts a wrong code. False: the half session has ended. */
  noteWrong(request: FastifyRequest): boolean {
    const name = this.#nameOf(request);
    const half = this.#halves.get(name);
    if (half !== undefined && ++half.wrong < MAX_WRONG_CODES) return true;
    this.#halves.delete(name);
    return false;
  }

  end(request: FastifyRequest, reply: FastifyReply): void {
    const name = this.#nameOf(request);
    if (name === '') return;
    this.#halves.delete(name);
    setCookie(reply, { name: COOKIE, value: '', maxAge: 0 }, this.#visitors.of(request).isTls);
  }

  #makeRoom(accountId: number): void {
    const ofAccount: string[] = [];
    for (const [name, half] of this.#halves) {
      if (performance.now() >= half.until) this.#halves.delete(name);
      else if (half.accountId === accountId) ofAccount.push(name);
    }
    const [oldest] = ofAccount.length >= MAX_OF_ACCOUNT ? ofAccount : this.#halves.keys();
    if (ofAccount.length >= MAX_OF_ACCOUNT || this.#halves.size >= MAX_HALVES) this.#halves.delete(oldest!);
  }

  /** Empty: the browser has no such cookie. */
  #nameOf(request: FastifyRequest): string {
    const token = readCookie(request, COOKIE, this.#visitors.of(request).isTls);
    return token === null || token === '' ? '' : nameOf(token);
  }
}

function nameOf(token: string): string {
  return Buffer.from(hashSecret(token)).toString('base64url');
}

/** Milliseconds in which an offered secret can be turned on, and most offers in memory. */
export const OFFER_AGE_MS = 3_600_000;
const MAX_OFFERS = 10_000;

/** Secrets that sessions were shown. Kept here, since the form must not send them. */
export class OfferedSecrets {
  /** By the form token of the session, the oldest first. */
  readonly #offers = new Map<string, { readonly secret: Uint8Array; readonly until: number }>();

  /** null: none, or expired. */
  of(session: string): Uint8Array | null {
    const offer = this.#offers.get(session);
    return offer === undefined || performance.now() >= offer.until ? null : offer.secret;
  }

  make(session: string): Uint8Array {
    const secret = newTotpSecret();
    this.end(session);
    this.#offers.set(session, { secret, until: performance.now() + OFFER_AGE_MS });
    const [oldest] = this.#offers.keys();
    if (this.#offers.size > MAX_OFFERS) this.#offers.delete(oldest!);
    return secret;
  }

  end(session: string): void {
    this.#offers.delete(session);
  }
}
