// What the tests of imports share: a data folder with a real engine and catalogue, imports into it, and the digest of
// what the index holds.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { type ImportOptions, importSources } from '../../src/ingest/importer.ts';
import { totalOf } from '../../src/ingest/normalise/outcome.ts';
import type { ImportReport } from '../../src/ingest/report.ts';
import type { Where } from '../../src/ingest/selection/selection.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS, type StoredRecord } from '../../src/model/record.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { inBatchesOf, instead, temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';

export interface ImportPlace extends AsyncDisposable {
  readonly folder: string;
  readonly engine: SearchEngine;
  readonly catalogue: Catalogue;
  /** Writes a file into the folder of sources; its path. */
  file(name: string, content: string | Uint8Array): string;
  /** Imports in this thread unless told otherwise. */
  run(sources: readonly string[], options?: RunOptions): Promise<ImportReport>;
  /** The same, stopped behind the first blocks. */
  runStopped(sources: readonly string[], options?: RunOptions): Promise<ImportReport>;
  /** Posts, then comments, each from the oldest. */
  records(): Promise<StoredRecord[]>;
  digest(): Promise<string>;
}

type RunOptions = Partial<ImportOptions> & {
  /** What is imported into; absent: the place's own engine. */
  readonly engine?: SearchEngine;
  /** Records that the engine asks a batch to have; absent: what it asks for by itself. */
  readonly batchRecords?: number;
  /** What `-` stands for. */
  readonly input?: AsyncIterable<Buffer>;
};

/** A test in a place of its own. */
export function test(rule: string, body: (place: ImportPlace) => Promise<void>): void {
  it(rule, async () => {
    await using place = await importPlace();
    await body(place);
  });
}

export async function importPlace(rules = { keepOriginals: false }): Promise<ImportPlace> {
  const folder = temporaryFolder();
  const catalogue = Catalogue.open(join(folder.path, 'data'));
  const { removals } = catalogue;
  const engine = await openReferenceEngine(join(folder.path, 'data', 'reference'), { rules, removals });
  const run = (sources: readonly string[], given: RunOptions = {}) => {
    const { engine: own = engine, batchRecords, input, ...options } = given;
    const place = {
      engine: batchRecords === undefined ? own : inBatchesOf(batchRecords, own),
      ...{ catalogue, permalinkBase: 'https://www.reddit.com' },
      ...{ rejectsFolder: join(folder.path, 'data', 'rejects'), input: input ?? chunks() },
    };
    return importSources(sources, place, { kind: null, restart: false, workers: 0, ...options });
  };
  return {
    ...{ folder: folder.path, engine, catalogue, run },
    file: (name, content) => {
      const path = join(folder.path, 'sources', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    runStopped: (sources, options) => {
      const stop = new AbortController();
      return run(sources, { ...options, signal: stop.signal, onProgress: () => stop.abort() });
    },
    records: () => recordsIn(engine),
    digest: () => digestOf(engine),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await catalogue[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** The engine, which fails at each batch, counted from 0, that `isBroken` says. */
export function breaking(
  engine: SearchEngine,
  isBroken: (call: number, state: unknown) => boolean,
): SearchEngine {
  let calls = 0;
  return instead(engine, 'index', async (...given: Parameters<SearchEngine['index']>) => {
    if (isBroken(calls++, given[2]?.state)) throw new Error('out of order');
    return engine.index(...given);
  });
}

/** What comes through standard input. */
export async function* chunks(...pieces: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

/** What scripts add up. */
export function expectSum(report: ImportReport): void {
  const { read, added, replaced, unchanged, communities, skipped, rejected } = report;
  assert.equal(read, added + replaced + unchanged + communities + totalOf(skipped) + totalOf(rejected));
}

/** The query of `--where`. */
export function where(text: string): Where {
  const { query, echo } = interpretWithoutWindow(text);
  return { query, text: echo };
}

async function recordsIn(engine: SearchEngine): Promise<StoredRecord[]> {
  const ofKinds = KINDS.map((kind) => Array.fromAsync(engine.scan(kind, { items: [] }, 'oldest')));
  return (await Promise.all(ofKinds)).flat(2);
}

/** Equal where both indexes hold the same records, field by field. */
export async function digestOf(engine: SearchEngine): Promise<string> {
  const hash = createHash('sha256');
  for (const record of await recordsIn(engine)) {
    hash.update(`${JSON.stringify(Object.entries(record).sort())}\n`);
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

/** A folder of files of a post and two comments each; ids of the last file are those of the first. */
export function manyFiles(place: ImportPlace, files: number): string {
  let path = '';
  for (let i = 0; i < files; i++) {
    const id = i === files - 1 ? 0 : i;
    const lines = [postLine(`p${id}`), commentLine(`a${id}`), commentLine(`b${id}`, { score: i })];
    path = place.file(`many/${String(i).padStart(4, '0')}.ndjson`, lines.join('\n'));
  }
  return dirname(path);
}
