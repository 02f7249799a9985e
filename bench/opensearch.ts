// `npm run bench -- opensearch [--records 200000] [--communities 5000] [--corpus FILE] [--nodes 1,3] [--shards 3]
// [--heap 1g] [--queries 8] [--rounds 5] [--classes 'rare,frequent'] [--caches] [--once] [--minutes M]`: what the
// engine in OpenSearch costs beside the embedded engine with the same records, in one run, as Markdown tables. Of FILE
// (real comments, as run.ts takes them) the first are taken. OpenSearch has nodes of its own, whose caches of results
// are off unless `--caches` is given: the embedded engine has none. Several have a replica; of `1,3`, one node imports
// and answers, then two more join it, and three answer. `--once`: nothing is written a second time. After M minutes the
// first import ends, and all else is done with what is in. Times are of the processor, so that other work on the
// machine changes them little; both must give the same answers.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { openOpenSearchEngine } from '../src/engines/opensearch/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import type { StoredComment } from '../src/model/record.ts';
import { freshSettings } from '../test/opensearch/harness.ts';
import { ownCluster } from '../test/opensearch/test-cluster.ts';
import { syntheticComments, syntheticVocabulary, type Vocabulary } from './corpus.ts';
import { exportAll } from './exporting.ts';
import { bytesOf, filesOf, percentiles } from './measure.ts';
import { type Cost, costOf } from './processor-time.ts';
import { type QueryClass, queryClasses } from './queries.ts';
import { costTasks, type Task } from './questions.ts';
import { realComments, vocabularyOf } from './real-corpus.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '200000' },
    communities: { type: 'string', default: '5000' },
    corpus: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    shards: { type: 'string', default: '3' },
    heap: { type: 'string', default: '1g' },
    queries: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '5' },
    classes: { type: 'string' },
    caches: { type: 'boolean', default: false },
    once: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
  },
});
const RULES = { keepOriginals: false };
/** Of comments that are made at once; a batch has as many of these as the engine asks for. */
const MADE = 20_000;
/** How often each query is asked. */
const ROUNDS = Number(values.rounds);
/** Answers before anything is measured, for so long at most: a node compiles what it does for long. */
const WARMING = { answers: 2_000, ms: 180_000 };
/** Records from one line of progress to the next. */
const STEP = 500_000;
/** How often the cluster is asked whether it is done with what takes it long. */
const DONE_MS = 1_000;
/** Records that are exported at most: what one costs is known by then. */
const EXPORTED = 1_000_000;
/** Without the limit that is there by default, copies of shards go as fast as they can to a node that joins. */
const UNLIMITED = { 'indices.recovery.max_bytes_per_sec': '0' };
const NO_CACHES = { 'indices.queries.cache.size': '1b', 'indices.requests.cache.size': '0b' };

const communities = Number(values.communities);
/** How many records are taken: fewer once the time for the first import is over. */
let most = Number(values.records);
const settings = { ...UNLIMITED, ...(values.caches ? {} : NO_CACHES) };
const [nodes, ...later] = values.nodes.split(',').map(Number) as [number, ...number[]];
await using cluster = await ownCluster({ nodes, heap: values.heap, isLongLived: true, settings });
const place = { ...freshSettings(cluster.addresses, nodes > 1 ? 1 : 0), shards: Number(values.shards) };
const [address] = cluster.addresses;
const folder = mkdtempSync(join(tmpdir(), 'colloquy-bench-'));
try {
  await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  await using own = await openOpenSearchEngine(place, { rules: RULES });
  const write = async (
    name: string,
    change: (comment: StoredComment) => StoredComment,
    minutes = Infinity,
  ) => {
    progress(name);
    const there = await writeAll(own, change, minutes);
    most = there.records;
    progress(`${name}: memory in MB, nodes and ours at most ${memoryPeaks().join(', ')}`);
    printWriting(name, there, await writeEmbedded(change));
  };
  await write('first import', (comment) => comment, Number(values.minutes));
  const records = most;
  const asImported = await bytesOfIndex();
  progress('merging');
  // A task: of ten million comments it takes longer than an answer is waited for.
  const { task } = await send<{ readonly task: string }>(
    'POST',
    `${place.prefix}-comments/_forcemerge?max_num_segments=1&wait_for_completion=false`,
  );
  while (!(await send<{ readonly completed: boolean }>('GET', `_tasks/${task}`)).completed)
    await sleep(DONE_MS);
  // Until then searches have the segments that were merged.
  await send('POST', `${place.prefix}-comments/_refresh`);
  const merged = await bytesOfIndex();
  const embeddedBytes = bytesOf(filesOf(join(folder, 'comments')));
  print([
    `${cpus()[0]?.model.trim()}, ${cpus().length} threads, ${Math.round(totalmem() / 2 ** 30)} GB; Node ${process.version}`,
    `${records.toLocaleString('en')} ${values.corpus === undefined ? `synthetic comments, ${communities} communities` : `comments of ${values.corpus}`}; ` +
      `OpenSearch: ${nodes} nodes, heap ${values.heap} each, ${values.shards} shards, one segment each, caches ${values.caches ? 'on' : 'off'}`,
  ]);
  print(
    ['bytes a comment', 'as imported', 'merged', 'embedded folder'],
    [['one copy', ...[asImported, merged, embeddedBytes].map((bytes) => (bytes / records).toFixed(0))]],
  );
  await askAndExport(own, records);
  for (const count of later) {
    progress(`${count} nodes`);
    await cluster.grow(count - cluster.addresses.length);
    await send('PUT', `${place.prefix}-*/_settings`, { 'index.number_of_replicas': 1 });
    // Ten million comments are copied for longer than a node may take to come up.
    while (!(await hasEveryCopy())) await sleep(DONE_MS);
    await using grown = await openOpenSearchEngine(
      { ...place, nodes: cluster.addresses, replicas: 1 },
      { rules: RULES },
    );
    print([`${count} nodes, a replica of each shard`]);
    await askAndExport(grown, records);
    progress(`memory in MB, nodes and ours at most ${memoryPeaks().join(', ')}`);
  }
  if (!values.once) {
    await write('the same once more', (comment) => comment);
    await write('newer copies of all', (comment) => ({ ...comment, retrieved: comment.retrieved + 1 }));
  }
}

