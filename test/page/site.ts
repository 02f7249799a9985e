// Servers with pages for the tests, and what is read in their markup.

import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Config } from '../../src/config.ts';
import { LineLog } from '../../src/log.ts';
import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import type { SearchSettings } from '../../src/search/search-service.ts';
import { type BuildOptions, openService } from '../api/service.ts';
import { COMMENTS, POSTS } from './corpus.ts';

type Pages = NonNullable<BuildOptions['pages']>;
type Settings = Partial<Pick<Config, 'visitorResults' | 'contact' | 'logRequests'>> &
  Pick<Pages, 'visitorSearchesPerMinute'> &
  Pick<BuildOptions, 'publicUrl' | 'trustedProxies' | 'isAtSocket' | 'registration'>;

export interface TestSite extends AsyncDisposable {
  readonly key: string;
  /** Lines of the log so far. */
  readonly logged: string;
  build(options?: SiteOptions): Promise<FastifyInstance>;
}

export interface SiteOptions
  extends Omit<Pages, 'visitorSearchesPerMinute'>,
    Pick<BuildOptions, 'now' | 'time'> {
  readonly settings?: Settings;
  readonly isSample?: () => boolean;
  readonly search?: Partial<SearchSettings>;
}

/** Who sends this header is signed in. */
export const SIGNED_IN = { 'x-signed-in': 'ann@example.org' };

export async function openSite(
  posts: readonly StoredPost[] = POSTS,
  comments: readonly StoredComment[] = COMMENTS,
): Promise<TestSite> {
  const service = await openService(posts, comments);
  let logged = '';
  return {
    key: service.keys.good,
    get logged() {
      return logged;
    },
    build({ settings = {}, search = {}, isSample = () => false, now, time, ...pages } = {}) {
      const {
        publicUrl = null,
        trustedProxies = [],
        isAtSocket = false,
        registration = 'open',
        visitorSearchesPerMinute = 1_000_000,
        ...config
      } = settings;
      return service.build({
        ...{ publicUrl, trustedProxies, isAtSocket, registration, searchSettings: search, config },
        ...(isSample() && { archive: { isSample } }),
        ...(now && { now }),
        ...(time && { time }),
        log: new LineLog((line) => {
          logged += line;
        }),
        pages: {
          visitorSearchesPerMinute,
          viewer: async (request) => {
            const email = request.headers['x-signed-in'];
            return typeof email === 'string' ? { accountId: email, email } : null;
          },
          ...pages,
        },
      });
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** A site of all tests of the file or suite that asks for it: there from the first of them to the last. */
export function siteOfTests(
  posts: readonly StoredPost[] = POSTS,
  comments: readonly StoredComment[] = COMMENTS,
  options: SiteOptions = {},
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
    async get(url: string, headers: Readonly<Record<string, string>> = SIGNED_IN): Promise<string> {
      const { statusCode, body } = await server.inject({ url, headers });
      if (statusCode !== 200) throw new Error(`${url}: expected 200, found ${statusCode}`);
      return body;
    },
    /** Another server of the same records. */
    build: (others?: SiteOptions): Promise<FastifyInstance> => site.build(others),
    /** For a browser. */
    at: (path: string): string => base + path,
    key: (): string => site.key,
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
