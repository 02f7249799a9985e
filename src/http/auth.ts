// Who is asking: the API key of a request. Contract 7.1 and 7.2.

import { ServiceError } from '../errors.ts';

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
 * the address. Throws `missing_key` (no header, another scheme, or a scheme without a key) and `invalid_key`.
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
