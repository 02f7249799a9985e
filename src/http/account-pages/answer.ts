// The answer of a handler of an account page, as a value: a page, a redirect, or a file.

import type { FastifyRequest } from 'fastify';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import type { SignedIn } from '../session.ts';
import type { Page } from '../views/layout.ts';
import type { HalfEntry } from './half-sessions.ts';
import type { NoticeCode } from './notices.ts';

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
      readonly notice?: NoticeCode;
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
