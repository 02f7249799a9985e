// What the tests of imports share: a data folder with a real engine and catalogue, imports into it, and the digest of
// what the index holds.

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { type ImportOptions, importSources } from '../../src/ingest/importer.ts';
import type { ImportReport } from '../../src/ingest/report.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS } from '../../src/model/record.ts';
import { temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';

export interface ImportPlace extends AsyncDisposable {
  readonly folder: string;
  readonly engine: SearchEngine;
  readonly catalogue: Catalogue;
  /** Writes a file into the folder of sources; its path. */
  file(name: string, content: string | Uint8Array): string;
  /** Imports with one worker at the most, so that tests may run beside one another. */
  run(sources: readonly string[], options?: Partial<ImportOptions & RunOptions>): Promise<ImportReport>;
  digest(): Promise<string>;
}

interface RunOptions {
  /** What is imported into; absent: the place's own engine. */
  readonly engine: SearchEngine;
  /** What `-` stands for. */
  readonly input: AsyncIterable<Buffer>;
}

export async function importPlace(rules = { keepOriginals: false }): Promise<ImportPlace> {
  const folder = temporaryFolder();
  const catalogue = Catalogue.open(join(folder.path, 'data'));
  const { removals } = catalogue;
  const engine = await openReferenceEngine(join(folder.path, 'data', 'reference'), { rules, removals });
  return {
    folder: folder.path,
    engine,
    catalogue,
    file: (name, content) => {
      const path = join(folder.path, 'sources', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    run: (sources, options = {}) =>
      importSources(
        sources,
        {
          engine: options.engine ?? engine,
          catalogue,
          permalinkBase: 'https://www.reddit.com',
          rejectsFolder: join(folder.path, 'data', 'rejects'),
          input: options.input ?? nothing(),
        },
        { kind: null, restart: false, workers: 1, ...options },
      ),
    digest: () => digestOf(engine),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await catalogue[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** Equal where both indexes hold the same records, field by field. */
export async function digestOf(engine: SearchEngine): Promise<string> {
  const hash = createHash('sha256');
  for (const kind of KINDS) {
    for await (const batch of engine.scan(kind, { items: [] }, 'oldest')) {
      for (const record of batch) hash.update(`${JSON.stringify(Object.entries(record).sort())}\n`);
    }
  }
  return hash.digest('hex');
}

export function postLine(id: string, more: object = {}): string {
  return JSON.stringify({
    id,
    subreddit: 'Energy',
    subreddit_id: 't5_2qh',
    created_utc: 1_600_000_000,
    title: `Post ${id}`,
    selftext: '',
    url: `https://example.org/${id}`,
    domain: 'example.org',
    is_self: false,
    over_18: false,
    score: 1,
    ...more,
  });
}

export function commentLine(id: string, more: object = {}): string {
  return JSON.stringify({
    id,
    subreddit: 'Energy',
    created_utc: 1_600_000_000,
    link_id: 't3_p',
    body: `Comment ${id}`,
    score: 1,
    ...more,
  });
}
