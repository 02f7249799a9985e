// Work that is done while the file system fails: each scenario a folder to begin with, and steps.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { importSources } from '../../src/ingest/importer.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import type { Kind, StoredRecord } from '../../src/model/record.ts';
import { comment, inBatchesOf, post } from '../helpers.ts';
import { contentsOf } from './acknowledged.ts';
import { dumpText, storedZip } from './dumps.ts';
import { openEngine } from './folder-state.ts';

/** What a step works on. */
export interface Place {
  readonly data: string;
  /** What is imported, and where temporary files go. Beside the data folder. */
  readonly sources: string;
  readonly engine: SearchEngine;
}

export interface FaultStep {
  readonly name: string;
  /** Done again where it failed, it does what is left. */
  run(place: Place): Promise<void>;
  /** Broken off, it may have done a part: whole batches of an import. Else all of it or nothing. */
  readonly isGradual?: true;
}

export interface Scenario {
  readonly name: string;
  /** Fills the two folders. */
  prepare(data: string, sources: string): Promise<void>;
  readonly steps: readonly FaultStep[];
}

/** Less than a file of its own; eight of them are merged into one. */
const SMALL = 300;
/** A file of its own. */
const LARGE = 2_100;

/** Seven small segments of posts and a file of comments: one more small one, and there is something to merge. */
async function prepareIndex(data: string): Promise<void> {
  await using engine = await openEngine(data);
  for (let i = 0; i < 7; i++) await engine.index('post', packRecords(records('post', i * SMALL, SMALL)));
  await engine.index('comment', packRecords(records('comment', 0, LARGE)));
}

const writing: Scenario = {
  name: 'batches and a merge',
  prepare: prepareIndex,
  steps: [
    // Some replace records of two segments.
    batch('a batch in the manifest, and a merge', 'post', 6 * SMALL + 100, SMALL, 2),
    batch('a batch in a file', 'comment', 1_000, LARGE, 3),
    batch('a batch without anything new', 'comment', 1_000, LARGE, 3),
  ],
};

const fresh: Scenario = {
  name: 'a fresh folder',
  prepare: async () => {},
  steps: [batch('the first batch', 'post', 0, SMALL, 1), batch('the first file', 'comment', 0, LARGE, 1)],
};

const reading: Scenario = {
  name: 'reading',
  prepare: prepareIndex,
  steps: [
    {
      name: 'what another engine of the process wrote',
      run: async ({ data, engine }) => {
        await using reader = await openEngine(data);
        for (const one of [engine, reader]) {
          await one.refresh();
          await contentsOf(one);
        }
      },
    },
  ],
};

const importing: Scenario = {
  name: 'importing',
  prepare: async (_data, sources) => {
    writeFileSync(join(sources, 'dump.ndjson'), dumpText({ records: 1_200, seed: 3, edition: 0 }));
  },
  steps: [
    { name: 'a file with rejected lines', isGradual: true, run: (place) => importInto(place, 'dump.ndjson') },
    { name: 'an archive through standard input', isGradual: true, run: (place) => importInto(place, '-') },
  ],
};

export const SCENARIOS: readonly Scenario[] = [writing, fresh, reading, importing];

function batch(name: string, kind: Kind, from: number, count: number, score: number): FaultStep {
  return {
    name,
    run: async ({ engine }) => {
      await engine.index(kind, packRecords(records(kind, from, count, score)), { source: name, state: '{}' });
    },
  };
}

/** Of one id each copy with a higher score is the newer one. */
function records(kind: Kind, from: number, count: number, score = 1): StoredRecord[] {
  return Array.from({ length: count }, (_, i) => {
    const number = from + i;
    const words = `solar panel ${number % 7 === 0 ? 'roof' : 'battery'} number ${number}`;
    const community = number % 2 === 0 ? 'energy' : 'solar';
    const shared = {
      id: number.toString(36),
      created: 1_600_000_000 + number,
      score,
      retrieved: score,
      community,
    };
    return kind === 'post'
      ? post({ ...shared, title: words })
      : comment({ ...shared, body: words, post: '1' });
  });
}

async function importInto({ data, sources, engine }: Place, source: string): Promise<void> {
  await using catalogue = Catalogue.open(data);
  await importSources(
    [source === '-' ? '-' : join(sources, source)],
    {
      engine: inBatchesOf(500, engine),
      catalogue,
      permalinkBase: '',
      rejectsFolder: join(data, 'rejects'),
      input: archive(),
    },
    { kind: null, restart: false, workers: 0 },
  );
}

async function* archive(): AsyncGenerator<Buffer> {
  yield storedZip('more.ndjson', dumpText({ records: 300, seed: 3, edition: 1 }));
}
