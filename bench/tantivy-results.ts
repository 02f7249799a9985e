// The engine beside tantivy, as Markdown tables: how many times as long it takes, and the whole answers of both.

import type { Times } from './measure.ts';
import { count, ms, table } from './tables.ts';
import type { TantivyFigures } from './tantivy.ts';

/** What both found of one class, by name of the task. */
interface ClassResult {
  readonly name: string;
  readonly matches: number;
  readonly times: Readonly<Record<string, Times>>;
  readonly tantivy: Readonly<Record<string, Times>>;
}

interface Results {
  readonly classes: readonly ClassResult[];
  readonly bytesARecord: number;
  readonly segments: number;
  readonly openMs: number;
  readonly compared: number;
  readonly differences: readonly string[];
}

const WHOLE = 'whole answer';

export function tantivyTables(results: Results, figures: TantivyFigures): string[] {
  return [
    ratioTable(results.classes),
    wholeTable(results.classes),
    sizeTable(results, figures),
    agreement(results),
  ];
}

/** Median by median, and 99th percentile by 99th percentile; below 1, the engine is faster. */
function ratioTable(classes: readonly ClassResult[]): string {
  const tasks = Object.keys(classes[0]?.tantivy ?? {});
  const ratio = ({ times, tantivy }: ClassResult, task: string, part: keyof Times) =>
    times[task]![part] / tantivy[task]![part];
  const rows = classes.map((one) => [
    one.name,
    ...tasks.map((task) => `${ratio(one, task, 'p50').toFixed(2)} (${ratio(one, task, 'p99').toFixed(2)})`),
  ]);
  const means = tasks.map((task) => {
    const of = (part: keyof Times) => geometricMean(classes.map((one) => ratio(one, task, part)));
    return `${of('p50').toFixed(2)} (${of('p99').toFixed(2)})`;
  });
  return table(['times as long as tantivy', ...tasks], [...rows, ['**geometric mean**', ...means]]);
}

function wholeTable(classes: readonly ClassResult[]): string {
  return table(
    [WHOLE, 'matches', 'ours', 'tantivy'],
    classes.map(({ name, matches, times, tantivy }) => [
      name,
      count(matches),
      ms(times[WHOLE]),
      ms(tantivy[WHOLE]),
    ]),
  );
}

function sizeTable({ bytesARecord, segments, openMs }: Results, figures: TantivyFigures): string {
  const { records, bytes, cpuSeconds } = figures;
  return table(
    ['', 'ours', 'tantivy'],
    [
      ['bytes a record, with the stored record', bytesARecord.toFixed(1), (bytes / records).toFixed(1)],
      ['segments', String(segments), String(figures.segments)],
      ['open, ms', openMs.toFixed(0), figures.openMs.toFixed(0)],
      ['records indexed in a second of processor time', '', count(records / cpuSeconds)],
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
