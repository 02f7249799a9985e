// `npm run bench -- run [--records N] [--communities N] [--corpus FILE] [--no-fts5] [--no-peers] [--keep FOLDER]
// [--json FILE] [--rounds 1] [--classes NAME] [--tasks NAME] [--seconds 20] [--classes-only]`: how fast, how large,
// beside SQLite FTS5, tantivy and Lucene in one run, as Markdown tables. One thread answers the classes; no result
// is cached. `--corpus` takes real comments (NDJSON, also .zst) instead of synthetic ones; `--keep` leaves the indexes,
// and uses them again; `--rounds`: each query is measured so many times, and the least taken; `--classes`, `--tasks`:
// only those whose names contain this; `--json` writes the figures for pictures.ts. Answers that are not a peer's are
// printed, and end the run with 1.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { loadFileSegment, unloadSegment } from '../src/engines/embedded/index/segment.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { IndexDamage } from '../src/model/engine-errors.ts';
import { compareIds } from '../src/model/pages.ts';
import type { StoredComment } from '../src/model/record.ts';
import { classResults, type Opponents } from './class-results.ts';
import { syntheticComments, syntheticVocabulary } from './corpus.ts';
import { Fts5 } from './fts5.ts';
import { mixWhileImporting, randomMix } from './load.ts';
import {
  bytesInPageCache,
  bytesOf,
  dropFromPageCache,
  elapsed,
  filesOf,
  memoryBandwidth,
  percentiles,
  type Times,
} from './measure.ts';
import { buildPeer, Peer, type PeerFigures, peerPrograms } from './peers.ts';
import { phraseClasses } from './phrase-classes.ts';
import { type QueryClass, queryClasses } from './queries.ts';
import { tasksOf, WHOLE_ANSWER } from './questions.ts';
import { realComments, vocabularyOf } from './real-corpus.ts';
import { markdown, type Results } from './results.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '200000' },
    communities: { type: 'string', default: '5000' },
    batch: { type: 'string', default: '100000' },
    'no-fts5': { type: 'boolean', default: false },
    'no-peers': { type: 'boolean', default: false },
    rounds: { type: 'string', default: '1' },
    classes: { type: 'string', default: '' },
    tasks: { type: 'string', default: '' },
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
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'colloquy-bench-'));

mkdirSync(folder, { recursive: true });
try {
  const fts5 = values['no-fts5'] ? null : new Fts5(join(folder, 'fts5.db'));
  const isThere = existsSync(join(folder, 'comments.db'));
  const rates = isThere ? { appendRate: null, importRate: null, fts5Rate: null } : await buildAll(fts5);
  const results = await measureAll(fts5, rates);
  process.stdout.write(`${markdown(results)}\n`);
  if (results.differences.length > 0) process.exitCode = 1;
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
  for await (const batch of batches(Number(values.batch))) {
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
  const classes = (await allClasses(engine)).filter(({ name }) => name.includes(values.classes));
  await using opened = new AsyncDisposableStack();
  const peers = values['no-peers'] ? [] : await openPeers(engine, opened);
  const opponents: Opponents = { fts5, peers };
  const { found, compared, differences } = await classResults(
    engine,
    classes,
    (await tasksOf(engine)).filter(({ name }) => name.includes(values.tasks)),
    { held, rounds: Number(values.rounds) },
    opponents,
  );
  progress('memory');
  // Of some classes it would be another figure.
  const memory = values.classes === '' ? memoryServing(classes) : { resident: 0, arrays: 0, peak: 0 };
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
    peers: Object.fromEntries(peers.map(({ name, figures }): [string, PeerFigures] => [name, figures])),
    compared,
    differences,
    cold: isShort ? nothing : await coldAnswers(files, classes),
    mix: isShort ? nothing : await randomMix(folder, classes, seconds),
    mixWhileImporting: isShort ? nothing : await mixWhileImporting(folder, classes, seconds),
    memory,
    bandwidth: memoryBandwidth(),
  };
}

async function openPeers(engine: SearchEngine, opened: AsyncDisposableStack): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const program of peerPrograms(progress)) {
    progress(`the index of ${program.name}`);
    const place = join(folder, program.name.toLowerCase());
    await buildPeer(program, place, engine);
    peers.push(opened.use(await Peer.open(program, place)));
  }
  return peers;
}

async function allClasses(engine: SearchEngine): Promise<QueryClass[]> {
  // Phrases are those of the first comments; of real ones words too.
  for await (const batch of batches(200_000)) {
    const vocabulary = values.corpus === undefined ? syntheticVocabulary(communities) : vocabularyOf(batch);
    return [...(await queryClasses(engine, vocabulary)), ...phraseClasses(batch)];
  }
  throw new Error(`expected comments in ${values.corpus}, found none`);
}

/** For each: the files leave the page cache, an engine opens, and the first whole answer is measured. */
async function coldAnswers(files: readonly string[], classes: readonly QueryClass[]): Promise<Times> {
  progress('cold');
  const times: number[] = [];
  for (let i = 0; i < 54; i++) {
    const { queries } = classes[i % classes.length]!;
    const query = queries[i % queries.length]!;
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

function batches(batch: number): Iterable<StoredComment[]> | AsyncIterable<StoredComment[]> {
  if (values.corpus !== undefined) return realComments(values.corpus, batch);
  return syntheticComments(records, { batch, communities });
}

function inTime(batch: readonly StoredComment[]): StoredComment[] {
  return batch.toSorted((a, b) => a.created - b.created || compareIds(a.id, b.id));
}

function progress(what: string): void {
  process.stderr.write(`${what}\n`);
}
