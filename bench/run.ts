// `npm run bench -- [--records N] [--communities N] [--corpus FILE] [--no-fts5] [--keep FOLDER] [--json FILE]
// [--seconds 20] [--classes-only]`: how fast, how large, beside SQLite FTS5 in the same run, as Markdown tables. One
// thread answers the classes; there is no cache of results anywhere. `--corpus` takes real comments (NDJSON, also .zst)
// instead of synthetic ones; `--keep` leaves the index, and uses it again; `--json` writes the figures for pictures.ts.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { loadFileSegment, unloadSegment } from '../src/engines/embedded/index/segment.ts';
import { IndexDamage } from '../src/model/damage.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { comparator } from '../src/model/order.ts';
import type { Query } from '../src/model/query.ts';
import type { StoredComment } from '../src/model/record.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { syntheticComments, syntheticVocabulary, type Vocabulary } from './corpus.ts';
import { Fts5, matchExpression } from './fts5.ts';
import { mixWhileImporting, randomMix } from './load.ts';
import {
  bytesInPageCache,
  bytesOf,
  bytesRead,
  dropFromPageCache,
  elapsed,
  filesOf,
  memoryBandwidth,
  percentiles,
  type Times,
  timed,
} from './measure.ts';
import { type QueryClass, queryClasses } from './queries.ts';
import { tasksOf, WHOLE_ANSWER } from './questions.ts';
import { realComments, vocabularyOf } from './real-corpus.ts';
import { type ClassResult, markdown, type Results } from './results.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '200000' },
    communities: { type: 'string', default: '5000' },
    batch: { type: 'string', default: '100000' },
    'no-fts5': { type: 'boolean', default: false },
    'classes-only': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '20' },
    corpus: { type: 'string' },
    keep: { type: 'string' },
    json: { type: 'string' },
  },
});
const records = Number(values.records);
const communities = Number(values.communities);
const RULES = { keepOriginals: false };
/** A line of 64 bytes of the memory holds so many numbers of a column of 16 bits. */
const NUMBERS_A_LINE = 32;
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'colloquy-bench-'));

mkdirSync(folder, { recursive: true });
try {
  const fts5 = values['no-fts5'] ? null : new Fts5(join(folder, 'fts5.db'));
  const isThere = existsSync(join(folder, 'comments.db'));
  const rates = isThere ? { appendRate: null, importRate: null, fts5Rate: null } : await buildAll(fts5);
  const results = await measureAll(fts5, rates);
  process.stdout.write(`${markdown(results)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 1)}\n`);
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

type Rates = Pick<Results, 'appendRate' | 'importRate' | 'fts5Rate'>;

async function buildAll(fts5: Fts5 | null): Promise<Rates> {
  let engineMs = 0;
  let fts5Ms = 0;
  let done = 0;
  await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 1 });
  for await (const batch of batches()) {
    engineMs += await elapsed(() => engine.index('comment', packRecords(batch)));
    if (fts5 !== null) fts5Ms += await elapsed(async () => fts5.add(inTime(batch), done));
    done += batch.length;
    if (done % 1_000_000 < batch.length) progress(`${done} records in`);
  }
  const closingMs = await elapsed(() => engine[Symbol.asyncDispose]());
  if (fts5 !== null) fts5Ms += await elapsed(async () => fts5.optimize());
  const rate = (ms: number) => (done / ms) * 1000;
  return {
    appendRate: rate(engineMs),
    importRate: rate(engineMs + closingMs),
    fts5Rate: fts5 === null ? null : rate(fts5Ms),
  };
}

