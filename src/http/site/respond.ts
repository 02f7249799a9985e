// How pages answer: paths to read and paths that forms are sent to, and a request to one of them, with the turn that it
// waits for, its frame, and the headers of a page. What is wrong with a search is shown beside it. Below, the site, put
// together: what pages load from us (a stylesheet, a script and an icon, under names made from their content, so that
// caches keep them for ever), what they share, and errors outside the API as pages.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import { parseQueryString } from '../../operation/parameters.ts';
import { type Scope, scopeOf } from '../../search/asking.ts';
import { mendedQuery } from '../../search/edit-query.ts';
import { firstOfEach, leadingBack, type SearchState, withNewNames } from '../addresses.ts';
import {
  BUSY_FORM_PAGE,
  BUSY_HEADERS,
  BUSY_PAGE,
  noteRefusal,
  PAGE_HEADERS,
  problemHeaders,
  serviceErrorOf,
} from '../answers/problems.ts';
import { type KeptCodings, REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { type CallerName, callerName, callerSignal, checkOrigin, type Visitors } from '../requests/caller.ts';
import { limitNetwork, networkBuckets } from '../requests/limits.ts';
import { type Cookie, readCookie, Sessions, type SignedIn, setCookie } from '../session.ts';
import { errorPage, pageOfError, queryErrorPage } from '../views/error-page.ts';
import { trusted } from '../views/html.ts';
import { type Frame, layout, type Page, type PageAssets, readSettings } from '../views/layout.ts';
import type { AccountSection, NavigationEntry, Site } from './site.ts';

export type PageHandler = (visit: Visit) => Promise<FastifyReply> | FastifyReply;

/** Not in the OpenAPI document. */
const HIDDEN: FastifySchema = { hide: true };

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export function addRead(server: FastifyInstance, url: string, handler: Handler): void {
  for (const method of ['GET', 'HEAD'] as const) server.route({ method, url, schema: HIDDEN, handler });
}

export function addPageRead(server: FastifyInstance, site: Site, url: string, answer: PageHandler): void {
  addRead(server, url, handlerOf(site, answer));
}

function handlerOf(site: Site, answer: PageHandler): Handler {
  return async (request, reply) => answer(new Visit(site, request, reply));
}

export interface FormOptions {
  /** Bytes; absent: MAX_FORM_BYTES. */
  readonly bodyLimit?: number;
  /** Before the form is read; it may answer instead of the handler. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;
}

export function addPageForm(
  server: FastifyInstance,
  site: Site,
  url: string,
  answer: PageHandler,
  { bodyLimit = MAX_FORM_BYTES, onRequest }: FormOptions = {},
): void {
  const before = onRequest === undefined ? {} : { onRequest };
  const handler = handlerOf(site, answer);
  server.route({ method: 'POST', url, schema: HIDDEN, bodyLimit, handler, ...before });
}

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
    async (_: FastifyRequest, body: Buffer) => firstOfEach(parseQueryString(body.toString('latin1'))),
  );
}

/** A request to a page: who asks for what, and the ways to answer. */
export class Visit {
  readonly site: Site;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  #viewer: SignedIn | null | undefined;
  #frame: Frame | undefined;
  #signal: AbortSignal | undefined;
  #visitorToken: string | undefined;

  /** `viewer`: absent: looked up when it is needed. */
  constructor(site: Site, request: FastifyRequest, reply: FastifyReply, viewer?: SignedIn | null) {
    this.site = site;
    this.request = request;
    this.reply = reply;
    this.#viewer = viewer;
  }

  /** Who is signed in; null: a visitor. */
  get viewer(): SignedIn | null {
    if (this.#viewer === undefined) this.#viewer = this.site.sessions.signedIn(this.request);
    return this.#viewer;
  }

  get frame(): Frame {
    this.#frame ??= frameOf(this);
    return this.#frame;
  }

  /** Aborted when the visitor has gone. */
  get signal(): AbortSignal {
    this.#signal ??= callerSignal(this.reply);
    return this.#signal;
  }

  get here(): string {
    return this.request.raw.url ?? '/';
  }

  /** At which people reach the server, without a slash at its end. */
  get publicAddress(): string {
    return this.site.visitors.of(this.request).ownAddress;
  }

  /** The network that limits count by. */
  get network(): string {
    return this.site.visitors.of(this.request).network;
  }

  get caller(): CallerName {
    return callerName(this.viewer ?? this);
  }

  /** Sets or renews the cookie behind forms for somebody who is not signed in, and returns their token. */
  visitorToken(): string {
    this.#visitorToken ??= this.site.sessions.visitorToken(this.request, this.reply);
    return this.#visitorToken;
  }

  /** The value of a parameter of the path (`/account/link/:token`); empty if there is none. */
  parameter(name: string): string {
    return (this.request.params as Readonly<Record<string, string | undefined>>)[name] ?? '';
  }

  /** The value of a field; empty if the form does not have it, or the body is not a form. */
  field(name: string): string {
    return this.request.body instanceof Map ? ((this.request.body as Form).get(name) ?? '') : '';
  }

  /** The value of a cookie that `setCookie` set; null: none. */
  cookie(name: string): string | null {
    return readCookie(this.request, name, this.site.visitors.of(this.request).isTls);
  }

  /** Sets a cookie whose value is not secret. */
  setCookie(cookie: Cookie): void {
    setCookie(this.reply, cookie, this.site.visitors.of(this.request).isTls);
  }

  /** Throws `forbidden` if a form of another site was sent. */
  checkOrigin(): void {
    checkOrigin(this.request, this.publicAddress);
  }

  /** Counts one search of this account or network. Throws `too_many_requests`. */
  limitSearches(): void {
    const { accountLimiter, visitorLimit } = this.site;
    if (this.viewer === null) limitNetwork(visitorLimit, this.network, 'searches');
    else accountLimiter?.expect(this.caller);
  }

  /** A place at work until it is disposed of. Throws `busy`. */
  turn(): Promise<Disposable> {
    const { caller, signal } = this;
    return this.site.admission.enter({ caller, sort: this.request.routeOptions.url ?? '', signal });
  }

  /** Waits for room for a page with records. Throws as `BytesUnderWay.hold` does. */
  room(): Promise<void> {
    const { caller, signal } = this;
    return this.site.bytes.hold(this.reply.raw, { caller, mostBytes: MAX_PAGE_BYTES }, signal);
  }

  /** `frame`: absent: its own. */
  send(
    page: Page,
    { status = 200, isSecret = status !== 200, frame = this.frame }: SendOptions = {},
  ): FastifyReply | Promise<FastifyReply> {
    const { request, reply } = this;
    this.setHeaders();
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

  setHeaders(): void {
    this.reply.headers({ 'Content-Security-Policy': POLICY, ...PAGE_HEADERS });
  }

  /** To a path of this site, by GET. */
  redirect(to: string): FastifyReply {
    this.setHeaders();
    return this.reply.code(303).headers({ Location: to, 'Cache-Control': 'no-store' }).send();
  }

  /** To the page to sign in, which leads back to `here`. Throws `forbidden` where nobody can. */
  redirectToSignIn(here = this.here): FastifyReply {
    return this.redirect(signInPath(this.site, here));
  }
}

interface SendOptions {
  readonly status?: number;
  /** Nobody may store it: for pages of an account, and errors. */
  readonly isSecret?: boolean;
  readonly frame?: Frame;
}

export const SETTINGS_COOKIE = 'colloquy_settings';

function frameOf(visit: Visit): Frame {
  const { site } = visit;
  return {
    viewer: visit.viewer,
    settings: readSettings(visit.cookie(SETTINGS_COOKIE)),
    here: visit.here,
    publicAddress: visit.publicAddress,
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

/** The page to sign in, which leads back to `here`. Throws `forbidden` where nobody can. */
export function signInPath({ entrance }: Site, here = '/'): string {
  if (entrance !== null) return leadingBack(entrance.signIn, here);
  throw new ServiceError('forbidden', 'expected somebody who is signed in, found a server without accounts');
}

/** Throws `forbidden` if a visitor asks for a page by its cursor. */
export function checkFirstPage({ viewer }: Visit, after: string | number | null): void {
  if (viewer !== null || after === null || after === 0) return;
  throw new ServiceError('forbidden', 'expected the first page, since nobody is signed in, found a cursor');
}

/** Answers what is asked about a search, in its turn; errors that a searcher can act on are shown beside it. */
export async function answerAbout(
  visit: Visit,
  state: SearchState,
  answer: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    visit.limitSearches();
    using _ = await visit.turn();
    return await answer();
  } catch (error) {
    return await sendSearchError(visit, state, error);
  }
}

/** Errors that a searcher can act on; all others, and `busy`, are rethrown. */
function sendSearchError(visit: Visit, state: SearchState, error: unknown) {
  const { site, request, reply, frame } = visit;
  const known = serviceErrorOf(error);
  if (known.code === 'internal_error' || known.code === 'busy') throw error;
  noteRefusal(request, known);
  reply.headers(problemHeaders(known));
  const { position } = known;
  const main =
    position === undefined || position.parameter !== undefined
      ? errorPage(frame, {
          ...{ error: known, requestId: request.id, isSent: false, state },
          timeoutMs: site.archive.config.queryTimeoutMs,
        })
      : queryErrorPage(state, known, mendedQuery(state.query, known.code, position));
  return visit.send({ ...pageOfError(known, main), section: 'search' }, { status: known.status });
}

export function scopeOfSearch(site: Site, query: string): Scope {
  return scopeOf(site.archive.search.interpret(query).query, 'scope')!;
}

/** Later ones override earlier ones. */
const STYLES = [
  ...['base', 'frame', 'forms', 'search', 'home', 'results', 'reading', 'side', 'pictures', 'compare'],
  ...['words', 'docs', 'cite', 'accounts', 'settings', 'screens'],
];

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const FOR_EVER = 'public, max-age=31536000, immutable';

/** Reads src/web/ and adds a route for each file that is served. */
function addAssets(server: FastifyInstance): PageAssets {
  // Comments of the script are on lines of their own.
  const written = read('page.js').replace(/^\s*(?:\/\/.*|\/\*\*[\s\S]*?\*\/)$/gm, '');
  const script = addAsset(server, 'page.js', written.replace(/\n\s+/g, '\n'));
  const drawn = read('icon.svg');
  const icon = addAsset(server, 'icon.svg', drawn);
  const styles = STYLES.map((name) => read(`styles/${name}.css`)).join('\n');
  const style = addAsset(server, 'style.css', squeezeStyle(styles));
  const paths = drawn.slice(drawn.indexOf('<path'), drawn.lastIndexOf('</svg>'));
  const mark = trusted(`<svg class="logo" viewBox="0 0 32 32">${paths}</svg>`);
  return { style, script, icon, mark };
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** Serves `body` for ever, and returns its path: the file name with a digest before its extension. */
function addAsset(server: FastifyInstance, fileName: string, body: string): string {
  const [name = '', ending = ''] = fileName.split('.');
  const path = `/assets/${name}-${hash('sha256', body).slice(0, 12)}.${ending}`;
  const type = TYPES[ending] ?? 'text/plain; charset=utf-8';
  const codings: KeptCodings = new Map();
  addRead(server, path, async (request, reply) => {
    reply.header('Cross-Origin-Resource-Policy', 'same-origin');
    return sendRepresentation(request, reply, { body, type, caching: FOR_EVER, codings });
  });
  return path;
}

/** Comments and indentation are only for us. The sheet contains no strings in which they could matter. */
function squeezeStyle(style: string): string {
  return style
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim();
}

function read(name: string): string {
  return readFileSync(new URL(`../../web/${name}`, import.meta.url), 'utf8');
}

/** Searches of visitors: 60 a minute from one network, 30 at once. */
const VISITOR_SEARCHES = { burst: 30, msOfToken: 1_000 };

type Asking = Pick<Site, 'accountLimiter' | 'admission' | 'archive' | 'bytes' | 'features' | 'security'>;

/** Adds the routes. Returns the site, to which features add their pages. */
export function addPageRoutes(server: FastifyInstance, visitors: Visitors, asking: Asking): Site {
  const sessions = new Sessions(asking.archive.accounts.sessions, visitors);
  const { entrance = null } = asking.features.find((feature) => feature.entrance !== undefined) ?? {};
  const site: Site = {
    ...asking,
    sessions,
    ...{ entrance, canRegister: entrance?.canRegister(asking.archive) ?? false },
    assets: addAssets(server),
    visitors,
    visitorLimit: networkBuckets(VISITOR_SEARCHES),
  };
  addFormParser(server);
  server.addHook('onRoute', (route) => {
    if (route.method === 'POST' || route.url.startsWith('/api/')) return;
    route.preHandler = async (request, reply) => {
      const address = request.raw.url ?? '';
      const renamed = withNewNames(address);
      if (renamed !== address) return new Visit(site, request, reply).redirect(renamed);
    };
  });
  return site;
}

/** null, too, if it cannot be found out: that may be the error itself. */
function viewerIfKnown({ sessions }: Site, request: FastifyRequest): SignedIn | null {
  try {
    return sessions.signedIn(request);
  } catch {
    return null;
  }
}

export function errorSender(site: Site) {
  return async (error: ServiceError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isSent = !['GET', 'HEAD'].includes(request.method);
    if (error.code === 'busy')
      return reply
        .code(error.status)
        .headers(BUSY_HEADERS)
        .send(isSent ? BUSY_FORM_PAGE : BUSY_PAGE);
    const visit = new Visit(site, request, reply, viewerIfKnown(site, request));
    const frame = isSent ? { ...visit.frame, here: '/' } : visit.frame;
    const { queryTimeoutMs: timeoutMs } = site.archive.config;
    const view = { error, requestId: request.id, isSent, state: null, timeoutMs };
    return visit.send(pageOfError(error, errorPage(frame, view)), { status: error.status, frame });
  };
}
