// `npm run bench -- pictures RESULTS.json… [--out docs]`: two pictures of what `run.ts --json` found, as plain SVG:
// latency-by-class.svg, of the largest corpus; cost-by-size.svg, where there are several sizes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Results } from './results.ts';
import { COLOURS, px, svg, text } from './svg.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'docs' } },
});

const WHOLE = 'whole answer';
/** Classes of the picture of sizes. */
const LINES = [
  'very frequent',
  'frequent',
  'frequent AND',
  'mid',
  'rare',
  'everything',
  'prefixes, 10,000 words',
];

if (positionals.length === 0)
  throw new Error('expected files that `npm run bench -- --json FILE` wrote, found none');
const runs = positionals.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Results);
runs.sort((a, b) => a.records - b.records);
writeFileSync(join(values.out, 'latency-by-class.svg'), latencyByClass(runs.at(-1)!));
if (runs.length > 1) writeFileSync(join(values.out, 'cost-by-size.svg'), costBySize(runs));

/** A position on an axis of powers of ten. */
function logScale(least: number, most: number, from: number, to: number): (value: number) => number {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  return (value) =>
    from + ((Math.log10(Math.min(most, Math.max(least, value))) - low) / (high - low)) * (to - from);
}

/** Median as a bar, up to the 99th percentile as a line, on a scale of powers of ten. */
function latencyByClass({ classes, records }: Results): string {
  const [left, right, rowHeight, top] = [170, 730, 22, 50];
  const least = 0.01;
  const most = 1000;
  const x = logScale(least, most, left, right);
  const bottom = top + classes.length * rowHeight;
  const grid = powers(least, most).map(
    (power) =>
      `<line x1="${px(x(power))}" x2="${px(x(power))}" y1="${top - 4}" y2="${bottom}" class="grid"/>` +
      text(x(power), bottom + 16, `${power} ms`, 'middle'),
  );
  const rows = classes.flatMap(({ name, times }, i) => {
    const found = times[WHOLE];
    if (found === undefined) return [];
    const y = top + i * rowHeight;
    const bar = `<rect x="${left}" y="${y + 3}" width="${px(x(found.p50) - left)}" height="${rowHeight - 8}" fill="${COLOURS[0]}"/>`;
    const line = `<line x1="${px(x(found.p50))}" x2="${px(x(found.p99))}" y1="${y + 10}" y2="${y + 10}" stroke="${COLOURS[1]}" stroke-width="3"/>`;
    return [text(left - 8, y + 14, name, 'end'), bar, line];
  });
  const title = `Whole answer by class, ${records.toLocaleString('en')} records: median (bar), 99th percentile (line)`;
  return svg(760, bottom + 30, title, [...grid, ...rows]);
}

/** Median of a whole answer against the number of records, both on scales of powers of ten. */
function costBySize(sorted: readonly Results[]): string {
  const [left, right, top, bottom] = [70, 560, 50, 400];
  const [first, last] = [sorted[0]!.records, sorted.at(-1)!.records];
  const x = logScale(first, last, left, right);
  const y = logScale(0.01, 1000, bottom, top);
  const grid = powers(0.01, 1000).map(
    (power) =>
      `<line x1="${left}" x2="${right}" y1="${px(y(power))}" y2="${px(y(power))}" class="grid"/>` +
      text(left - 8, y(power) + 4, `${power} ms`, 'end'),
  );
  const sizes = sorted.map(({ records }) =>
    text(x(records), bottom + 18, `${Number((records / 1e6).toPrecision(2))} M`, 'middle'),
  );
  const lines = LINES.flatMap((name, i) => {
    const points = sorted.flatMap(({ records, classes }) => {
      const found = classes.find((one) => one.name === name)?.times[WHOLE];
      return found === undefined ? [] : [`${px(x(records))},${px(y(found.p50))}`];
    });
    const colour = COLOURS[i]!;
    const label = `<rect x="${right + 20}" y="${top + i * 22}" width="14" height="4" fill="${colour}"/>`;
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      label,
      text(right + 42, top + i * 22 + 6, name, 'start'),
    ];
  });
  const title = 'Whole answer against the number of records, median';
  return svg(760, bottom + 36, title, [...grid, ...sizes, ...lines]);
}

function powers(least: number, most: number): number[] {
  const found: number[] = [];
  for (let exponent = Math.log10(least); exponent <= Math.log10(most) + 1e-9; exponent++) {
    found.push(Number((10 ** exponent).toPrecision(1)));
  }
  return found;
}
