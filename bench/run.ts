// `npm run bench -- [--records N] [--communities N] [--corpus FILE] [--no-fts5] [--keep FOLDER]`: how fast, how large,
// beside SQLite FTS5 in the same run. One thread answers; there is no cache of results anywhere. `--corpus` takes real
// comments (NDJSON, also .zst) instead of synthetic ones; `--keep` leaves the index, and uses it again.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import type { PageRequest, TimePosition } from '../src/model/order.ts';
import { comparator } from '../src/model/order.ts';
import type { Query } from '../src/model/query.ts';
import type { StoredComment } from '../src/model/record.ts';
import { syntheticComments, syntheticVocabulary } from './corpus.ts';
import { Fts5, matchExpression } from './fts5.ts';
import { queryClasses, type Vocabulary } from './queries.ts';
import { realComments, vocabularyOf } from './real-corpus.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '200000' },
    communities: { type: 'string', default: '5000' },
    batch: { type: 'string', default: '100000' },
    'no-fts5': { type: 'boolean', default: false },
    corpus: { type: 'string' },
    keep: { type: 'string' },
  },
});
const records = Number(values.records);
const communities = Number(values.communities);
const RULES = { keepOriginals: false };
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'colloquy-bench-'));

print(
  `machine   ${cpus()[0]?.model.trim()}, ${cpus().length} threads, ${gigabytes(totalmem())}; Node ${process.version}`,
);
print(
  values.corpus === undefined
    ? `corpus    ${records} synthetic comments, ${communities} communities (bench/corpus.ts)`
    : `corpus    ${values.corpus}`,
);

mkdirSync(folder, { recursive: true });
try {
  const fts5 = values['no-fts5'] ? null : new Fts5(join(folder, 'fts5.db'));
  if (existsSync(join(folder, 'comments.db'))) print('index     found, not built again');
  else await buildAll(fts5);
  await measure(fts5);
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

async function buildAll(fts5: Fts5 | null): Promise<void> {
  let engineMs = 0;
  let fts5Ms = 0;
  let textBytes = 0;
  let done = 0;
  await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 1 });
  for await (const batch of batches()) {
    textBytes += batch.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    engineMs += await elapsed(() => engine.index('comment', batch));
    if (fts5 !== null) fts5Ms += await elapsed(async () => fts5.add(inTime(batch), done));
    done += batch.length;
  }
  const records = done;
  const closingMs = await elapsed(() => engine[Symbol.asyncDispose]());
  print(
    `import    ${rate(records, engineMs)} records a second appended, ${rate(records, engineMs + closingMs)} with the merges at the end`,
  );
  if (fts5 !== null) {
    fts5Ms += await elapsed(async () => fts5.optimize());
    print(`          FTS5 ${rate(records, fts5Ms)} (index alone)`);
  }
  const bytes = folderBytes(join(folder, 'comments'));
  print(
    `size      ${(bytes / records).toFixed(1)} bytes a record, ${(textBytes / records).toFixed(1)} of them text as UTF-8`,
  );
}

async function measure(fts5: Fts5 | null): Promise<void> {
  const opening = performance.now();
  await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
  print(
    `open      ${(performance.now() - opening).toFixed(1)} ms; segments ${readdirSync(join(folder, 'comments')).length}`,
  );
  const classes = await queryClasses(engine, await vocabulary());
  const tasks = tasksAround(await middleOf(engine));
  const header = [
    'class',
    'matches',
    ...tasks.map(({ name }) => name),
    ...(fts5 === null ? [] : ['FTS5 count', 'newest', 'top', 'breakdown']),
  ];
  print(row(header));
  for (const { name, queries } of classes) {
    const totals: number[] = [];
    for (const query of queries) totals.push((await engine.ask({ kind: 'comment', query })).total);
    const cells = [name, String(median(totals))];
    for (const { question } of tasks)
      cells.push(await timed(queries, (query) => engine.ask({ kind: 'comment', query, ...question })));
    if (fts5 !== null) cells.push(...(await fts5Cells(fts5, queries)));
    print(row(cells));
  }
  const memory = process.memoryUsage();
  print(
    `memory    ${gigabytes(memory.rss)} resident, of it ${gigabytes(memory.heapUsed)} heap, ${gigabytes(memory.arrayBuffers)} arrays; peak ${gigabytes(process.resourceUsage().maxRSS * 1024)}`,
  );
}

