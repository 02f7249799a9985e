// `npm run bench -- cold FOLDER OTHER [--answers 54] [--there FOLDER]`: the first whole answer of an engine whose files
// are not in the page cache, in this checkout and in another one by turns, over the index in FOLDER (the other one
// over its own, where it cannot read that). Milliseconds, median and 99th percentile, and the median of the ratios.
// Needs GNU dd.

import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Query } from '../src/model/query.ts';
import { syntheticVocabulary } from './corpus.ts';
import { dropFromPageCache, elapsed, filesOf, percentiles } from './measure.ts';
import { queryClasses } from './queries.ts';
import { WHOLE_ANSWER } from './questions.ts';

const { values, positionals } = parseArgs({
  options: { answers: { type: 'string', default: '54' }, there: { type: 'string' } },
  allowPositionals: true,
});
const [folder, other] = positionals;
if (folder === undefined || other === undefined) throw new Error('expected an index and another checkout');

const OPTIONS = { rules: { keepOriginals: false }, workers: 0 };

interface Checkout {
  readonly files: readonly string[];
  open(): Promise<SearchEngine>;
}

const checkouts = [
  await checkoutAt(join(import.meta.dirname, '..'), folder),
  await checkoutAt(resolve(other), values.there ?? folder),
];
const queries = await someQueries(Number(values.answers));
// Warms up what is compiled, not what is read.
for (let round = 0; round < 3; round++) {
  for (const one of checkouts) for (const query of queries.slice(0, 10)) await coldMs(one, query);
}
const times: number[][] = checkouts.map(() => []);
for (const [i, query] of queries.entries()) {
  for (const number of i % 2 === 0 ? [0, 1] : [1, 0]) {
    times[number]!.push(await coldMs(checkouts[number]!, query));
  }
}
for (const [number, name] of ['here', 'there'].entries()) {
  const { p50, p99 } = percentiles(times[number]!);
  process.stdout.write(`${name}: ${p50.toFixed(1)} (${p99.toFixed(1)}) ms\n`);
}
const ratios = times[0]!.map((ms, i) => ms / times[1]![i]!);
process.stdout.write(`median of the ratios: ${percentiles(ratios).p50.toFixed(2)}\n`);

async function checkoutAt(path: string, index: string): Promise<Checkout> {
  const { openEmbeddedEngine } = await import(
    pathToFileURL(join(path, 'src/engines/embedded/engine.ts')).href
  );
  return { files: filesOf(join(index, 'comments')), open: () => openEmbeddedEngine(index, OPTIONS) };
}

/** Of all classes by turns. */
async function someQueries(count: number): Promise<Query[]> {
  await using engine = await checkouts[0]!.open();
  const classes = await queryClasses(engine, syntheticVocabulary(5_000));
  return Array.from({ length: count }, (_, i) => classes[i % classes.length]!.queries[i % 50]!);
}

async function coldMs({ open, files }: Checkout, query: Query): Promise<number> {
  await using engine = await open();
  dropFromPageCache(files);
  return await elapsed(() => engine.ask({ kind: 'comment', query, ...WHOLE_ANSWER.question }));
}
