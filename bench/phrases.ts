// `npm run bench -- phrases OTHER [--records 400000] [--real FILE] [--rounds 9]`: what phrases cost in this
// checkout beside another one, each over an index of its own, in one process and one thread. Synthetic
// comments, or those of a dump. The phrases are parts of comments, at least 40 a class; both must count the
// same. Milliseconds of a count, the least of the rounds of each phrase: median (99th percentile), and the
// sums of a class by each other. The two answer by turns, each first as often as the other. Then the bytes a
// record that each takes.

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Query } from '../src/model/query.ts';
import type { StoredComment } from '../src/model/record.ts';
import { tokens } from '../src/text/tokenizer.ts';
import { randomNumbers, syntheticComments } from './corpus.ts';
import { percentiles } from './measure.ts';
import { realComments } from './real-corpus.ts';

const { values, positionals } = parseArgs({
  options: {
    records: { type: 'string', default: '400000' },
    real: { type: 'string' },
    rounds: { type: 'string', default: '9' },
  },
  allowPositionals: true,
});
const [other] = positionals;
if (other === undefined) throw new Error('expected the folder of another checkout');

const BATCH = 50_000;
const A_CLASS = 40;
/** Comments that phrases are taken from. */
const SAMPLE = 20_000;
const OPTIONS = { rules: { keepOriginals: false }, workers: 0 };

type Ranks = readonly number[];

/** By how common the words are: place in the order of the commonest. */
const CLASSES: readonly {
  readonly name: string;
  readonly words: number;
  readonly fits: (ranks: Ranks) => boolean;
}[] = [
  { name: '2 of the commonest 30', words: 2, fits: (ranks) => ranks.every((rank) => rank < 30) },
  { name: '2 of the commonest 200', words: 2, fits: (ranks) => ranks.every((rank) => rank < 200) },
  { name: '3 of the commonest 200', words: 3, fits: (ranks) => ranks.every((rank) => rank < 200) },
  { name: '5 of the commonest 200', words: 5, fits: (ranks) => ranks.every((rank) => rank < 200) },
  {
    name: '2, one of the commonest 200, one of the next 800',
    words: 2,
    fits: (ranks) => Math.min(...ranks) < 200 && isBetween(Math.max(...ranks), 200, 1000),
  },
  { name: '3 of the commonest 1,000', words: 3, fits: (ranks) => isBetween(Math.max(...ranks), 200, 1000) },
  { name: '2 mid words', words: 2, fits: (ranks) => ranks.every((rank) => isBetween(rank, 1000, 10_000)) },
  {
    name: '3, one of them mid',
    words: 3,
    fits: (ranks) => Math.min(...ranks) < 200 && isBetween(Math.max(...ranks), 1000, 10_000),
  },
  { name: '4 of any', words: 4, fits: () => true },
];
const CHARACTERS = [2, 4];

interface Side {
  readonly folder: string;
  readonly engine: SearchEngine;
}

