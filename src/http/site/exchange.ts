// The way of every request to a page with forms: origin, session, token, handler, sending the answer; and the routes of
// pages for those who are signed in. The handler gets a visit and answers by a value: a page, a redirect or a file.
// What pages of an account have in common: its navigation, and a narrow page with one form.

import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import { ServiceError } from '../../errors.ts';
import { noteRefusal } from '../answers/problems.ts';
import type { SignedIn } from '../session.ts';
import { errorWords } from '../views/error-page.ts';
import {
  type Faults,
  faultSummary,
  type Html,
  hasFaults,
  html,
  NO_FAULTS,
  TOKEN_FIELD,
  titleWith,
  tokenField,
} from '../views/html.ts';
import type { Page } from '../views/layout.ts';
import {
  addFormParser,
  addPageForm,
  addPageRead,
  type FormOptions,
  type PageHandler,
  sectionsOf,
  signInPath,
  type Visit,
} from './respond.ts';
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
      readonly event?: SecurityEvent;
      /** Begins or ends what cookies of this browser stand for. */
      readonly follow?: () => void;
    }
  | { readonly kind: 'file'; readonly name: string; readonly type: string; readonly body: string };

export type PageAnswer = Answer & { kind: 'page' };

export type PrivateVisit = Visit & { readonly viewer: SignedIn };

function isPrivate(visit: Visit): visit is PrivateVisit {
  return visit.viewer !== null;
}

/** The id in an address; -1, which nobody has, if there is none. */
export function idParameter(visit: Visit): number {
  const text = visit.parameter('id');
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : -1;
}

/**
 * A page of the account: its navigation, what is wrong with a form on it, then `body`, which begins with the `h1`.
 * `section`: its path.
 */
export function accountPage(
  { site, viewer }: PrivateVisit,
  section: string,
  title: string,
  body: Html,
  found: Faults = NO_FAULTS,
): PageAnswer {
  const main = html`<div class="account-bar">
<nav aria-label="Your account">
${sectionsOf(site).map(({ path, name }) => {
  const isHere = path === section;
  return html`<a href="${path}"${isHere ? html` aria-current="page"` : null}>${name}</a>\n`;
})}</nav>
${
  site.entrance === null
    ? null
    : html`<form method="post" action="${site.entrance.signOut}">${tokenField(viewer.formToken)}<button class="button" type="submit">Sign out</button></form>`
}
</div>
${faultSummary(found)}
${body}`;
  const page = { title: titleWith(found, title), section, mainClass: 'account-page wide', main };
  return { kind: 'page', status: hasFaults(found) ? 400 : 200, page };
}

/** A narrow page. `body` begins with the `h1`. */
export function narrowPage(status: number, title: string, body: Html): PageAnswer {
  return { kind: 'page', status, page: { title, mainClass: 'account-page', main: body } };
}

/** null: nothing has this address, or not for this person. */
export type Result = Answer | null | Promise<Answer | null>;

type PrivateHandler<Context> = (context: Context, visit: PrivateVisit) => Result;

/** What the handlers of some pages share. */
export interface ExchangeContext {
  readonly site: Site;
  /** What has just been done, shown once on the page that follows: code in the cookie → text. */
  readonly notices: Readonly<Record<string, string>>;
}

export interface PrivateRoute<Context> {
  /** Absent: the path takes only POST. */
  readonly show?: PrivateHandler<Context>;
  readonly change?: PrivateHandler<Context>;
  readonly takesPassword?: boolean;
}

/** On the pages of a server that writes nothing. */
export const READ_ONLY = 'This server is read-only, so accounts cannot be changed here.';

const NOTICE_COOKIE = 'colloquy_notice';
/** Seconds within which the next page must be requested. */
const NOTICE_AGE = 60;
const SIGN_IN_FIRST = 'signed-in-needed';
const SIGN_IN_WORDS = 'Please sign in. You are not signed in, or your session has ended.';

/** More than twice the longest form: an address and two passwords of 200 characters, percent-encoded. */
export const MAX_ACCOUNT_FORM_BYTES = 16_384;

/** Pages for those who are signed in. `ofPassword`: before a form with a password is read. */
export function addPrivatePages<Context extends ExchangeContext>(
  scope: FastifyInstance,
  context: Context,
  routes: Readonly<Record<string, PrivateRoute<Context>>>,
  ofPassword?: FormOptions['onRequest'],
): void {
  for (const [path, { show, change, takesPassword }] of Object.entries(routes)) {
    if (show !== undefined) addPageRead(scope, context.site, path, privateShow(context, show));
    if (change === undefined) continue;
    const handler = privateChange(context, change, show !== undefined);
    addAccountForm(scope, context, path, handler, takesPassword ? ofPassword : undefined);
  }
}

/** A scope whose routes take only forms: no JSON, no plain text. */
export function withForms(server: FastifyInstance, add: (scope: FastifyInstance) => void): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    addFormParser(scope);
    add(scope);
  });
}

/** On a server that only reads its data, it is refused. */
export function addAccountForm(
  scope: FastifyInstance,
  context: ExchangeContext,
  path: string,
  change: PageHandler,
  onRequest?: FormOptions['onRequest'],
): void {
  const bodyLimit = MAX_ACCOUNT_FORM_BYTES;
  const { site } = context;
  if (isReadOnly(context)) addPageForm(scope, site, path, refused(context), { bodyLimit });
  else addPageForm(scope, site, path, change, { bodyLimit, ...(onRequest && { onRequest }) });
}

