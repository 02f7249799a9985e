// The way of every request to a page with forms: origin, session, token, handler, sending the answer; and the routes of
// pages for those who are signed in. The handler gets a visit and answers by a value: a page, a redirect or a file.
// What pages of an account have in common: its navigation, and a narrow page with one form.

import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import { ServiceError } from '../../errors.ts';
import { noteRefusal } from '../answers/problems.ts';
import { callerSignal, checkOrigin } from '../requests/caller.ts';
import type { SignedIn } from '../session.ts';
import { errorWords } from '../views/error-page.ts';
import { type Html, html, TOKEN_FIELD, tokenField } from '../views/html.ts';
import type { Page } from '../views/layout.ts';
import {
  addFormParser,
  addPageForm,
  addPageRead,
  type FormOptions,
  formField,
  frameOf,
  type Handler,
  readPlainCookie,
  sectionsOf,
  sendPage,
  sendRedirect,
  setPageHeaders,
  setPlainCookie,
  signInPath,
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
  /** Whether the change checks a password. */
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
    if (show !== undefined) addPageRead(scope, path, privateShow(context, show));
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
  change: Handler,
  onRequest?: FormOptions['onRequest'],
): void {
  const bodyLimit = MAX_ACCOUNT_FORM_BYTES;
  if (isReadOnly(context)) addPageForm(scope, path, refused(context), { bodyLimit });
  else addPageForm(scope, path, change, { bodyLimit, ...(onRequest && { onRequest }) });
}

export function isReadOnly({ site }: ExchangeContext): boolean {
  return site.archive.accounts.isReadOnly;
}

/**
 * Instead of every form, and of pages that are nothing but one, on a server that only reads its data: nobody can
 * sign in, and nothing can be changed. 403.
 */
export function refused(context: ExchangeContext): Handler {
  const title = 'Not on this server';
  const body = html`<h1>${title}</h1>
<p>${READ_ONLY} That includes signing in, registering and making keys. Existing API keys still work.</p>
<p><a class="button" href="/search">Search</a></p>`;
  return (request, reply) =>
    send(context, request, reply, { kind: 'page', status: 403, page: formPage(title, body) });
}

/** A page for people who are signed in; others are asked to sign in, and return to it. */
function privateShow<Context extends ExchangeContext>(
  context: Context,
  show: PrivateHandler<Context>,
): Handler {
  return async (request, reply) => {
    const viewer = context.site.sessions.signedIn(request);
    if (viewer === null) return send(context, request, reply, signInFirst(context, request.raw.url));
    const visit = privateVisitOf(context, request, reply, viewer);
    return send(context, request, reply, await show(context, visit));
  };
}

/** A form for people who are signed in. `hasPage`: the path also has a page to return to. */
function privateChange<Context extends ExchangeContext>(
  context: Context,
  change: PrivateHandler<Context>,
  hasPage: boolean,
): Handler {
  return ownFormOnly(context, async (request, reply) => {
    const viewer = context.site.sessions.signedIn(request);
    if (viewer === null) return signInFirst(context, hasPage ? request.raw.url : undefined);
    const visit = privateVisitOf(context, request, reply, viewer);
    context.site.sessions.checkToken(viewer, visit.field(TOKEN_FIELD));
    return await change(context, visit);
  });
}

/**
 * For forms: refuses one of another site. Where the change is refused because of its origin or token, the page says
 * what to do.
 */
export function ownFormOnly(
  context: ExchangeContext,
  change: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer | null>,
): Handler {
  return async (request, reply) => {
    try {
      checkOrigin(request, context.site.visitors.of(request).ownAddress);
      return await send(context, request, reply, await change(request, reply));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
      noteRefusal(request, error);
      const { path, name } = context.site.entrance?.home ?? { path: '/', name: 'Search' };
      const body = html`<h1>This form was not accepted</h1>
<p>Nothing was changed.</p>
<p>${errorWords(error)}</p>
<p><a class="button" href="${path}">${name}</a></p>`;
      const page = formPage('This form was not accepted', body);
      return send(context, request, reply, { kind: 'page', status: 403, page });
    }
  };
}

/** Sends the answer; null: 404. */
export async function send(
  context: ExchangeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer | null,
): Promise<FastifyReply> {
  if (answer === null) {
    throw new ServiceError('not_found', 'expected something in this account, found nothing at this address');
  }
  if (answer.kind !== 'file' && answer.event !== undefined) tell(context, request, answer.event);
  switch (answer.kind) {
    case 'page':
      return sendAccountPage(context, request, reply, answer);
    case 'redirect':
      if (answer.notice !== undefined) {
        const value = answer.notice;
        setPlainCookie(context.site, request, reply, { name: NOTICE_COOKIE, value, maxAge: NOTICE_AGE });
      }
      answer.follow?.(request, reply);
      return sendRedirect(context.site, reply, answer.to);
    case 'file':
      setPageHeaders(context.site, reply);
      return reply
        .headers({
          'Cache-Control': 'no-store',
          'Content-Type': answer.type,
          'Content-Disposition': `attachment; filename="${answer.name}"`,
        })
        .send(Buffer.from(answer.body));
  }
}

/** Tells whoever guards the server. */
export function tell({ site }: ExchangeContext, request: FastifyRequest, event: SecurityEvent): void {
  const { address } = site.visitors.of(request);
  site.security({ ...event, id: request.id, address, route: request.routeOptions.url ?? '' });
}

async function sendAccountPage(
  context: ExchangeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { page, status = 200, retryAfter }: Answer & { readonly kind: 'page' },
): Promise<FastifyReply> {
  const { site, notices } = context;
  if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter));
  const notice = readPlainCookie(site, request, NOTICE_COOKIE);
  if (notice !== null) {
    setPlainCookie(site, request, reply, { name: NOTICE_COOKIE, value: '', maxAge: 0 });
  }
  const flash = noticeOf(notice, notices) ?? (isReadOnly(context) && status === 200 ? READ_ONLY : undefined);
  const frame = frameOf(site, request);
  const withNotice = flash === undefined ? page : { ...page, flash };
  return sendPage(site, request, reply, frame, withNotice, { status, isSecret: true });
}

/** The text for a cookie's value; undefined if there is no such code. */
function noticeOf(value: string | null, notices: ExchangeContext['notices']): string | undefined {
  if (value === SIGN_IN_FIRST) return SIGN_IN_WORDS;
  return value !== null && Object.hasOwn(notices, value) ? notices[value] : undefined;
}

/** `here`: the page to return to; absent: where signing in leads by itself. */
function signInFirst({ site }: ExchangeContext, here = site.entrance?.home.path): Answer {
  return { kind: 'redirect', to: signInPath(site, here), notice: SIGN_IN_FIRST };
}

export function visitOf(
  { site }: ExchangeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  formToken: string,
): Visit {
  return {
    request,
    field: (name) => formField(request, name) ?? '',
    network: site.visitors.of(request).network,
    signal: callerSignal(reply),
    formToken,
  };
}

function privateVisitOf(
  context: ExchangeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  viewer: SignedIn,
): PrivateVisit {
  return { ...visitOf(context, request, reply, viewer.formToken), viewer, site: context.site };
}

/** How many used forms are remembered. */
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