const sample: (readonly string[])[] = [];
const sides = await Promise.all([resolve(other), join(import.meta.dirname, '..')].map(opened));
try {
  await fill();
  process.stdout.write(`${cpus()[0]?.model.trim()}; Node ${process.version}\n\n`);
  process.stdout.write(
    '| phrases | matches | other | this | this / other |\n| --- | ---: | ---: | ---: | ---: |\n',
  );
  for (const { name, phrases } of phrasesByClass()) if (phrases.length > 0) await compare(name, phrases);
  for (const [i, { engine }] of sides.entries()) {
    const { comment } = await engine.stats();
    if (!('bytes' in comment)) throw comment;
    const { bytes, records, segments } = comment;
    const name = i === 0 ? 'other' : 'this';
    process.stdout.write(`\n${name}: ${(bytes / records).toFixed(1)} bytes a record, ${segments} segments`);
  }
  process.stdout.write('\n');
} finally {
  for (const { engine, folder } of sides) {
    await engine[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }
}

async function opened(checkout: string): Promise<Side> {
  const path = join(checkout, 'src/engines/embedded/engine.ts');
  const { openEmbeddedEngine } = (await import(
    pathToFileURL(path).href
  )) as typeof import('../src/engines/embedded/engine.ts');
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-phrases-'));
  return { folder, engine: await openEmbeddedEngine(folder, OPTIONS) };
}

async function fill(): Promise<void> {
  const records = Number(values.records);
  const every = Math.ceil(records / SAMPLE);
  const batches: Iterable<StoredComment[]> | AsyncIterable<StoredComment[]> =
    values.real === undefined
      ? syntheticComments(records, { batch: BATCH, communities: 5_000 })
      : realComments(values.real, BATCH);
  let done = 0;
  for await (const batch of batches) {
    const some = batch.slice(0, records - done);
    for (const { engine } of sides) await engine.index('comment', packRecords(some));
    for (let i = 0; i < some.length; i += every) sample.push(tokens(some[i]!.body));
    done += some.length;
    if (done === records) break;
  }
  for (const { engine } of sides) await engine.maintain();
}

function phrasesByClass(): { readonly name: string; readonly phrases: readonly (readonly string[])[] }[] {
  const counts = new Map<string, number>();
  for (const text of sample) for (const token of text) counts.set(token, (counts.get(token) ?? 0) + 1);
  const ranked = [...counts].sort((a, b) => b[1] - a[1]);
  const ranks = new Map(ranked.map(([token], rank) => [token, rank]));
  const isCharacter = (token: string) => /^\p{Script=Han}$/u.test(token);
  const rankOf = (token: string) => ranks.get(token)!;
  return [
    ...CLASSES.map(({ name, words, fits }) => ({
      name,
      phrases: pick(words, (phrase) => !phrase.some(isCharacter) && fits(phrase.map(rankOf))),
    })),
    ...CHARACTERS.map((words) => ({
      name: `${words} Chinese characters`,
      phrases: pick(words, (phrase) => phrase.every(isCharacter)),
    })),
  ];
}

/** Different ones, in different comments. */
function pick(words: number, fits: (phrase: readonly string[]) => boolean): readonly (readonly string[])[] {
  const random = randomNumbers(words);
  const found = new Map<string, readonly string[]>();
  for (let tries = 0; tries < SAMPLE * 20 && found.size < A_CLASS; tries++) {
    const text = sample[Math.floor(random() * sample.length)]!;
    const from = Math.floor(random() * (text.length - words + 1));
    const phrase = text.slice(from, from + words);
    if (from >= 0 && phrase.length === words && fits(phrase)) found.set(phrase.join(' '), phrase);
  }
  return [...found.values()];
}

async function compare(name: string, phrases: readonly (readonly string[])[]): Promise<void> {
  const least = sides.map(() => phrases.map(() => Infinity));
  const totals = sides.map(() => phrases.map(() => 0));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [at, phrase] of phrases.entries()) {
      const order = [...sides.entries()];
      for (const [i, { engine }] of (round + at) % 2 === 0 ? order : order.reverse()) {
        const before = performance.now();
        const { total } = await engine.ask({ kind: 'comment', query: queryOf(phrase) });
        least[i]![at] = Math.min(least[i]![at]!, performance.now() - before);
        totals[i]![at] = total;
      }
    }
  }
  const differs = phrases.find((_, at) => totals[0]![at] !== totals[1]![at]);
  if (differs !== undefined) throw new Error(`expected the same number of matches of "${differs.join(' ')}"`);
  const sums = least.map((times) => times.reduce((sum, time) => sum + time, 0));
  const cells = least.map((times) => {
    const { p50, p99 } = percentiles(times);
    return `${p50.toFixed(3)} (${p99.toFixed(2)})`;
  });
  const matches = percentiles(totals[0]!).p50;
  process.stdout.write(
    `| ${name} | ${matches} | ${cells.join(' | ')} | ${(sums[1]! / sums[0]!).toFixed(3)} |\n`,
  );
}

function queryOf(phrase: readonly string[]): Query {
  const word = { kind: 'phrase', tokens: phrase, typed: phrase.join(' ') } as const;
  return { items: [{ kind: 'words', words: [word], negated: false }] };
}

function isBetween(rank: number, from: number, to: number): boolean {
  return rank >= from && rank < to;
}
