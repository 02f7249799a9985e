// `npm run bench -- under [COMMENTS]`: what `under` costs a question, by how many posts match. COMMENTS (default: a
// million) comments spread over a fifth as many posts; counts, median (99th percentile) of 20 tries in milliseconds
// of CPU of the one thread that answers, beside the same question without `under`.

import { cpus } from 'node:os';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Query } from '../src/model/query.ts';
import { comment, post, temporaryFolder } from '../test/helpers.ts';
import { randomNumbers, SECONDS, START } from './corpus.ts';
import { percentiles } from './measure.ts';

const BATCH = 50_000;
const TRIES = 20;
const SHARES = [10, 1_000, 10_000, 50_000, 100_000];

const comments = Number(process.argv[2] ?? 1_000_000);
const posts = Math.ceil(comments / 5);
const random = randomNumbers(1);

using folder = temporaryFolder();
await using engine = await openEmbeddedEngine(folder.path, { rules: { keepOriginals: false }, workers: 0 });
await fill(engine);
const stats = await engine.stats();
process.stdout.write(`${cpus()[0]?.model.trim()}; Node ${process.version}\n`);
process.stdout.write(
  `${JSON.stringify(stats)}\n\n| posts | comments | under | with a word, under | word alone |\n`,
);
process.stdout.write('| ---: | ---: | ---: | ---: | ---: |\n');
const word: Query = { items: [wordItem('solar')] };
for (const share of SHARES.filter((one) => one <= posts)) {
  const under: Query = { items: [{ kind: 'score', min: posts - share, max: null }] };
  const { total } = await engine.ask({ kind: 'comment', query: { items: [] }, under });
  const cells = [
    await timesOf({ items: [] }, under),
    await timesOf(word, under),
    await timesOf(word, undefined),
  ];
  process.stdout.write(`| ${share} | ${total} | ${cells.join(' | ')} |\n`);
}

async function timesOf(query: Query, under: Query | undefined): Promise<string> {
  const times: number[] = [];
  for (let i = -2; i < TRIES; i++) {
    const before = process.threadCpuUsage();
    await engine.ask({ kind: 'comment', query, ...(under && { under }) });
    const { user, system } = process.threadCpuUsage(before);
    if (i >= 0) times.push((user + system) / 1000);
  }
  const { p50, p99 } = percentiles(times);
  return `${p50.toFixed(1)} (${p99.toFixed(1)})`;
}

function wordItem(token: string): Query['items'][number] {
  return { kind: 'words', words: [{ kind: 'term', token, typed: token }], negated: false };
}

/** Posts come with scores of their own, in no order of time; each comment stands under one of them. */
async function fill(into: SearchEngine): Promise<void> {
  const idOf = (number: number) => (1_000_000 + number).toString(36);
  for (let from = 0; from < posts; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, posts - from) }, (_, i) => {
      const number = from + i;
      const title = `a solar roof for house ${number}`;
      const created = START + Math.floor((number / posts) * SECONDS);
      return post({ id: idOf(number), created, score: (number * 7_919) % posts, title, selftext: title });
    });
    await into.index('post', packRecords(batch));
  }
  for (let from = 0; from < comments; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, comments - from) }, (_, i) => {
      const number = from + i;
      const created = START + Math.floor((number / comments) * SECONDS);
      const near = Math.floor(((number + random() * 20_000) / comments) * posts);
      const body = `comment ${number} on ${random() < 0.2 ? 'solar' : 'wind'} power`;
      return comment({ id: idOf(number), created, post: idOf(near % posts), body });
    });
    await into.index('comment', packRecords(batch));
  }
}
