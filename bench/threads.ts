// `npm run bench -- threads [COMMENTS]`: what a page of a thread costs, by how many comments the thread has. COMMENTS
// (default: a million) other comments of small threads lie before and behind those of the threads that are asked for,
// each of which spans two days. Median (99th percentile) of 20 tries in milliseconds of CPU of the one thread that
// answers.

import { cpus } from 'node:os';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { ThreadRequest } from '../src/model/pages.ts';
import type { StoredComment } from '../src/model/record.ts';
import { comment, temporaryFolder } from '../test/helpers.ts';
import { randomNumbers, SECONDS, START } from './corpus.ts';
import { percentiles } from './measure.ts';

const BATCH = 50_000;
const TRIES = 20;
const SIZES = [100, 1_000, 10_000, 50_000];
const SPAN = 2 * 86_400;

const comments = Number(process.argv[2] ?? 1_000_000);
const random = randomNumbers(1);
const words = 'a comment of some length, as people write them: it says what they think of solar power';

using folder = temporaryFolder();
await using engine = await openEmbeddedEngine(folder.path, { rules: { keepOriginals: false }, workers: 0 });
await fill(engine);
const { comment: stats } = await engine.stats();
process.stdout.write(`${cpus()[0]?.model.trim()}; Node ${process.version}\n${JSON.stringify(stats)}\n\n`);
process.stdout.write('| comments | first page, 1,000 | last page | tree, 500 | around one |\n');
process.stdout.write('| ---: | ---: | ---: | ---: | ---: |\n');
for (const size of SIZES) {
  const last = { second: START + (SECONDS >> 1) + SPAN - SPAN / size, given: 'all' } as const;
  const cells = [
    await timesOf(size, { order: 'oldest', after: null, limit: 1000 }),
    await timesOf(size, { order: 'oldest', after: last, limit: 1000 }),
    await timesOf(size, { order: 'tree', from: 0, limit: 500 }),
    await timesOf(size, { order: 'oldest', after: null, limit: 1000, around: idOf(size, size >> 1) }),
  ];
  process.stdout.write(`| ${size} | ${cells.join(' | ')} |\n`);
}

async function timesOf(size: number, thread: ThreadRequest): Promise<string> {
  const query = { items: [{ kind: 'post', id: `thread${size}`, negated: false }] } as const;
  const times: number[] = [];
  for (let i = -2; i < TRIES; i++) {
    const before = process.threadCpuUsage();
    const answer = await engine.ask({ kind: 'comment', query, thread, evidence: true });
    const { user, system } = process.threadCpuUsage(before);
    if (answer.total !== size) throw new Error(`expected ${size} comments, found ${answer.total}`);
    if (i >= 0) times.push((user + system) / 1000);
  }
  const { p50, p99 } = percentiles(times);
  return `${p50.toFixed(1)} (${p99.toFixed(1)})`;
}

function idOf(size: number, number: number): string {
  return `t${size}x${number}`;
}

/** Each answers the post or one of the comments before it. */
function threadOf(size: number): StoredComment[] {
  const post = `thread${size}`;
  return Array.from({ length: size }, (_, i) =>
    comment({
      id: idOf(size, i),
      post,
      parent: i === 0 || random() < 0.3 ? post : idOf(size, Math.floor(random() * i)),
      created: START + (SECONDS >> 1) + Math.floor((i / size) * SPAN),
      body: `${words} ${i}`,
    }),
  );
}

async function fill(into: SearchEngine): Promise<void> {
  for (let from = 0; from < comments; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, comments - from) }, (_, i) => {
      const number = from + i;
      const post = Math.floor(number / 12).toString(36);
      const created = START + Math.floor((number / comments) * SECONDS);
      return comment({ id: `c${number}`, created, post, parent: post, body: `${words} ${number}` });
    });
    await into.index('comment', packRecords(batch));
  }
  for (const size of SIZES) await into.index('comment', packRecords(threadOf(size)));
  await into.maintain();
}
