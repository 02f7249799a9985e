// The caller of a request: whether it is still there and may still ask, its name for limits and queues, and its API
// key.

import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../errors.ts';

/** Milliseconds. */
const ASKED_AGAIN_EVERY = 1000;

/**
 * For answers that take long: breaks the connection within seconds once the caller may not ask any more, or nobody can
 * tell. `mayAsk`: whether the key or session of the request is still valid.
 */
export function breakOffUnless(mayAsk: () => boolean | Promise<boolean>, { raw }: FastifyReply): void {
  const timer = setInterval(async () => {
    try {
      if (await mayAsk()) return;
    } catch {}
    raw.destroy();
  }, ASKED_AGAIN_EVERY).unref();
  raw.once('close', () => clearInterval(timer));
}

/** Aborted when the connection closes before the answer has been made. Nobody reads the reason. */
export function callerSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableEnded) return;
    const words = 'expected a caller that waits for the answer, found the connection closed';
    controller.abort(new ServiceError('malformed_request', words));
  });
  return controller.signal;
}

/**
 * The one name by which limits and queues know a caller: the keys and the sessions of an account are one, and so is
 * everybody else from one network.
 */
export type CallerName = `account:${string | number}` | `network:${string}`;

/** Of the owner of a key, of whoever is signed in, or else of a visitor. */
export function callerName(
  caller: { readonly accountId: string | number } | { readonly network: string },
): CallerName {
  return 'accountId' in caller ? `account:${caller.accountId}` : `network:${caller.network}`;
}

export interface KeyOwner {
  readonly keyId: string | number;
  readonly accountId: number;
}

/** The store of keys (accounts/). */
export interface KeyChecker {
  /** null: unknown, malformed, expired or revoked. */
  checkKey(presented: string): KeyOwner | null;
  /** Whether a key that was checked is still valid; it is not used again by that. */
  isLive(keyId: KeyOwner['keyId']): boolean;
}

/** The challenge for a caller without a key. */
export const CHALLENGE = 'Bearer';
/** The challenge for a caller whose key is not valid (RFC 6750, 3.1). */
export const INVALID_TOKEN = 'Bearer error="invalid_token", error_description="the API key is not valid"';

/**
 * The owner of the key in these `Authorization` headers, of which there must be one. Does not read keys in
 * the address. Throws `missing_key` (no header, another scheme, or a scheme without a key) and `invalid_key`. Contract
 * 7.1 and 7.2.
 */
export function authenticate(headers: readonly string[], keys: KeyChecker): KeyOwner {
  const bearers = headers.map((header) => /^bearer(?:[ \t]+(.*))?$/is.exec(header.trim())?.[1]?.trim() ?? '');
  const presented = bearers.filter((key) => key !== '');
  if (presented.length === 0) {
    throw new ServiceError(
      'missing_key',
      'expected the header `Authorization: Bearer <API key>`, found no key',
    );
  }
  const [key, ...others] = presented;
  const owner = headers.length === 1 && others.length === 0 ? keys.checkKey(key!) : null;
  if (owner === null) {
    throw new ServiceError(
      'invalid_key',
      'header `Authorization`: expected a known API key that is not expired or revoked, found a different one',
    );
  }
  return owner;
}

/** The values of a header, which may occur several times in Node's flat list of names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
}
