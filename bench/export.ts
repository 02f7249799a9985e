// `npm run bench -- export [--records 1000000] [--rounds 5] [--keep FOLDER] [--only FORMAT]`: whole results of all
// comments in every format and compression, beside reading each record (`segment.record()`) and `JSON.stringify` in
// one thread of the same process, by turns. Ratios of CPU: of the thread that makes the bytes, and of all threads,
// those that compress and collect garbage included; the least of the rounds. Records a second, first byte and memory
// are those of one export in a process of its own, which runs with a thread for it (export-run.ts).

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { loadFileSegment, Segment, unloadSegment } from '../src/engines/embedded/index/segment.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { type Compression, compressionsOf, FORMATS, type Format } from '../src/features/export/parameters.ts';
import { syntheticComments } from './corpus.ts';
import { exportAll } from './exporting.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    keep: { type: 'string' },
    only: { type: 'string' },
  },
});

const OPTIONS = { rules: { keepOriginals: false }, workers: 0 };
const MEBIBYTE = 1_048_576;

interface Case {
  readonly format: Format;
  readonly compress: Compression;
}

/** Seconds of CPU. */
interface Cpu {
  readonly thread: number;
  readonly all: number;
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'colloquy-export-'));
try {
  if (values.keep === undefined || !existsSync(folder)) await fill();
  const cases = (Object.keys(FORMATS) as Format[])
    .filter((format) => values.only === undefined || format === values.only)
    .flatMap((format) => compressionsOf(format).map((compress): Case => ({ format, compress })));
  process.stdout.write(`${cpus()[0]?.model}, ${values.records} synthetic comments\n\n`);
  await printTable(cases);
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  await using engine = await openEmbeddedEngine(folder, OPTIONS);
  for (const batch of syntheticComments(Number(values.records), { batch: 100_000, communities: 5_000 }))
    await engine.index('comment', packRecords(batch));
  await engine.maintain();
}

async function printTable(cases: readonly Case[]): Promise<void> {
  const { records, base, cpu } = await cpuOf(cases);
  const micros = ((base.thread / records) * 1e6).toFixed(2);
  process.stdout.write(`record() and JSON.stringify: ${micros} µs of CPU a record\n\n`);
  const columns = ['format', 'compressed', 'CPU of its thread', 'CPU of all threads', 'records a second'];
  const head = [...columns, 'first byte, ms', 'memory above idle, MiB', 'bytes a record'];
  process.stdout.write(`| ${head.join(' | ')} |\n|${head.map(() => '---|').join('')}\n`);
  for (const [i, { format, compress }] of cases.entries()) {
    const { thread, all } = cpu[i]!;
    const { firstMs, wholeMs, bytes, above } = runAlone({ format, compress });
    const row = [
      ...[format, compress, (thread / base.thread).toFixed(2), (all / base.all).toFixed(2)],
      ...[Math.round((records / wholeMs) * 1_000).toLocaleString('en'), firstMs.toFixed(0)],
      ...[(above / MEBIBYTE).toFixed(0), (bytes / records).toFixed(1)],
    ];
    process.stdout.write(`| ${row.join(' | ')} |\n`);
  }
}

async function cpuOf(cases: readonly Case[]) {
  await using engine = await openEmbeddedEngine(folder, OPTIONS);
  const bases: Cpu[] = [];
  const rounds: Cpu[][] = cases.map(() => []);
  let records = 0;
  for (let round = 0; round < Number(values.rounds); round++) {
    bases.push(await cpuWhile(async () => stringifyAll()));
    for (const [i, { format, compress }] of cases.entries()) {
      const work = async () => {
        ({ records } = await exportAll(engine, format, compress));
      };
      rounds[i]!.push(await cpuWhile(work));
    }
  }
  return { records, base: least(bases), cpu: rounds.map(least) };
}

async function cpuWhile(work: () => Promise<void>): Promise<Cpu> {
  const thread = process.threadCpuUsage();
  const all = process.cpuUsage();
  await work();
  const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;
  return { thread: seconds(process.threadCpuUsage(thread)), all: seconds(process.cpuUsage(all)) };
}

function least(rounds: readonly Cpu[]): Cpu {
  return {
    thread: Math.min(...rounds.map(({ thread }) => thread)),
    all: Math.min(...rounds.map(({ all }) => all)),
  };
}

function stringifyAll(): void {
  let length = 0;
  for (const path of globSync(join(folder, 'comments', '*.seg'))) {
    const data = loadFileSegment(path, path);
    const segment = new Segment(data);
    for (let doc = 0; doc < segment.docs; doc++) length += JSON.stringify(segment.record(doc)).length;
    unloadSegment(data);
  }
  if (length === 0) throw new Error('expected records');
}

interface Run {
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly bytes: number;
  readonly above: number;
}

function runAlone({ format, compress }: Case): Run {
  const program = join(import.meta.dirname, 'export-run.ts');
  // As bin/colloquy.mjs keeps what was compiled.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const words = [program, folder, format, compress];
  return JSON.parse(execFileSync(process.execPath, words, { env }).toString()) as Run;
}
