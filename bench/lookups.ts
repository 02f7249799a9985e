// `npm run bench -- lookups FOLDER [OTHER] [--rounds 40]`: what a question pays however little it finds. Over the
// segments of an index, microseconds in this checkout and in another one, which take turns: looking up a key in the
// dictionary of a segment, alone and with its list, and reading a page of 25 records. Of each the least of the rounds.

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Segment } from '../src/engines/embedded/index/segment.ts';
import type { WordPool } from '../src/engines/embedded/sets/chunk.ts';
import { randomNumbers } from './corpus.ts';

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '40' } },
  allowPositionals: true,
});
const [folder, other] = positionals;
if (folder === undefined) throw new Error('expected the folder of a kind, such as `data/comments`');

/** Words of one question each, of the commonest and of the others by turns. */
const WORDS = 100;
const PAGE = 25;
const PAGES = 40;

interface Checkout {
  readonly name: string;
  readonly segments: readonly Segment[];
  readonly pool: WordPool;
}

interface Work {
  readonly name: string;
  /** How often a round does what is timed. */
  readonly times: number;
  run(checkout: Checkout): void;
}

const here = await checkoutAt(join(import.meta.dirname, '..'), 'here');
const checkouts = other === undefined ? [here] : [here, await checkoutAt(resolve(other), 'there')];
process.stdout.write(`| µs | ${checkouts.map(({ name }) => name).join(' | ')} | ratio |\n`);
process.stdout.write(`|---|${checkouts.map(() => '---:|').join('')}---:|\n`);
for (const work of worksOver(here)) {
  const least = checkouts.map(() => Infinity);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const number of round % 2 === 0 ? checkouts.keys() : [...checkouts.keys()].reverse()) {
      const from = process.hrtime.bigint();
      work.run(checkouts[number]!);
      const took = Number(process.hrtime.bigint() - from) / 1000 / work.times;
      least[number] = Math.min(least[number]!, took);
    }
  }
  const ratio = least.length < 2 ? '' : (least[0]! / least[1]!).toFixed(2);
  process.stdout.write(`| ${work.name} | ${least.map((us) => us.toFixed(2)).join(' | ')} | ${ratio} |\n`);
}

async function checkoutAt(path: string, name: string): Promise<Checkout> {
  const load = (file: string) => import(pathToFileURL(join(path, 'src/engines/embedded', file)).href);
  const { loadFileSegment, Segment: SegmentOf } = await load('index/segment.ts');
  const { WordPool: PoolOf } = await load('sets/chunk.ts');
  const files = readdirSync(folder!).map((file) => join(folder!, file));
  return {
    name,
    segments: files.map((file) => new SegmentOf(loadFileSegment(file, file))),
    pool: new PoolOf(),
  };
}

function worksOver({ segments }: Checkout): Work[] {
  const tokens = keysOf(segments, 't');
  const ids = keysOf(segments, 'i');
  const random = randomNumbers(11);
  /** Of each page, which record of which segment. */
  const scattered = Array.from({ length: PAGES }, () =>
    Array.from({ length: PAGE }, () => {
      const segment = Math.floor(random() * segments.length);
      return [segment, Math.floor(random() * segments[segment]!.docs)] as const;
    }),
  );
  const newest = scattered.map((_, page) =>
    Array.from({ length: PAGE }, (__, i) => [0, segments[0]!.docs - 1 - page * PAGE - i] as const),
  );
  const find = (name: string, keys: readonly string[]): Work => ({
    name: `${name}, a segment`,
    times: keys.length * segments.length,
    run: (checkout) => {
      for (const key of keys) for (const { dictionary } of checkout.segments) dictionary.find(key);
    },
  });
  const page = (name: string, pages: typeof scattered | typeof newest): Work => ({
    name,
    times: pages.length,
    run: (checkout) => {
      for (const places of pages) {
        for (const [segment, doc] of places) checkout.segments[segment]!.record(doc);
      }
    },
  });
  const missing = tokens.map((key) => `${key}\u{10ffff}`);
  return [
    find('100 words, by turns', tokens),
    find('100 words that are nowhere, by turns', missing),
    find('one word again and again', tokens.slice(0, 1)),
    find('one community', keysOf(segments, 'c')),
    find('ids, by turns', ids),
    {
      name: '100 words with their lists, a segment',
      times: tokens.length * segments.length,
      run: (checkout) => {
        for (const key of tokens) {
          for (const segment of checkout.segments) segment.list(key, checkout.pool)?.chunk(0, checkout.pool);
          checkout.pool.releaseAll();
        }
      },
    },
    page(`${PAGE} records from anywhere`, scattered),
    page(`${PAGE} records, neighbours`, newest),
  ];
}

/** Spread over the keys of this kind in the first segment. */
function keysOf([first]: readonly Segment[], kind: string): string[] {
  const { from, to } = first!.dictionary.range(kind);
  const keys: string[] = [];
  const step = Math.max(1, Math.floor((to - from) / WORDS));
  let number = 0;
  for (const { key } of first!.dictionary.entries()) {
    if (key.startsWith(kind) && number++ % step === 0 && keys.length < WORDS) keys.push(key);
  }
  return keys;
}
