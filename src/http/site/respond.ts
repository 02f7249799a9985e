// How pages answer: paths to read and paths that forms are sent to, the turn that a request waits for, the frame for
// it, and the headers of a page. What is wrong with a search is shown beside it.

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import { parseQueryString } from '../../operation/parameters.ts';
import { type Scope, scopeOf } from '../../search/asking.ts';
import { mendedQuery } from '../../search/edit-query.ts';
import { leadingBack, type SearchState } from '../addresses.ts';
import { noteRefusal, PAGE_HEADERS, problemHeaders, serviceErrorOf } from '../answers/problems.ts';
import { REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { callerName, callerSignal } from '../requests/caller.ts';
import { limitNetwork, tooManyRequests } from '../requests/limits.ts';
import { type Cookie, readCookie, setCookie } from '../session.ts';
import { errorPage, pageOfError, queryErrorPage } from '../views/error-page.ts';
import { type Frame, layout, type Page, readSettings, type Viewer } from '../views/layout.ts';
import type { AccountSection, NavigationEntry, Site } from './site.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Not in the OpenAPI document. */
const HIDDEN: FastifySchema = { hide: true };

/** GET and HEAD. */
export function addPageRead(server: FastifyInstance, path: string, handler: Handler): void {
  for (const method of ['GET', 'HEAD'] as const) server.route({ method, url: path, schema: HIDDEN, handler });
}

export interface FormOptions {
  /** Bytes; absent: MAX_FORM_BYTES. */
  readonly bodyLimit?: number;
  /** Before the form is read; it may answer instead of the handler. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;
}

/** POST of a form. */
export function addPageForm(
  server: FastifyInstance,
  path: string,
  handler: Handler,
  { bodyLimit = MAX_FORM_BYTES, onRequest }: FormOptions = {},
): void {
  const before = onRequest === undefined ? {} : { onRequest };
  server.route({ method: 'POST', url: path, schema: HIDDEN, bodyLimit, handler, ...before });
}

/** The most bytes a form may have. */
const MAX_FORM_BYTES = 65_536;

/** The fields of a form; the first of one that is given twice. */
type Form = ReadonlyMap<string, string>;

/**
 * Lets routes read forms: `application/x-www-form-urlencoded`, read by the same rules as query strings. A broken
 * escape is a 400 `bad_encoding`.
 */
export function addFormParser(server: FastifyInstance): void {
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES },
    async (_request: FastifyRequest, body: Buffer) => {
      const form = new Map<string, string>();
      for (const { name, value } of parseQueryString(body.toString('latin1'))) {
        if (!form.has(name)) form.set(name, value);
      }
      return form;
    },
  );
}

/** The value of a field; null if the form does not have it, or the body is not a form. */
export function formField(request: FastifyRequest, name: string): string | null {
  return request.body instanceof Map ? ((request.body as Form).get(name) ?? null) : null;
}

export const SETTINGS_COOKIE = 'colloquy_settings';

export function frameOf(
  site: Site,
  request: FastifyRequest,
  viewer: Viewer | null = site.sessions.signedIn(request),
): Frame {
  return {
    viewer,
    settings: readSettings(readPlainCookie(site, request, SETTINGS_COOKIE)),
    here: request.raw.url ?? '/',
    publicAddress: site.visitors.of(request).ownAddress,
    // Asked when the page is written: its search may have found the first import.
    get isSample() {
      return site.archive.isSample();
    },
    navigation: site.features.flatMap(({ name, navigation }) =>
      isShown(site, navigation) ? [{ section: name, ...navigation }] : [],
    ),
    own: sectionsOf(site).filter(({ isInHeader }) => isInHeader),
    entrance: site.entrance,
    canRegister: site.canRegister,
    assets: site.assets,
  };
}

/** Of an account, in the order of features; those that stand last behind all others. */
export function sectionsOf({ features }: Site): readonly AccountSection[] {
  const all = features.flatMap(({ account }) => account ?? []);
  return [...all.filter(({ isLast }) => !isLast), ...all.filter(({ isLast }) => isLast)];
}

/** Whether this archive has what the entry leads to. */
export function isShown({ archive }: Site, entry: NavigationEntry | undefined): entry is NavigationEntry {
  return entry !== undefined && entry.isShown?.(archive) !== false;
}

/** Waits for room for a page with records. Throws as `BytesUnderWay.hold` does. */
export function holdPage(
  { bytes, visitors }: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { viewer }: Frame,
  signal: AbortSignal,
): Promise<void> {
  const caller = callerName(viewer ?? visitors.of(request));
  return bytes.hold(reply.raw, { caller, mostBytes: MAX_PAGE_BYTES }, signal);
}

interface SendOptions {
  /** Absent: 200. */
  readonly status?: number;
  /** Nobody may store it: for pages of an account, and errors. */
  readonly isSecret?: boolean;
}

