// The answer of a handler of an account page, as a value: a page, a redirect, or a file; the visit that it answers;
// and notices, shown once on the page that follows.

import type { FastifyRequest } from 'fastify';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import type { SignedIn } from '../session.ts';
import type { AccountSection } from '../site/site.ts';
import type { Page } from '../views/layout.ts';
import type { HalfEntry } from './half-sessions.ts';

export type Answer =
  | {
      readonly kind: 'page';
      readonly page: Page;
      /** Absent: 200. */
      readonly status?: number;
      /** Seconds, for a 429. */
      readonly retryAfter?: number;
      readonly event?: SecurityEvent;
    }
  | {
      readonly kind: 'redirect';
      /** A path of this site. */
      readonly to: string;
      /** Its code. */
      readonly notice?: string;
      /** `start`: the account that this signs in; `end`: removes the session's cookie. */
      readonly session?: { readonly start: number } | 'end';
      /** What a right password has begun, where a code is needed too. */
      readonly half?: HalfEntry;
      /** The account that this browser is not known to any more. */
      readonly forgotten?: number;
      /** What happened, for the security log; a session that begins need not be told. */
      readonly event?: SecurityEvent;
    }
  | { readonly kind: 'file'; readonly name: string; readonly type: string; readonly body: string };

export type Redirect = Answer & { kind: 'redirect' };

export type PageAnswer = Answer & { kind: 'page' };

/** A request to an account page. */
export interface Visit {
  readonly request: FastifyRequest;
  /** The text of a field of the form; empty if it is absent, and on GET. */
  readonly field: (name: string) => string;
  /** The network that limits count by. */
  readonly network: string;
  /** Aborted when the visitor has gone. */
  readonly signal: AbortSignal;
  /** The token for forms in the answer. */
  readonly formToken: string;
}

/** A request of somebody who is signed in. */
export interface PrivateVisit extends Visit {
  readonly viewer: SignedIn;
  /** What features add to the navigation of an account. */
  readonly added: readonly AccountSection[];
}

/** The value of a parameter of the address (`/account/link/:token`); empty if there is none. */
export function parameter({ request }: Visit, name: string): string {
  return (request.params as Readonly<Record<string, string | undefined>>)[name] ?? '';
}

/** The id in an address; -1, which nobody has, if there is none. */
export function idParameter(visit: Visit): number {
  const text = parameter(visit, 'id');
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : -1;
}

/** What has just been done: code in the cookie → text on the page. */
const NOTICES: Readonly<Record<string, string>> = {
  'signed-out': 'You are signed out.',
  'signed-in-needed': 'Please sign in. You are not signed in, or your session has ended.',
  'password-changed': 'Your password has been changed. All other sessions have ended.',
  'key-revoked': 'The key has been revoked. Requests with it are now refused.',
  'key-made-already': 'That form was sent twice. Only one key has been made.',
  'session-ended': 'The session has ended.',
  'sessions-ended': 'All other sessions have ended.',
  'account-deleted': 'Your account has been deleted, with its keys, sessions and saved searches.',
  'code-over':
    'Please sign in with your password again. The time to enter a code is over, or too many were wrong.',
  'recovery-code-used': 'You signed in with a recovery code, which is used up now.',
  'second-factor-on-already': 'That form was sent twice. The second factor is on.',
  'second-factor-off': 'The second factor is off.',
  welcome: 'Your account is ready. Make a key to use the API.',
};

export const NOTICE_COOKIE = 'colloquy_notice';
/** Seconds within which the next page must be requested. */
export const NOTICE_AGE = 60;

/** The text for a cookie's value; undefined if there is no such code. */
export function noticeOf(
  value: string | null,
  others: Readonly<Record<string, string>> = {},
): string | undefined {
  const known = { ...NOTICES, ...others };
  return value !== null && Object.hasOwn(known, value) ? known[value] : undefined;
}
