// Servers with pages for the tests, and what is read in their markup.

import type { AddressInfo } from 'node:net';
import { after, before, mock } from 'node:test';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Accounts } from '../../src/accounts/accounts.ts';
import { hashSecret } from '../../src/accounts/secrets.ts';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { NetworkLimit } from '../../src/http/requests/limits.ts';
import { hostCookieName, SESSION_COOKIE } from '../../src/http/session.ts';
import { lineLog } from '../../src/log.ts';
import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import { type BuildOptions, openService } from '../api/service.ts';
import { COMMENTS, POSTS } from './corpus.ts';

export interface TestSite extends AsyncDisposable {
  readonly key: string;
  /** Headers of the browser of somebody else. */
  signIn(email: string): { readonly cookie: string };
  /** Lines of the log so far. */
  readonly logged: string;
  build(options?: BuildOptions): Promise<FastifyInstance>;
}

const { take } = NetworkLimit.prototype;

const TOKEN = 'a'.repeat(43);

/** Who sends this header is signed in as ann@example.org, over HTTP and HTTPS. */
export const SIGNED_IN = sessionHeaders(TOKEN);

function sessionHeaders(token: string): { readonly cookie: string } {
  return { cookie: `${SESSION_COOKIE}=${token}; ${hostCookieName(SESSION_COOKIE, true)}=${token}` };
}

/** What a browser keeps that sends these headers, over HTTP. */
export function inBrowser({ cookie }: { readonly cookie: string }) {
  const [pair = ''] = cookie.split(';');
  const [name = '', value = ''] = pair.split('=');
  const of = { domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false } as const;
  return { cookies: [{ name, value, ...of, sameSite: 'Lax' as const }], origins: [] };
}

/** Begins a session of a new account, and returns the headers of its browser. */
export function signIn(accounts: Accounts, email: string): { readonly cookie: string } {
  credentialsOf(accounts).createAccount(email);
  return sessionHeaders(accounts.sessions.start(accounts.idOf(email)!, ''));
}

export async function openSite(
  posts: readonly StoredPost[] = POSTS,
  comments: readonly StoredComment[] = COMMENTS,
): Promise<TestSite> {
  // Tests ask faster than a network may. Those of limits take this back by `mock.restoreAll()`.
  if (NetworkLimit.prototype.take === take) mock.method(NetworkLimit.prototype, 'take', () => 0);
  const service = await openService(posts, comments);
  const { accounts } = service;
  signIn(accounts, 'ann@example.org');
  accounts.database.prepare('UPDATE sessions SET hash = ?').run(hashSecret(TOKEN));
  let logged = '';
  return {
    key: service.keys.good,
    signIn: (email) => signIn(accounts, email),
    get logged() {
      return logged;
    },
    build: (options = {}) =>
      service.build({
        ...options,
        log: lineLog((line) => {
          logged += line;
        }),
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

type Headers = Readonly<Record<string, string>>;

async function bodyOf(server: FastifyInstance, request: InjectOptions, status: number): Promise<string> {
  const { statusCode, body } = await server.inject(request);
  if (statusCode !== status)
    throw new Error(`${request.url}: expected ${status}, found ${statusCode}: ${body}`);
  return body;
}

/** A site of all tests of the file or suite that asks for it: there from the first of them to the last. */
export function siteOfTests(
  posts: readonly StoredPost[] = POSTS,
  comments: readonly StoredComment[] = COMMENTS,
  options: BuildOptions = {},
) {
  let site: TestSite;
  let server: FastifyInstance;
  let base: string;
  before(async () => {
    site = await openSite(posts, comments);
    server = await site.build(options);
    base = await listening(server);
  });
  after(() => site?.[Symbol.asyncDispose]());
  return {
    inject: (request: string | InjectOptions): Promise<LightMyRequestResponse> => server.inject(request),
    /** As a browser, which goes where it is led. */
    followed: (request: string | InjectOptions): Promise<LightMyRequestResponse> => followed(server, request),
    /** The page that whoever is signed in gets, or who sends other headers. */
    get: (url: string, headers: Headers = SIGNED_IN, status = 200): Promise<string> =>
      bodyOf(server, { url, headers }, status),
    /** The same, as a person reads it. */
    read: async (url: string, headers: Headers = SIGNED_IN, status = 200): Promise<string> =>
      readable(await bodyOf(server, { url, headers }, status)),
    /** What the API answers to a key. `path`: without `/api/v1/`. */
    async api(path: string) {
      const headers = { authorization: `Bearer ${site.key}` };
      return JSON.parse(await bodyOf(server, { url: `/api/v1/${path}`, headers }, 200));
    },
    /** Another server of the same records. */
    build: (others?: BuildOptions): Promise<FastifyInstance> => site.build(others),
    /** For a browser. */
    at: (path: string): string => base + path,
    key: (): string => site.key,
    signIn: (email: string): { readonly cookie: string } => site.signIn(email),
    logged: (): string => site.logged,
  };
}

/** The answer at the address to which the request leads, if it leads anywhere. */
export async function followed(
  server: FastifyInstance,
  request: string | InjectOptions,
): Promise<LightMyRequestResponse> {
  const answer = await server.inject(request);
  const { location } = answer.headers;
  if (answer.statusCode !== 303 || location === undefined) return answer;
  return await server.inject({ ...(typeof request === 'string' ? {} : request), url: location });
}

/** Listens on a free port of this machine and gives the address. */
export async function listening(server: FastifyInstance): Promise<string> {
  await server.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

/** The text between tags, as a person reads it: without markup, entities decoded, spaces joined. */
export function readable(markup: string): string {
  return decode(markup.replace(/<(style|script)[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

export function decode(markup: string): string {
  const names: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return markup.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => names[name]!);
}

/** Every `href` of the markup, decoded. */
export function hrefs(markup: string): string[] {
  return [...markup.matchAll(/ href="([^"]*)"/g)].map(([, href]) => decode(href!));
}

/** What stands in the group of each match, as a person reads it. */
export function eachIn(markup: string, pattern: RegExp): string[] {
  return [...markup.matchAll(pattern)].map(([, found]) => readable(found!));
}

/** The results of a list, each without its `<article>`. */
export function entriesOf(page: string): string[] {
  return page
    .split('<article>')
    .slice(1)
    .map((part) => part.split('</article>')[0]!);
}

/** The text that the page of a record shows, with hidden characters back in the place of their names. */
export function shownText(page: string): string {
  const markup = /<article class="read">[\s\S]*?<p>([\s\S]*?)<\/p>/.exec(page)?.[1] ?? '';
  const named = markup.replace(/<span class="control">U\+([0-9A-F]+)<\/span>/g, (_, code) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
  return decode(named.replace(/<[^>]*>/g, ''));
}

/** The number of the heading of a list. */
export function totalOn(page: string): number {
  return Number(/<h1 id="total">([\d,]+) /.exec(page)![1]!.replaceAll(',', ''));
}

/** Lines of a file, its head among them. No cell of those here has a comma or a quote. */
export function cellsOf(csv: string): string[][] {
  return csv
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}

/** Rows of a table, without its head and its links to exclude: cells as a person reads them. */
export function rowsOf(page: string, table: RegExp): string[][] {
  const markup = new RegExp(`${table.source}[\\s\\S]*?<tbody>([\\s\\S]*?)</tbody>`).exec(page)?.[1] ?? '';
  const rows = markup
    .replace(/<td class="not">.*?<\/td>/g, '')
    .split('</tr>')
    .slice(0, -1);
  return rows.map((row) =>
    row
      .split(/<\/t[hd]>/)
      .slice(0, -1)
      .map(readable),
  );
}