export async function sendPage(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  frame: Frame,
  page: Page,
  { status = 200, isSecret = status !== 200 }: SendOptions = {},
): Promise<FastifyReply> {
  setPageHeaders(site, reply);
  if (!page.isListed) reply.header('X-Robots-Tag', 'noindex');
  const body = layout(frame, page).toString();
  const type = 'text/html; charset=utf-8';
  if (!isSecret && status === 200) {
    const sent = { body, type, caching: REVALIDATED, vary: ['Cookie'], effort: 'quick' } as const;
    return sendRepresentation(request, reply, sent);
  }
  reply.code(status).headers({ 'Cache-Control': 'no-store', 'Content-Type': type, Vary: 'Cookie' });
  return reply.send(Buffer.from(body));
}

/** On every page and redirect. */
export function setPageHeaders(site: Site, reply: FastifyReply): void {
  reply.headers({ 'Content-Security-Policy': site.assets.policy, ...PAGE_HEADERS });
}

/** Redirects to a path of this site, by GET. */
export function sendRedirect(site: Site, reply: FastifyReply, to: string): FastifyReply {
  setPageHeaders(site, reply);
  return reply.code(303).headers({ Location: to, 'Cache-Control': 'no-store' }).send();
}

/** The page to sign in, which leads back to `here`. Throws `forbidden` where nobody can. */
export function signInPath({ entrance }: Site, here = '/'): string {
  if (entrance !== null) return leadingBack(entrance.signIn, here);
  throw new ServiceError('forbidden', 'expected somebody who is signed in, found a server without accounts');
}

/** Redirects there. */
export function sendToSignIn(site: Site, reply: FastifyReply, here: string): FastifyReply {
  return sendRedirect(site, reply, signInPath(site, here));
}

/** Sets a cookie whose value is not secret. */
export function setPlainCookie(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: Cookie,
): void {
  setCookie(reply, cookie, site.visitors.of(request).isTls);
}

/** The value of a cookie that `setPlainCookie` set; null: none. */
export function readPlainCookie(site: Site, request: FastifyRequest, name: string): string | null {
  return readCookie(request, name, site.visitors.of(request).isTls);
}

interface PageTurn extends Disposable {
  readonly signal: AbortSignal;
}

/** A place at work until it is disposed of. `viewer`: who is signed in. Throws `busy`. */
export async function turnOf(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { viewer }: { readonly viewer: Viewer | null },
): Promise<PageTurn> {
  const signal = callerSignal(reply);
  const caller = callerName(viewer ?? site.visitors.of(request));
  const place = await site.admission.enter({ caller, sort: request.routeOptions.url ?? '', signal });
  return { signal, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

/** Counts one search of this account or network. Throws `too_many_requests`. */
export function limitSearches(site: Site, request: FastifyRequest, { viewer }: Pick<Frame, 'viewer'>): void {
  if (viewer !== null) {
    const allowance = site.accountLimiter?.take(callerName(viewer));
    if (allowance !== undefined && !allowance.allowed) throw tooManyRequests(allowance);
    return;
  }
  limitNetwork(site.visitorLimit, site.visitors.of(request).network, 'searches');
}

/** Throws `forbidden` if a visitor asks for a page by its cursor. */
export function checkFirstPage(frame: Frame, { after }: { readonly after: string | number | null }): void {
  if (frame.viewer !== null || after === null || after === 0) return;
  throw new ServiceError('forbidden', 'expected the first page, since nobody is signed in, found a cursor');
}

/** Answers what is asked about a search, in its turn; errors that a searcher can act on are shown beside it. */
export async function answerAbout(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  state: SearchState,
  answer: (frame: Frame, signal: AbortSignal) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const frame = frameOf(site, request);
  try {
    limitSearches(site, request, frame);
    using turn = await turnOf(site, request, reply, frame);
    return await answer(frame, turn.signal);
  } catch (error) {
    return sendSearchError(site, request, reply, { frame, state, error });
  }
}

interface FailedSearch {
  readonly frame: Frame;
  readonly state: SearchState;
  readonly error: unknown;
}

/** Errors that a searcher can act on; all others, and `busy`, are rethrown. */
export function sendSearchError(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  { frame, state, error }: FailedSearch,
): Promise<FastifyReply> {
  const known = serviceErrorOf(error);
  if (known.code === 'internal_error' || known.code === 'busy') throw error;
  noteRefusal(request, known);
  reply.headers(problemHeaders(known));
  const { position } = known;
  const main =
    position === undefined || position.parameter !== undefined
      ? errorPage(frame, {
          ...{ error: known, requestId: request.id, isSent: false, state },
          timeoutMs: site.analysis.queryTimeoutMs,
        })
      : queryErrorPage(state, known, mendedQuery(state.query, known.code, position));
  const page: Page = { ...pageOfError(known, main), section: 'search' };
  return sendPage(site, request, reply, frame, page, { status: known.status });
}

/** What shares are of on pages. */
export function scopeOfSearch(site: Site, query: string): Scope {
  return scopeOf(site.archive.search.interpret(query).query, 'scope')!;
}