function printWriting(name: string, there: Written, here: Written): void {
  const micros = (ms: number) => ((ms * 1000) / there.records).toFixed(0);
  const ratio = ((there.others + there.own) / here.own).toFixed(1);
  const rates = [there, here].map(({ wall, records }) =>
    Math.round((records / wall) * 1000).toLocaleString('en'),
  );
  print(
    [
      'writing, µs of the processor a record',
      'node',
      'ours',
      'embedded',
      'ratio',
      'records a second',
      'embedded',
    ],
    [[name, micros(there.others), micros(there.own), micros(here.own), ratio, ...rates]],
  );
}

async function askAndExport(own: SearchEngine, records: number): Promise<void> {
  await own.refresh();
  const embedded = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
  await askAll(own, embedded);
  await embedded[Symbol.asyncDispose]();
  progress('exporting');
  const exporting = await costOf(cluster.processIds, () =>
    exportAll(own, 'ndjson', 'none', { limit: EXPORTED }),
  );
  const [others, ours] = [exporting.others, exporting.own].map((ms) =>
    ((ms * 1000) / Math.min(records, EXPORTED)).toFixed(1),
  );
  print([`export, µs of the processor a record: ${others} + ${ours}; load ${loadavg()[0]!.toFixed(1)}`]);
}

interface Written extends Cost {
  readonly records: number;
}

/** Into an engine that is open; the making of the records is not counted. */
async function writeAll(
  engine: SearchEngine,
  change: (comment: StoredComment) => StoredComment,
  minutes = Infinity,
): Promise<Written> {
  const until = performance.now() + minutes * 60_000;
  const sum = { records: 0, own: 0, others: 0, wall: 0 };
  for await (const batch of batches(() => engine.batchRecords?.() ?? MADE)) {
    const packed = packRecords(batch.map(change));
    const cost = await costOf(cluster.processIds, () => engine.index('comment', packed));
    sum.records += batch.length;
    for (const part of ['own', 'others', 'wall'] as const) sum[part] += cost[part];
    if (sum.records % STEP < batch.length) progress(`${sum.records} records`);
    if (performance.now() > until) break;
  }
  return sum;
}

/** Merges that go on when the last batch is in count too. */
async function writeEmbedded(change: (comment: StoredComment) => StoredComment): Promise<Written> {
  const engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
  const written = await writeAll(engine, change);
  const closing = await costOf([], () => engine[Symbol.asyncDispose]());
  return { ...written, own: written.own + closing.own, wall: written.wall + closing.wall };
}

