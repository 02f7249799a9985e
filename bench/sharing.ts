// `npm run bench -- sharing FOLDER`: what a second core brings one question, and what it costs where all are busy.
// FOLDER is one that `run.ts --keep` left. Dense classes, whole answers, median (99th percentile) in milliseconds:
//
//   one      one worker answers alone
//   two      two workers, one question at a time: its segments are shared out
//   busy     two workers, two questions at a time, none of them shared out
//   busy, shared   the same with sharing allowed, as a server does it

import { cpus } from 'node:os';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import type { Query } from '../src/model/query.ts';
import { syntheticVocabulary } from './corpus.ts';
import { elapsed, percentiles, type Times } from './measure.ts';
import { type QueryClass, queryClasses } from './queries.ts';
import { WHOLE_ANSWER } from './questions.ts';

const CLASSES = [
  'frequent',
  'frequent AND NOT',
  'very frequent',
  'very frequent AND',
  'prefixes, 10,000 words',
];
const COLUMNS = [
  { name: 'one', workers: 1, atOnce: 1, isShared: false },
  { name: 'two', workers: 2, atOnce: 1, isShared: true },
  { name: 'busy', workers: 2, atOnce: 2, isShared: false },
  { name: 'busy, shared', workers: 2, atOnce: 2, isShared: true },
] as const;
const RULES = { keepOriginals: false };

const folder = process.argv[2];
if (folder === undefined)
  throw new Error('expected a folder that `npm run bench -- --keep FOLDER` left, found none');
const classes = await classesOf(folder);
const rows = new Map<string, Times[]>(classes.map(({ name }) => [name, []]));
for (const column of COLUMNS) {
  for (const { name, queries } of classes) rows.get(name)!.push(await timesOf(folder, queries, column));
}
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
process.stdout.write(`${cpus()[0]?.model.trim()}, ${cpus().length} threads; Node ${process.version}\n\n`);
process.stdout.write(line(['whole answer', ...COLUMNS.map(({ name }) => name)]));
process.stdout.write(line(['---', ...COLUMNS.map(() => '---:')]));
for (const [name, times] of rows) {
  process.stdout.write(line([name, ...times.map(({ p50, p99 }) => `${p50.toFixed(2)} (${p99.toFixed(1)})`)]));
}

async function classesOf(path: string): Promise<readonly QueryClass[]> {
  await using engine = await openEmbeddedEngine(path, { rules: RULES, workers: 0 });
  const all = await queryClasses(engine, syntheticVocabulary(5_000));
  return all.filter(({ name }) => CLASSES.includes(name));
}

/** Each query twice; the first round warms up. */
async function timesOf(
  path: string,
  queries: readonly Query[],
  { workers, atOnce, isShared }: (typeof COLUMNS)[number],
): Promise<Times> {
  const sharing = isShared ? {} : { shareFromMs: Infinity };
  await using engine = await openEmbeddedEngine(path, { rules: RULES, workers, ...sharing });
  const times: number[] = [];
  for (const isWarm of [false, true]) {
    const left = [...queries];
    const askOn = async () => {
      for (let query = left.pop(); query !== undefined; query = left.pop()) {
        const question = { kind: 'comment', query, ...WHOLE_ANSWER.question } as const;
        const ms = await elapsed(() => engine.ask(question));
        if (isWarm) times.push(ms);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, askOn));
  }
  return percentiles(times);
}
