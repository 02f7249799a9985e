// An archive over any engine, as a server gets it from an open data folder.

import type { Accounts } from '../src/accounts/accounts.ts';
import type { Catalogue } from '../src/catalogue/catalogue.ts';
import { type Feature, loadFeatures, reachedByRemovals } from '../src/cli/feature.ts';
import { type Config, readConfig } from '../src/config.ts';
import { FEATURES } from '../src/features.ts';
import { buildServer, type Server, type ServerDeps } from '../src/http/server.ts';
import type { KnowledgeSource } from '../src/model/community.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Archive, ReadArchive } from '../src/operation/operation.ts';
import { SearchService, type SearchSettings } from '../src/search/search-service.ts';
import { SILENT } from './silent-log.ts';

interface Parts {
  readonly engine: SearchEngine;
  readonly catalogue: Catalogue;
  readonly accounts: Accounts;
  /** Of communities, for searches; absent: the catalogue's. */
  readonly knowledge?: KnowledgeSource;
  /** Besides those of an empty environment. */
  readonly config?: Partial<Config>;
}

/** Of a server: it limits nothing. */
export const NO_LIMITS = { requestsPerMinute: 0, admission: { atOnce: Infinity, queueMs: 60_000 } };

export function archiveOver({ engine, catalogue, accounts, knowledge = catalogue, config }: Parts): Archive {
  const settings = { ...readConfig({}), queryTimeoutMs: 60_000, ...config };
  return {
    ...{ version: '1.2.0', engine, catalogue, accounts, config: settings, isSample: () => false },
    search: new SearchService(engine, knowledge, settings),
  };
}

/** A server over all of it, with every feature, that limits nothing. */
export async function serverOver(archive: Archive, deps: Partial<ServerDeps> = {}): Promise<Server> {
  const settings = { ...archive.config, ...NO_LIMITS };
  return await buildServer({ archive, features: await allFeatures(), settings, log: SILENT, ...deps });
}

/** What services that read are asked with. `knowledge`: of communities. */
export function readArchive(
  engine: SearchEngine,
  settings: Partial<SearchSettings> = {},
  knowledge: KnowledgeSource = { knowledgeOf: () => new Map() },
): ReadArchive {
  const config = { impliedWindow: 'off', permalinkBase: '', queryTimeoutMs: 60_000, ...settings } as const;
  return { engine, config, search: new SearchService(engine, knowledge, config) };
}

/** All features, as `serve` loads them. */
export function allFeatures(): Promise<readonly Feature[]> {
  return loadFeatures(FEATURES);
}

/** What removals reach besides the index. */
export const REACHED = await reachedByRemovals(await allFeatures());