async function askAll(own: SearchEngine, embedded: SearchEngine): Promise<void> {
  const all = await queryClasses(embedded, await vocabulary());
  const wanted = values.classes?.split(',') ?? all.map(({ name }) => name);
  const tasks = costTasks();
  const rows: string[][] = [];
  progress('warming');
  const until = performance.now() + WARMING.ms;
  for (let n = 0; n < WARMING.answers && performance.now() < until; n++) {
    const { queries } = all[n % all.length]!;
    const query = queries[Math.floor(n / all.length) % queries.length]!;
    await own.ask({ kind: 'comment', query, ...tasks[n % tasks.length]!.question });
  }
  for (const one of all.filter(({ name }) => wanted.includes(name))) {
    progress(one.name);
    const asked = { ...one, queries: one.queries.slice(0, Number(values.queries)) };
    const cells: string[] = [];
    let matches = 0;
    for (const task of tasks) {
      matches = await compare(own, embedded, asked, task);
      const there = await askCost(own, asked, task);
      const here = await askCost(embedded, asked, task);
      const ratio = (there.others + there.own) / here.own;
      cells.push(
        `${there.others.toFixed(1)} + ${there.own.toFixed(1)} / ${here.own.toFixed(2)}`,
        ratio.toFixed(ratio < 10 ? 1 : 0),
      );
    }
    rows.push([one.name, matches.toLocaleString('en'), ...cells]);
  }
  const names = tasks.flatMap(({ name }) => [name, 'ratio']);
  print(['ms of the processor: node + ours / embedded', 'matches', ...names], rows);
}

/** The median of the matches. */
async function compare(
  own: SearchEngine,
  embedded: SearchEngine,
  asked: QueryClass,
  task: Task,
): Promise<number> {
  const totals: number[] = [];
  for (const question of questionsOf(asked, task)) {
    const [answer, expected] = [await own.ask(question), await embedded.ask(question)];
    // Batches are as large as each engine asks for.
    assert.deepEqual({ ...answer, arrival: expected.arrival }, expected, JSON.stringify(question));
    totals.push(expected.total);
  }
  return percentiles(totals).p50;
}

/** Of one question; each was asked before. */
async function askCost(engine: SearchEngine, asked: QueryClass, task: Task): Promise<Cost> {
  const questions = questionsOf(asked, task);
  const { own, others, wall } = await costOf(cluster.processIds, async () => {
    for (let round = 0; round < ROUNDS; round++) for (const question of questions) await engine.ask(question);
  });
  const count = questions.length * ROUNDS;
  return { own: own / count, others: others / count, wall: wall / count };
}

function questionsOf({ queries }: QueryClass, { question }: Task): Question[] {
  return queries.map((query) => ({ kind: 'comment', query, ...question }));
}

async function* batches(wanted: () => number): AsyncGenerator<StoredComment[]> {
  const { corpus, records } = values;
  const source =
    corpus === undefined
      ? syntheticComments(Number(records), { batch: MADE, communities })
      : realComments(corpus, MADE);
  let batch: StoredComment[] = [];
  let left = most;
  for await (const made of source) {
    batch.push(...made.slice(0, left));
    left -= Math.min(left, made.length);
    if (left > 0 && batch.length < wanted()) continue;
    yield batch;
    batch = [];
    if (left === 0) return;
  }
  if (batch.length > 0) yield batch;
}

/** Of what is in; of real comments counted over the first of them. */
async function vocabulary(): Promise<Vocabulary> {
  if (values.corpus === undefined) {
    const all = syntheticVocabulary(communities);
    return { ...all, seconds: Math.floor((all.seconds * most) / Number(values.records)) };
  }
  for await (const batch of realComments(values.corpus, 200_000)) return vocabularyOf(batch);
  throw new Error(`expected comments in ${values.corpus}, found none`);
}

async function hasEveryCopy(): Promise<boolean> {
  interface Health {
    readonly status: string;
    readonly relocating_shards: number;
  }
  const health = await send<Health>('GET', '_cluster/health');
  return health.status === 'green' && health.relocating_shards === 0;
}

async function bytesOfIndex(): Promise<number> {
  await send('POST', `${place.prefix}-comments/_flush`);
  const answer = await fetch(new URL(`${place.prefix}-comments/_stats/store`, address));
  interface Stats {
    readonly _all: { readonly primaries: { readonly store: { readonly size_in_bytes: number } } };
  }
  return ((await answer.json()) as Stats)._all.primaries.store.size_in_bytes;
}

/** Of each node and of this process, in MB. */
function memoryPeaks(): number[] {
  return [...cluster.processIds, process.pid].map((id) => {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))!;
    return Math.round(Number(kilobytes) / 1_000);
  });
}

async function send<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(new URL(path, address), {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Lines, or a table. */
function print(head: readonly string[], rows?: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines =
    rows === undefined
      ? head
      : [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)];
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

function progress(what: string): void {
  process.stderr.write(
    `${new Date().toISOString().slice(11, 19)} ${what}, load ${loadavg()[0]!.toFixed(1)}\n`,
  );
}
