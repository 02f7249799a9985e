// `npm run bench -- sizes [FOLDER] [--records 200000]`: where the bytes of an index go, of each kind, in bytes a
// record: by section of its segments, and inside the postings by the letter of the key, lists and dictionary apart.
// Without FOLDER an index of that many synthetic comments is made, merged and removed again.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { KeyReader } from '../src/engines/embedded/format/dictionary.ts';
import { readEntry } from '../src/engines/embedded/format/posting-codec.ts';
import type { Segment } from '../src/engines/embedded/index/segment.ts';
import { KindStore, openView } from '../src/engines/embedded/index/view.ts';
import { ByteReader } from '../src/engines/packing/bytes.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { KINDS, type Kind } from '../src/model/record.ts';
import { temporaryFolder } from '../test/helpers.ts';
import { syntheticComments } from './corpus.ts';

const BATCH = 100_000;
const COMMUNITIES = 5_000;

const { values, positionals } = parseArgs({
  options: { records: { type: 'string', default: '200000' } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder !== undefined) tellAll(folder);
else {
  using made = temporaryFolder();
  await fill(made.path, Number(values.records));
  tellAll(made.path);
}

async function fill(path: string, records: number): Promise<void> {
  await using engine = await openEmbeddedEngine(path, { rules: { keepOriginals: false }, workers: 1 });
  for (const batch of syntheticComments(records, { batch: BATCH, communities: COMMUNITIES })) {
    await engine.index('comment', packRecords(batch));
  }
  await engine.maintain();
}

function tellAll(path: string): void {
  for (const kind of KINDS) tell(path, kind);
}

function tell(path: string, kind: Kind): void {
  const store = new KindStore(path, kind);
  try {
    store.refresh();
    const segments = openView(store.current, undefined).segments.map(({ segment }) => segment);
    const docs = segments.reduce((sum, segment) => sum + segment.docs, 0);
    if (docs === 0) return;
    const bytes = segments.reduce((sum, { data }) => sum + data.size, 0);
    const stored = segments.reduce((sum, { data }) => sum + data.footer.sections.records!.length, 0);
    const versions = [...new Set(segments.map(({ data }) => data.footer.version))].sort().join(', ');
    const inFormat = `${segments.length} segments of format ${versions}`;
    process.stdout.write(`${join(path, `${kind}s`)}: ${docs} records, ${inFormat}\n\n`);
    const rows: (readonly [string, number])[] = [
      ...sumsOf(segments.map(sectionBytes)),
      ...sumsOf(segments.map(postingBytes)),
      ['everything', bytes],
      ['without the stored records', bytes - stored],
    ];
    process.stdout.write('| bytes a record | |\n| --- | ---: |\n');
    for (const [name, sum] of rows) process.stdout.write(`| ${name} | ${(sum / docs).toFixed(2)} |\n`);
    process.stdout.write('\n');
  } finally {
    store.close();
  }
}

/** The rest are the footer and what lies between the sections. */
function sectionBytes({ data }: Segment): Map<string, number> {
  const sizes = new Map(Object.entries(data.footer.sections).map(([name, { length }]) => [name, length]));
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return sizes.set('the rest', data.size - all);
}

/** By letter of the key: the lists outside the dictionary, and the entries of the dictionary with those inside. */
function postingBytes({ dictionary }: Segment): Map<string, number> {
  const sizes = new Map<string, number>();
  const add = (name: string, bytes: number) => sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  const keys = new KeyReader();
  for (const { bytes, at, to } of dictionary.windows(dictionary.range(''))) {
    const reader = new ByteReader(bytes, at);
    for (let number = 0; number < to; number++) {
      const start = reader.at;
      keys.read(reader);
      const letter = String.fromCharCode(keys.key[0]!);
      const entry = readEntry(reader);
      add(`postings, \`${letter}\`: dictionary`, reader.at - start);
      if (entry.kind !== 'inline') add(`postings, \`${letter}\`: lists`, entry.length);
    }
  }
  return sizes;
}

function sumsOf(all: readonly ReadonlyMap<string, number>[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const sizes of all) for (const [name, size] of sizes) sums.set(name, (sums.get(name) ?? 0) + size);
  return [...sums];
}
