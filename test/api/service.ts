// Servers for the API tests: real engine, real accounts, real search, asked by `inject` or over a socket.

import type { FastifyInstance } from 'fastify';
import { Accounts } from '../../src/accounts/accounts.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Config } from '../../src/config.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { pagesOf } from '../../src/features/search/service.ts';
import type { AdmissionSettings } from '../../src/http/requests/admission.ts';
import { buildServer, type ServerDeps } from '../../src/http/server.ts';
import type { KnowledgeSource } from '../../src/model/community.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import type { Archive } from '../../src/operation/operation.ts';
import type { SearchSettings } from '../../src/search/search-service.ts';
import { allFeatures, archiveOver } from '../archive.ts';
import { earlier } from '../clock.ts';
import { temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';
import { SILENT } from '../silent-log.ts';

export const SETTINGS: SearchSettings = {
  impliedWindow: '1d',
  permalinkBase: 'https://www.reddit.com',
  queryTimeoutMs: 10_000,
};

/** A data folder with records and keys, on which servers can be built. */
export interface Service extends AsyncDisposable {
  readonly engine: SearchEngine;
  readonly accounts: Accounts;
  /** Of accounts.db. */
  readonly folder: string;
  /** What exports know of communities; searches get `knowledge` of BuildOptions. */
  readonly catalogue: Catalogue;
  /** Made when they are first read. */
  readonly keys: Readonly<Record<'good' | 'second' | 'other' | 'expired' | 'revoked', string>>;
  /** The server goes with the service. */
  build(options?: BuildOptions): Promise<FastifyInstance>;
}

export interface BuildOptions extends Partial<Omit<ServerDeps, 'settings' | 'archive'>> {
  /** Parts in place of those of the service. With it, were it empty, nothing is asked before a request is. */
  readonly archive?: Partial<Archive>;
  readonly requestsPerMinute?: number;
  readonly admission?: AdmissionSettings;
  readonly publicUrl?: string | null;
  readonly trustedProxies?: readonly string[];
  readonly isAtSocket?: boolean;
  readonly ofFeatures?: Config['ofFeatures'];
  readonly registration?: 'open' | 'closed';
  /** What pages go by besides. */
  readonly config?: Partial<Config>;
  readonly searchSettings?: Partial<SearchSettings>;
  readonly knowledge?: KnowledgeSource;
}

const noKnowledge: KnowledgeSource = { knowledgeOf: () => new Map() };

export async function openService(
  posts: readonly StoredPost[],
  comments: readonly StoredComment[],
  open = (folder: string): Promise<SearchEngine> =>
    openReferenceEngine(folder, { rules: { keepOriginals: false } }),
): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const engine = opened.use(await open(folder.path));
  await engine.index('post', packRecords(posts));
  await engine.index('comment', packRecords(comments));
  const catalogue = opened.use(Catalogue.open(folder.path));
  const accounts = opened.use(Accounts.open(folder.path));
  let keys: Service['keys'] | undefined;
  const owned = opened.move();
  return {
    engine,
    accounts,
    folder: folder.path,
    catalogue,
    get keys() {
      keys ??= makeKeys(accounts);
      return keys;
    },
    async build({ searchSettings, knowledge = noKnowledge, config, archive: parts, ...options } = {}) {
      const {
        requestsPerMinute = 0,
        admission,
        publicUrl = null,
        trustedProxies = [],
        isAtSocket = false,
        ofFeatures = {},
        registration = 'open',
        ...deps
      } = options;
      const shown = { publicUrl, ofFeatures, registration, visitorResults: 10 };
      const rules = { ...SETTINGS, ...searchSettings, ...shown, ...config };
      const archive = { ...archiveOver({ engine, catalogue, accounts, knowledge, config: rules }), ...parts };
      const settings = {
        ...{ requestsPerMinute, publicUrl, trustedProxies, isAtSocket },
        admission: admission ?? { atOnce: Infinity, queueMs: rules.queryTimeoutMs },
      };
      const own = { archive, features: await allFeatures(), settings, log: SILENT };
      // Where a test watches what is asked, nothing is asked before it.
      if (parts === undefined) await pagesOf(archive).archive.warm();
      const server = await buildServer({ ...own, ...deps });
      owned.defer(() => server.close());
      return server;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** `expired` has been so for a day; `other` is of another account. */
function makeKeys(accounts: Accounts): Service['keys'] {
  const create = (name: string, expiresInDays: number | null = null, email = 'caller@example.org') =>
    accounts.createKey({ email, name, expiresInDays });
  const revoked = create('revoked');
  accounts.keys.revoke(revoked.id);
  const keys = {
    good: create('good').key,
    second: create('second').key,
    other: create('other', null, 'other@example.org').key,
    expired: earlier(2 * 86_400, () => create('expired', 1)).key,
    revoked: revoked.key,
  };
  return keys;
}
