import { table } from '../../cli/listing.ts';
import type { CoverageStep } from '../../model/coverage.ts';
import { DAY, readableDay } from '../../model/time.ts';
import { type CoverageAnswer, coverageTable } from './coverage.ts';

/** One table of months; then a line for each gap, each source, and the removals. */
export function asText(answer: CoverageAnswer): string {
  const { step, kinds, sources, removals } = answer;
  const { columns, rows } = coverageTable(answer);
  const startAt = columns.indexOf('start');
  const shareAt = columns.indexOf('score_at_capture');
  // The column of names is there only for those who asked for some.
  const isKept = (column: number) =>
    columns[column] !== 'subreddit' || rows.some((row) => row[column] !== null);
  const cells = rows.map((row) =>
    row.flatMap((cell, column) => {
      if (!isKept(column)) return [];
      if (column === startAt) return [nameOf(step, Number(cell))];
      if (cell === null) return [''];
      return [column === shareAt || typeof cell === 'string' ? String(cell) : cell.toLocaleString('en')];
    }),
  );
  const headings = columns
    .filter((_, column) => isKept(column))
    .map((name) => (name === 'start' ? step : name));
  const gaps = Object.entries(kinds).flatMap(([kind, { gaps: of }]) =>
    of.map(({ from, to }) => `gap in ${kind}: ${readableDay(from)} to ${readableDay(to - DAY)}\n`),
  );
  const lines = sources.map(sourceLine);
  const removed = removals.number === 0 ? '' : `removals: ${removals.number}\n`;
  return [table(headings, cells), ...gaps, ...lines, removed].join('');
}

function nameOf(step: CoverageStep, start: number): string {
  return readableDay(start).slice(0, step === 'month' ? 'YYYY-MM'.length : undefined);
}

function sourceLine({
  name,
  sha256,
  bytes,
  kind,
  where,
  started,
  finished,
}: CoverageAnswer['sources'][number]) {
  const end = finished === null ? `interrupted ${readableDay(started)}` : `imported ${readableDay(finished)}`;
  const words = [
    ...(kind === null ? [] : [kind]),
    ...(where === null ? [] : [`in part: ${where}`]),
    ...[end, sha256 === null ? 'no checksum' : `${bytes!.toLocaleString('en')} bytes, SHA-256 ${sha256}`],
  ];
  return `source: ${name} (${words.join('; ')})\n`;
}
