// A visit to a page with forms, and the answer to it as a value: a page, a redirect or a file. What pages of an
// account have in common: its navigation, and a narrow page with one form.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import type { SignedIn } from '../session.ts';
import { type Html, html, tokenField } from '../views/html.ts';
import type { Page } from '../views/layout.ts';
import { sectionsOf } from './respond.ts';
import type { Site } from './site.ts';

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
      /** The code of what the next page tells. */
      readonly notice?: string;
      /** What happened, for the security log. */
      readonly event?: SecurityEvent;
      /** Begins or ends what cookies of this browser stand for. */
      readonly follow?: (request: FastifyRequest, reply: FastifyReply) => void;
    }
  | { readonly kind: 'file'; readonly name: string; readonly type: string; readonly body: string };

export type PageAnswer = Answer & { kind: 'page' };

/** A request to a page with forms. */
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
  readonly site: Site;
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

/** A page of the account: its navigation, then `body`, which begins with the `h1`. `section`: its path. */
export function accountPage(
  { site, formToken }: PrivateVisit,
  section: string,
  title: string,
  body: Html,
): Page {
  return {
    title,
    section,
    mainClass: 'account-page wide',
    main: html`<div class="account-bar">
<nav aria-label="Your account">
${sectionsOf(site).map(
  ({
    path,
    name,
  }) => html`<a href="${path}"${path === section ? html` aria-current="page"` : null}>${name}</a>
`,
)}</nav>
${
  site.entrance === null
    ? null
    : html`<form method="post" action="${site.entrance.signOut}">${tokenField(formToken)}<button class="button" type="submit">Sign out</button></form>`
}
</div>
${body}`,
  };
}

/** A page with one form. `body` begins with the `h1`. */
export function formPage(title: string, body: Html): Page {
  return { title, mainClass: 'account-page', main: body };
}
