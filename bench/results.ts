// What a run of the benchmark found: as JSON, and as the Markdown tables of docs/performance.md.

import type { Load } from './load.ts';
import type { Times } from './measure.ts';
import type { PeerFigures } from './peers.ts';
import { count, ms, table } from './tables.ts';

export interface ClassResult {
  readonly name: string;
  /** Median over its queries. */
  readonly matches: number;
  /** By name of the task, in the order of the columns. */
  readonly times: Readonly<Record<string, Times>>;
  /** The same of SQLite FTS5, by name of the task; empty where it was not asked. */
  readonly fts5: Readonly<Record<string, Times>>;
  /** The same of each peer that was asked, by its name. */
  readonly peers: Readonly<Record<string, Readonly<Record<string, Times>>>>;
  /** Of one whole answer, on average: bytes read from files, and bytes of columns it has to look at. */
  readonly fileBytes: number | null;
  readonly columnBytes: number;
}

export interface Results {
  readonly machine: string;
  readonly corpus: string;
  readonly records: number;
  /** Records a second appended, and with the merges at the end; null: the index was there. */
  readonly appendRate: number | null;
  readonly importRate: number | null;
  readonly fts5Rate: number | null;
  readonly bytesARecord: number;
  /** Of the bytes a record, the stored records. */
  readonly storedBytesARecord: number;
  readonly segments: number;
  readonly openMs: number;
  readonly classes: readonly ClassResult[];
  /** By name, of those that were asked. */
  readonly peers: Readonly<Record<string, PeerFigures>>;
  /** Answers that a peer gave too, and what was different. */
  readonly compared: number;
  readonly differences: readonly string[];
  /** First whole answer with the index's files out of the page cache. */
  readonly cold: Times;
  readonly mix: Load;
  readonly mixWhileImporting: Load;
  /** Bytes of a process that serves with two workers (memory.ts). */
  readonly memory: { readonly resident: number; readonly arrays: number; readonly peak: number };
  /** Bytes a second, read and written. */
  readonly bandwidth: number;
}

const WHOLE = 'whole answer';

export function markdown(results: Results): string {
  return [
    `${results.corpus}; ${results.machine}. Milliseconds, median (99th percentile).`,
    classTable(results),
    bytesTable(results),
    ...(results.classes.some(({ fts5 }) => Object.keys(fts5).length > 0) ? [fts5Table(results)] : []),
    ...peerTables(results),
    otherTable(results),
  ].join('\n\n');
}

function classTable({ classes }: Results): string {
  const tasks = Object.keys(classes[0]?.times ?? {});
  return table(
    ['class', 'matches', ...tasks],
    classes.map(({ name, matches, times }) => [
      name,
      count(matches),
      ...tasks.map((task) => ms(times[task])),
    ]),
  );
}

/** How near a class comes to what the memory allows. */
function bytesTable({ classes, bandwidth }: Results): string {
  const rows = classes.flatMap(({ name, fileBytes, columnBytes, times }) => {
    const whole = times[WHOLE];
    if (fileBytes === null || whole === undefined) return [];
    // Copied out of the page cache once and read once: as much as is moved.
    const least = ((fileBytes * 2 + columnBytes) / bandwidth) * 1000;
    return [
      [name, kilobytes(fileBytes), kilobytes(columnBytes), least.toFixed(3), (whole.p50 / least).toFixed(0)],
    ];
  });
  return table([WHOLE, 'KB of files', 'KB of columns', 'ms at memory speed', 'times that'], rows);
}

function fts5Table({ classes }: Results): string {
  const asked = classes.filter(({ fts5 }) => Object.keys(fts5).length > 0);
  const tasks = Object.keys(asked[0]!.fts5);
  return table(
    ['SQLite FTS5', ...tasks, 'breakdown: times slower'],
    asked.map(({ name, fts5, times }) => [
      name,
      ...tasks.map((task) => ms(fts5[task])),
      ((fts5.breakdown?.p50 ?? 0) / (times.breakdown?.p50 ?? 1)).toFixed(0),
    ]),
  );
}