export function isReadOnly({ site }: ExchangeContext): boolean {
  return site.archive.accounts.isReadOnly;
}

/**
 * Instead of every form, and of pages that are nothing but one, on a server that only reads its data: nobody can
 * sign in, and nothing can be changed. 403.
 */
export function refused(context: ExchangeContext): PageHandler {
  const title = 'Not on this server';
  const body = html`<h1>${title}</h1>
<p>${READ_ONLY} That includes signing in, registering and making keys. Existing API keys still work.</p>
<p><a class="button" href="/search">Search</a></p>`;
  return (visit) => send(context, visit, narrowPage(403, title, body));
}

/** A page for people who are signed in; others are asked to sign in, and return to it. */
function privateShow<Context extends ExchangeContext>(
  context: Context,
  show: PrivateHandler<Context>,
): PageHandler {
  return async (visit) => {
    const answer = isPrivate(visit) ? await show(context, visit) : signInFirst(context, visit.here);
    return send(context, visit, answer);
  };
}

/** A form for people who are signed in. `hasPage`: the path also has a page to return to. */
function privateChange<Context extends ExchangeContext>(
  context: Context,
  change: PrivateHandler<Context>,
  hasPage: boolean,
): PageHandler {
  return ownFormOnly(context, async (visit) => {
    if (!isPrivate(visit)) return signInFirst(context, hasPage ? visit.here : undefined);
    context.site.sessions.checkToken(visit.viewer, visit.field(TOKEN_FIELD));
    return await change(context, visit);
  });
}

/**
 * For forms: refuses one of another site. Where the change is refused because of its origin or token, the page says
 * what to do.
 */
export function ownFormOnly(
  context: ExchangeContext,
  change: (visit: Visit) => Promise<Answer | null>,
): PageHandler {
  return async (visit) => {
    try {
      visit.checkOrigin();
      return await send(context, visit, await change(visit));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
      noteRefusal(visit.request, error);
      const { path, name } = context.site.entrance?.home ?? { path: '/', name: 'Search' };
      const title = 'This form was not accepted';
      const body = html`<h1>${title}</h1>
<p>Nothing was changed.</p>
<p>${errorWords(error)}</p>
<p><a class="button" href="${path}">${name}</a></p>`;
      return send(context, visit, narrowPage(403, title, body));
    }
  };
}

/** Sends the answer; null: 404. */
export function send(
  context: ExchangeContext,
  visit: Visit,
  answer: Answer | null,
): FastifyReply | Promise<FastifyReply> {
  if (answer === null) {
    throw new ServiceError('not_found', 'expected something in this account, found nothing at this address');
  }
  if (answer.kind !== 'file' && answer.event !== undefined) tell(visit, answer.event);
  switch (answer.kind) {
    case 'page':
      return sendAccountPage(context, visit, answer);
    case 'redirect':
      if (answer.notice !== undefined)
        visit.setCookie({ name: NOTICE_COOKIE, value: answer.notice, maxAge: NOTICE_AGE });
      answer.follow?.();
      return visit.redirect(answer.to);
    case 'file':
      visit.setHeaders();
      return visit.reply
        .headers({
          'Cache-Control': 'no-store',
          'Content-Type': answer.type,
          'Content-Disposition': `attachment; filename="${answer.name}"`,
        })
        .send(Buffer.from(answer.body));
  }
}

export function tell({ site, request }: Visit, event: SecurityEvent): void {
  const { address } = site.visitors.of(request);
  site.security({ ...event, id: request.id, address, route: request.routeOptions.url ?? '' });
}

function sendAccountPage(
  context: ExchangeContext,
  visit: Visit,
  { page, status = 200, retryAfter }: PageAnswer,
): FastifyReply | Promise<FastifyReply> {
  if (retryAfter !== undefined) visit.reply.header('Retry-After', String(retryAfter));
  const notice = visit.cookie(NOTICE_COOKIE);
  if (notice !== null) visit.setCookie({ name: NOTICE_COOKIE, value: '', maxAge: 0 });
  const own = Object.hasOwn(context.notices, notice ?? '') ? context.notices[notice ?? ''] : undefined;
  const told = notice === SIGN_IN_FIRST ? SIGN_IN_WORDS : own;
  const flash = told ?? (isReadOnly(context) && status === 200 ? READ_ONLY : undefined);
  return visit.send(flash === undefined ? page : { ...page, flash }, { status, isSecret: true });
}

/** `here`: the page to return to; absent: where signing in leads by itself. */
function signInFirst({ site }: ExchangeContext, here = site.entrance?.home.path): Answer {
  return { kind: 'redirect', to: signInPath(site, here), notice: SIGN_IN_FIRST };
}

const MAX_REMEMBERED = 10_000;

/** Forms that are accepted once: a form sent twice (a double click, a page loaded again) must not make two keys. */
export class UsedOnce {
  readonly #used = new Set<string>();

  /** A number for a form, to be sent back with it. */
  newNumber(): string {
    return randomBytes(16).toString('base64url');
  }

  /** False: this account has sent the form before. Forms without a number cannot be told apart. */
  use(accountId: number, number: string): boolean {
    if (number === '') return true;
    const name = `${accountId} ${number.slice(0, 64)}`;
    if (this.#used.has(name)) return false;
    this.#used.add(name);
    if (this.#used.size > MAX_REMEMBERED) {
      const [oldest] = this.#used;
      this.#used.delete(oldest!);
    }
    return true;
  }
}