async function fts5Cells(fts5: Fts5, queries: readonly Query[]): Promise<string[]> {
  const matches = queries.flatMap((query) => matchExpression(query) ?? []).slice(0, 15);
  if (matches.length === 0) return [];
  const calls = [
    (match: string) => fts5.count(match),
    (match: string) => fts5.newest(match, 25),
    (match: string) => fts5.top(match, 25),
    (match: string) => fts5.breakdown(match),
  ];
  const cells: string[] = [];
  for (const call of calls) cells.push(await timed(matches, async (match) => call(match)));
  return cells;
}

/** What is asked of every query. */
function tasksAround(
  middle: TimePosition,
): readonly { readonly name: string; readonly question: Partial<Question> }[] {
  return [
    { name: 'count', question: {} },
    { name: 'newest', question: page('newest', 25, null) },
    { name: 'deep newest', question: page('newest', 25, middle) },
    { name: 'top', question: { page: { order: 'top', limit: 25, after: null } } },
    {
      name: 'deep top',
      question: { page: { order: 'top', limit: 25, after: { score: 2, second: middle.second } } },
    },
    { name: 'breakdown', question: { breakdowns: [{ field: 'community', size: 10 }] } },
    {
      name: 'whole answer',
      question: {
        ...page('newest', 25, null),
        breakdowns: [
          { field: 'community', size: 10 },
          { field: 'domain', size: 10 },
        ],
        timeline: true,
      },
    },
    { name: 'page of 1000', question: page('newest', 1000, null) },
  ];
}

function batches(): Iterable<StoredComment[]> | AsyncIterable<StoredComment[]> {
  const batch = Number(values.batch);
  if (values.corpus !== undefined) return realComments(values.corpus, batch);
  return syntheticComments(records, { batch, communities });
}

/** Of real comments: counted over the first of them. */
async function vocabulary(): Promise<Vocabulary> {
  if (values.corpus === undefined) return syntheticVocabulary(communities);
  for await (const batch of realComments(values.corpus, 200_000)) return vocabularyOf(batch);
  throw new Error(`expected comments in ${values.corpus}, found none`);
}

/** A place in the middle of time. */
async function middleOf(engine: SearchEngine): Promise<TimePosition> {
  const { first, last } = (await engine.stats()).comment;
  return { second: Math.floor(((first ?? 0) + (last ?? 0)) / 2), given: 'all' };
}

function page(order: 'newest' | 'oldest', limit: number, after: PageRequest['after']): Partial<Question> {
  return { page: { order, limit, after } as PageRequest };
}

// Median and 99th percentile, in milliseconds, over the queries of a class.
async function timed<T>(inputs: readonly T[], run: (input: T) => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (const input of inputs.slice(0, 5)) await run(input);
  for (const input of inputs) times.push(await elapsed(() => run(input)));
  times.sort((a, b) => a - b);
  return `${median(times).toFixed(2)} (${times[Math.floor(times.length * 0.99)]!.toFixed(1)})`;
}

async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function inTime(batch: readonly StoredComment[]): StoredComment[] {
  return [...batch].sort(comparator('oldest'));
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}

function rate(count: number, ms: number): string {
  return Math.round((count / ms) * 1000).toLocaleString('en');
}

function folderBytes(path: string): number {
  return readdirSync(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0);
}

function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(2)} GB`;
}

function row(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(22) : cell.padStart(i === 1 ? 9 : 14))).join('');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