async function measureAll(fts5: Fts5 | null, rates: Rates): Promise<Results> {
  const files = filesOf(join(folder, 'comments'));
  const opening = performance.now();
  await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
  const openMs = performance.now() - opening;
  const stats = (await engine.stats()).comment;
  if (stats instanceof IndexDamage) throw stats;
  const { records: held, segments } = stats;
  const classes = await queryClasses(engine, await vocabulary());
  const found = await classResults(engine, classes, held, fts5);
  progress('memory');
  const memory = memoryServing(classes);
  const nothing = { p50: 0, p99: 0, aSecond: 0, importedASecond: 0 };
  const seconds = Number(values.seconds);
  const isShort = values['classes-only'];
  progress('under load');
  return {
    machine: `${cpus()[0]?.model.trim()}, ${cpus().length} threads, ${Math.round(totalmem() / 2 ** 30)} GB; Node ${process.version}`,
    corpus:
      values.corpus === undefined
        ? `${held.toLocaleString('en')} synthetic comments, ${communities} communities`
        : `${held.toLocaleString('en')} comments of ${values.corpus}`,
    records: held,
    ...rates,
    bytesARecord: bytesOf(files) / held,
    storedBytesARecord: storedBytes(files) / held,
    segments,
    openMs,
    classes: found,
    cold: isShort ? nothing : await coldAnswers(files, classes),
    mix: isShort ? nothing : await randomMix(folder, classes, seconds),
    mixWhileImporting: isShort ? nothing : await mixWhileImporting(folder, classes, seconds),
    memory,
    bandwidth: memoryBandwidth(),
  };
}

async function classResults(
  engine: SearchEngine,
  classes: readonly QueryClass[],
  held: number,
  fts5: Fts5 | null,
): Promise<ClassResult[]> {
  const tasks = await tasksOf(engine);
  const results: ClassResult[] = [];
  for (const { name, queries } of classes) {
    progress(name);
    const totals: number[] = [];
    for (const query of queries) totals.push((await engine.ask({ kind: 'comment', query })).total);
    const times: Record<string, Times> = {};
    let fileBytes: number | null = null;
    for (const { name: task, question } of tasks) {
      const before = bytesRead();
      times[task] = await timed(queries, (query) => engine.ask({ kind: 'comment', query, ...question }));
      const after = bytesRead();
      // `timed` asks each twice.
      fileBytes = before === null || after === null ? null : (after - before) / (queries.length * 2);
    }
    const matches = percentiles(totals).p50;
    // A breakdown by community looks at the place of every match; domains are looked at for those that have one.
    const columnBytes = Math.min(matches * NUMBERS_A_LINE, held) * 2;
    results.push({ name, matches, times, fileBytes, columnBytes, fts5: await fts5Times(fts5, queries) });
  }
  return results;
}

async function fts5Times(fts5: Fts5 | null, queries: readonly Query[]): Promise<Record<string, Times>> {
  const matches = queries.flatMap((query) => matchExpression(query) ?? []).slice(0, 15);
  if (fts5 === null || matches.length === 0) return {};
  // Some take seconds each: two are enough to warm up.
  const ask = (run: (match: string) => unknown) => timed(matches, async (match) => run(match), 2);
  return {
    count: await ask((match) => fts5.count(match)),
    newest: await ask((match) => fts5.newest(match, 25)),
    top: await ask((match) => fts5.top(match, 25)),
    breakdown: await ask((match) => fts5.breakdown(match)),
  };
}

/** For each: the files leave the page cache, an engine opens, and the first whole answer is measured. */
async function coldAnswers(files: readonly string[], classes: readonly QueryClass[]): Promise<Times> {
  progress('cold');
  const times: number[] = [];
  for (let i = 0; i < 54; i++) {
    const query = classes[i % classes.length]!.queries[i % 50]!;
    await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
    dropFromPageCache(files);
    if (i === 0) progress(`in the page cache: ${bytesInPageCache(files) ?? 'unknown'} bytes`);
    times.push(await elapsed(() => engine.ask({ kind: 'comment', query, ...WHOLE_ANSWER.question })));
  }
  return percentiles(times);
}

/** In a process of its own: this one holds words and results. */
function memoryServing(classes: readonly QueryClass[]): Results['memory'] {
  const script = fileURLToPath(new URL('memory.ts', import.meta.url));
  const input = JSON.stringify(classes);
  return JSON.parse(execFileSync(process.execPath, [script, folder], { input, encoding: 'utf8' }));
}

/** Bytes of the stored records, of all segment files. */
function storedBytes(files: readonly string[]): number {
  let bytes = 0;
  for (const file of files) {
    const data = loadFileSegment(file, file);
    bytes += data.footer.sections.records!.length;
    unloadSegment(data);
  }
  return bytes;
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

function inTime(batch: readonly StoredComment[]): StoredComment[] {
  return [...batch].sort(comparator('oldest'));
}

function progress(what: string): void {
  process.stderr.write(`${what}\n`);
}
