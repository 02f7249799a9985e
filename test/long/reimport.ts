// Imports everything again with newer scores: how fast, how many segments, how much disk before and after; and the
// answers must be those of an index that never held anything but the newer records.
//
//   npm run test:long -- reimport [--records 300000] [--batch 10000]

import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { syntheticComments } from '../../bench/corpus.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import type { Question, SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { temporaryFolder } from '../helpers.ts';
import { wholeStats } from '../whole-stats.ts';

const { values } = parseArgs({
  options: { records: { type: 'string', default: '300000' }, batch: { type: 'string', default: '10000' } },
});
const records = Number(values.records);
const batch = Number(values.batch);
const RULES = { keepOriginals: false };

const QUERIES = [
  ...['the', 'of the', '"of the"', 'people time', '-the', 'score:10', 'score:..-1', "don't", 'bacodu*'],
  ...['after:2023-01-01 before:2023-02-01', 'site:com', '"in the" score:5', 'government|water -people'],
];

using temporary = temporaryFolder();
const [older, fresh] = [join(temporary.path, 'older'), join(temporary.path, 'fresh')];
await importInto(older, 'first import', (record) => record);
await importInto(older, 'the same again', (record) => record);
await importInto(older, 'newer scores', newer);
await importInto(fresh, 'newer scores alone', newer);
const [again, alone] = [await digestOf(older), await digestOf(fresh)];
console.log(`digest of all records and of ${QUERIES.length} answers: ${again}, ${alone}`);
if (again !== alone) throw new Error('expected the same answers');

/** A later copy with another score. */
function newer(record: StoredComment): StoredComment {
  const score = record.score + (Number.parseInt(record.id, 36) % 7) - 1;
  return { ...record, score, retrieved: record.retrieved + 86_400 };
}

async function importInto(
  folder: string,
  name: string,
  change: (record: StoredComment) => StoredComment,
): Promise<void> {
  const engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 1 });
  const report = { added: 0, replaced: 0, unchanged: 0 };
  let ms = 0;
  for (const made of syntheticComments(records, { batch, communities: 5000 })) {
    const given = made.map(change);
    const start = performance.now();
    const { added, replaced, unchanged } = await engine.index('comment', packRecords(given));
    ms += performance.now() - start;
    report.added += added;
    report.replaced += replaced;
    report.unchanged += unchanged;
  }
  const start = performance.now();
  const { segments } = (await wholeStats(engine)).comment;
  await engine[Symbol.asyncDispose]();
  ms += performance.now() - start;
  const settled = await settle(folder);
  const rate = Math.round((records / ms) * 1000).toLocaleString('en');
  const { added, replaced, unchanged } = report;
  console.log(
    `${name.padEnd(20)} ${rate.padStart(8)} a second; added ${added}, replaced ${replaced}, unchanged ${unchanged};` +
      ` segments ${segments}, ${settled.segments} when merged; ${settled.bytes} bytes a record on disk`,
  );
}

/** Lets merges come to their end. */
async function settle(folder: string): Promise<{ readonly segments: number; readonly bytes: number }> {
  const engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
  await engine.maintain();
  const { segments } = (await wholeStats(engine)).comment;
  await engine[Symbol.asyncDispose]();
  const files = join(folder, 'comments');
  const bytes = readdirSync(files).reduce((sum, file) => sum + statSync(join(files, file)).size, 0);
  return { segments, bytes: Math.round(bytes / records) };
}

async function digestOf(folder: string): Promise<string> {
  await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
  const hash = createHash('sha256');
  for await (const some of engine.scan('comment', { items: [] }, 'oldest')) hash.update(JSON.stringify(some));
  for (const text of QUERIES) hash.update(JSON.stringify(await answerOf(engine, text)));
  return hash.digest('hex').slice(0, 16);
}

async function answerOf(engine: SearchEngine, text: string): Promise<unknown> {
  const { query } = interpretWithoutWindow(text);
  const question: Question = {
    kind: 'comment',
    query,
    page: { order: 'top', limit: 50, after: null },
    breakdowns: [
      { field: 'community', size: 50 },
      { field: 'domain', size: 50 },
    ],
    timeline: {},
  };
  // An index that took several imports has come further.
  const { arrival: _, ...answer } = await engine.ask(question);
  return answer;
}
