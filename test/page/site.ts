// A data folder with records, and servers with pages on it.

import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { PageDeps } from '../../src/http/pages/page-routes.ts';
import type { VisitorSettings } from '../../src/http/visitor.ts';
import { LineLog } from '../../src/log.ts';
import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import { PageService } from '../../src/search/page/page-service.ts';
import { SearchService, type SearchSettings } from '../../src/search/search-service.ts';
import { openService } from '../api/service.ts';
import { COMMENTS, POSTS } from './corpus.ts';

const SEARCH: SearchSettings = {
  impliedWindow: '1d',
  permalinkBase: 'https://www.reddit.com',
  queryTimeoutMs: 10_000,
};

export interface TestSite extends AsyncDisposable {
  readonly key: string;
  /** Lines of the log so far. */
  readonly logged: string;
  build(options?: SiteOptions): Promise<FastifyInstance>;
}

export interface SiteOptions extends Partial<Omit<PageDeps, 'service' | 'settings'>> {
  readonly settings?: Partial<PageDeps['settings'] & VisitorSettings>;
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
    async build({ settings = {}, search, ...deps } = {}) {
      const { publicUrl = null, trustedProxies = [], isAtSocket = false, ...shown } = settings;
      const rules = { ...SEARCH, ...search };
      const searching = new SearchService(service.engine, { knowledgeOf: () => new Map() }, rules);
      const pages = new PageService(service.engine, searching, rules);
      await pages.archive.warm();
      return service.build({
        search: searching,
        log: new LineLog((line) => {
          logged += line;
        }),
        publicUrl,
        trustedProxies,
        isAtSocket,
        pages: {
          service: pages,
          settings: {
            visitorResults: 10,
            contact: null,
            visitorSearchesPerMinute: 1_000_000,
            ...shown,
          },
          viewer: async (request) => {
            const email = request.headers['x-signed-in'];
            return typeof email === 'string' ? { accountId: email, email } : null;
          },
          ...deps,
        },
      });
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
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
  const markup = /<article class="read">[\s\S]*?<p dir="auto">([\s\S]*?)<\/p>/.exec(page)?.[1] ?? '';
  const named = markup.replace(/<span class="control">U\+([0-9A-F]+)<\/span>/g, (_, code) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
  return decode(named.replace(/<[^>]*>/g, ''));
}
