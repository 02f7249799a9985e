// Servers for the API tests: real engine, real accounts, real search, asked by `inject` or over a socket.

import type { FastifyInstance } from 'fastify';
import { Accounts } from '../../src/accounts/accounts.ts';
import { CoverageService } from '../../src/analysis/coverage.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { CitingService } from '../../src/citing/citing-service.ts';
import { ExportService } from '../../src/exporting/export-service.ts';
import type { AdmissionSettings } from '../../src/http/admission/admission.ts';
import { buildServer, type ServerDeps } from '../../src/http/server.ts';
import type { KnowledgeSource } from '../../src/model/community.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { SearchService, type SearchSettings } from '../../src/search/search-service.ts';
import { temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';
import { SILENT } from '../silent-log.ts';

const SETTINGS: SearchSettings = {
  impliedWindow: '1d',
  permalinkBase: 'https://www.reddit.com',
  queryTimeoutMs: 10_000,
};

/** A data folder with records and keys, on which servers can be built. */
export interface Service extends AsyncDisposable {
  readonly engine: SearchEngine;
  readonly accounts: Accounts;
  /** What exports know of communities; searches get `knowledge` of BuildOptions. */
  readonly catalogue: Catalogue;
  readonly keys: Readonly<Record<'good' | 'second' | 'other' | 'expired' | 'revoked', string>>;
  /** The server goes with the service. */
  build(options?: BuildOptions): Promise<FastifyInstance>;
}

export interface BuildOptions extends Partial<Omit<ServerDeps, 'settings'>> {
  readonly requestsPerMinute?: number;
  readonly exportsAtOnce?: number;
  readonly admission?: AdmissionSettings;
  readonly answerBytes?: number;
  readonly connectionsPerAddress?: number;
  readonly publicUrl?: string | null;
  readonly trustedProxies?: readonly string[];
  readonly isAtSocket?: boolean;
  readonly search?: SearchService;
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
  let now = 1_700_000_000;
  const catalogue = opened.use(Catalogue.open(folder.path));
  const accounts = opened.use(Accounts.open(folder.path, { now: () => now }));
  const keys = makeKeys(accounts);
  now += 2 * 86_400;
  const owned = opened.move();
  return {
    engine,
    accounts,
    catalogue,
    keys,
    async build({ searchSettings, knowledge = noKnowledge, ...options } = {}) {
      const {
        requestsPerMinute = 0,
        exportsAtOnce = 4,
        admission,
        publicUrl = null,
        trustedProxies = [],
        isAtSocket = false,
        answerBytes,
        connectionsPerAddress,
        ...deps
      } = options;
      const rules = { ...SETTINGS, ...searchSettings };
      const search = new SearchService(engine, knowledge, rules);
      const exports = new ExportService(engine, catalogue, rules);
      const coverage = new CoverageService({ engine, queryTimeoutMs: rules.queryTimeoutMs }, catalogue);
      const service = new CitingService({
        ...{ engine, engineName: () => 'reference', store: catalogue.citations, log: catalogue },
        ...{ version: '1.2.0', settings: rules },
      });
      const citing = { service, isPublic: false };
      const limits = { requestsPerMinute, exportsAtOnce, ...(admission && { admission }) };
      const room = {
        ...(answerBytes !== undefined && { answerBytes }),
        ...(connectionsPerAddress !== undefined && { connectionsPerAddress }),
      };
      const settings = { ...limits, ...room, publicUrl, trustedProxies, isAtSocket };
      const analysis = { engine, queryTimeoutMs: rules.queryTimeoutMs };
      const own = {
        ...{ search, exports, coverage, citing, analysis, keys: accounts, saved: accounts.saved },
        ...{ settings, log: SILENT },
      };
      const server = await buildServer({ ...own, ...deps });
      owned.defer(() => server.close());
      return server;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** `expired` is so from a day on; `other` is of another account. */
function makeKeys(accounts: Accounts): Service['keys'] {
  const create = (name: string, expiresInDays: number | null = null, email = 'caller@example.org') =>
    accounts.createKey({ email, name, expiresInDays });
  const revoked = create('revoked');
  accounts.revokeKey(revoked.id);
  return {
    good: create('good').key,
    second: create('second').key,
    other: create('other', null, 'other@example.org').key,
    expired: create('expired', 1).key,
    revoked: revoked.key,
  };
}