/** None where no peer was asked. */
function peerTables(results: Results): string[] {
  const names = Object.keys(results.peers);
  if (names.length === 0) return [];
  const ratios = names.map((peer) => ratioTable(peer, results.classes));
  return [...ratios, wholeTable(names, results.classes), sizeTable(results), agreement(results)];
}

/** Median by median, and 99th percentile by 99th percentile; below 1, the engine is faster. */
function ratioTable(peer: string, classes: readonly ClassResult[]): string {
  const tasks = Object.keys(classes[0]?.peers[peer] ?? {});
  const ratio = ({ times, peers }: ClassResult, task: string, part: keyof Times) =>
    times[task]![part] / peers[peer]![task]![part];
  const rows = classes.map((one) => [
    one.name,
    ...tasks.map((task) => `${ratio(one, task, 'p50').toFixed(2)} (${ratio(one, task, 'p99').toFixed(2)})`),
  ]);
  const means = tasks.map((task) => {
    const of = (part: keyof Times) => geometricMean(classes.map((one) => ratio(one, task, part)));
    return `${of('p50').toFixed(2)} (${of('p99').toFixed(2)})`;
  });
  return table([`times as long as ${peer}`, ...tasks], [...rows, ['**geometric mean**', ...means]]);
}

function wholeTable(names: readonly string[], classes: readonly ClassResult[]): string {
  return table(
    [WHOLE, 'matches', 'ours', ...names],
    classes.map(({ name, matches, times, peers }) => [
      name,
      count(matches),
      ms(times[WHOLE]),
      ...names.map((peer) => ms(peers[peer]![WHOLE])),
    ]),
  );
}

function sizeTable({ bytesARecord, segments, openMs, peers }: Results): string {
  const all = Object.values(peers);
  return table(
    ['', 'ours', ...Object.keys(peers)],
    [
      [
        'bytes a record, with the stored record',
        bytesARecord.toFixed(1),
        ...all.map(({ bytes, records }) => (bytes / records).toFixed(1)),
      ],
      ['segments', String(segments), ...all.map((peer) => String(peer.segments))],
      ['open, ms', openMs.toFixed(0), ...all.map((peer) => peer.openMs.toFixed(0))],
      [
        'records indexed in a second of processor time',
        '',
        ...all.map(({ records, cpuSeconds }) => count(records / cpuSeconds)),
      ],
    ],
  );
}

function agreement({ compared, differences }: Results): string {
  const told = differences.map((difference) => `- ${difference}`);
  return [`${count(compared)} answers compared, ${differences.length} different`, ...told].join('\n');
}

function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);
}

function otherTable(results: Results): string {
  const { mix, mixWhileImporting, memory } = results;
  const load = (found: Load) => `${found.aSecond.toFixed(0)} a second, ${ms(found)} ms`;
  return table(
    ['what', 'measured'],
    [
      ['records', count(results.records)],
      ['appended a second', results.appendRate === null ? '' : count(results.appendRate)],
      ['the same with the merges at the end', results.importRate === null ? '' : count(results.importRate)],
      ['FTS5, index alone, a second', results.fts5Rate === null ? '' : count(results.fts5Rate)],
      [
        'bytes a record without / with the stored record',
        `${(results.bytesARecord - results.storedBytesARecord).toFixed(1)} / ${results.bytesARecord.toFixed(1)}`,
      ],
      ['segments', String(results.segments)],
      ['open', `${results.openMs.toFixed(0)} ms`],
      ['cold whole answer', `${ms(results.cold)} ms`],
      ['two workers, random mix of whole answers', load(mix)],
      [
        `the same while ${count(mixWhileImporting.importedASecond)} records a second come in`,
        load(mixWhileImporting),
      ],
      [
        'memory serving, two workers, after all classes',
        `${megabytes(memory.resident)}, of it ${megabytes(memory.arrays)} arrays; peak ${megabytes(memory.peak)}`,
      ],
      ['memory bandwidth of one thread, read and written', `${(results.bandwidth / 1e9).toFixed(1)} GB/s`],
    ],
  );
}

function kilobytes(bytes: number): string {
  return count(bytes / 1000);
}

function megabytes(bytes: number): string {
  return `${count(bytes / 2 ** 20)} MB`;
}
