// `npm run bench -- explain [COMMENTS | FOLDER]`: what it costs to explain a query, by its items. COMMENTS (default: a
// million) synthetic comments in a folder that goes away, or those of a data folder. Mean of 50
// tries in milliseconds of CPU of the one thread that answers, beside the same counts asked one by one.

import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { explain } from '../src/features/analysis/explain.ts';
import type { OneOfMany, SearchEngine } from '../src/model/engine.ts';
import { temporaryFolder } from '../test/helpers.ts';
import { syntheticComments } from './corpus.ts';

const BATCH = 50_000;
const COMMUNITIES = 10_000;
const WARM = 5;
const TRIES = 50;

const QUERIES: readonly (readonly [name: string, query: string])[] = [
  ['ten very frequent words', 'the and to of a in i it is that'],
  ['ten words, some rare', 'the people year game never love water music cats zoo'],
  [
    'ten items of many kinds',
    'the people|year -game "in the" re* score:2 score:..100 -site:x.org after:2022-06-01 before:2024-06-01',
  ],
  ['three words', 'the people year'],
];

const [place = '1000000'] = process.argv.slice(2);
using made = existsSync(place) ? null : temporaryFolder();
const folder = made?.path ?? place;
await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 });
if (made !== null) await fill(engine, Number(place));
const { comment: stats } = await engine.stats();
process.stdout.write(`${cpus()[0]?.model.trim()}; Node ${process.version}\n${JSON.stringify(stats)}\n\n`);
process.stdout.write(
  '| query | matches | explained | its counts, one by one |\n| --- | ---: | ---: | ---: |\n',
);
for (const [name, query] of QUERIES) {
  let asked: readonly OneOfMany[] = [];
  const noting: SearchEngine = Object.assign(Object.create(engine), {
    refresh: () => engine.refresh(),
    askAll: (...given: Parameters<SearchEngine['askAll']>) => {
      asked = given[0];
      return engine.askAll(...given);
    },
  });
  const context = { engine: noting, queryTimeoutMs: Infinity };
  const run = () => explain(context, { kind: 'comment', query }, { impliedWindow: 'off' });
  const { answer } = await run();
  const together = await timeOf(run);
  const single = await timeOf(async () => {
    for (const question of asked) await engine.ask(question);
  });
  process.stdout.write(`| ${name} | ${answer.total_count} | ${together} | ${single} |\n`);
}

/** The clock of a thread has ticks of some milliseconds: only many tries together tell what one takes. */
async function timeOf(run: () => Promise<unknown>): Promise<string> {
  for (let i = 0; i < WARM; i++) await run();
  const before = process.threadCpuUsage();
  for (let i = 0; i < TRIES; i++) await run();
  const { user, system } = process.threadCpuUsage(before);
  return ((user + system) / 1000 / TRIES).toFixed(1);
}

async function fill(into: SearchEngine, comments: number): Promise<void> {
  const options = { batch: BATCH, communities: COMMUNITIES };
  for (const batch of syntheticComments(comments, options)) await into.index('comment', packRecords(batch));
  await into.maintain();
}
