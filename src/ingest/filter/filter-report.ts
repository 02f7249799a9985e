// What `filter` came to: the report that `filter --json` prints, and the same for people.

import { REJECTIONS, type Rejection, SKIPS, type Skip, type Tally, totalOf } from '../normalise/outcome.ts';
import { noteLines, type SourceReport } from '../report.ts';

/** Names and meaning are what scripts rely on. `read = matched + Σ skipped + Σ rejected`. */
export interface FilterReport {
  /** In canonical form. */
  readonly query: string;
  /** Path; null where none was written: it was stopped, or no source had anything to read. */
  readonly file: string | null;
  readonly format: 'ndjson' | 'csv';
  /** Of the file, compressed; null where none was written. */
  readonly bytes: number | null;
  /** Objects that should be records; a line that is passed over unread counts as one. */
  readonly read: number;
  /** Records that match. */
  readonly matched: number;
  /** Lines or rows written: fewer than records where a line contains several. */
  readonly lines: number;
  /** By reason (SKIPS). */
  readonly skipped: Tally<Skip>;
  /** By reason (REJECTIONS). */
  readonly rejected: Tally<Rejection>;
  /** The first 1,000 of them, and at most 100 of each 256 KiB. */
  readonly rejects: readonly RejectedLine[];
  readonly seconds: number;
  readonly records_per_second: number;
  readonly sources: readonly SourceReport[];
}

export interface RejectedLine {
  readonly source: string;
  /** From 1. */
  readonly line: number;
  readonly reason: Rejection;
}

const LINES_SHOWN = 10;

/** The report for people, several lines. */
export function filterTable(report: FilterReport): string {
  const rows: [label: string, n: number, note?: string][] = [
    ['read', report.read, `${number(report.records_per_second)} a second, ${report.seconds} s`],
    ['matched', report.matched],
  ];
  for (const [reason, n] of Object.entries(report.skipped)) {
    rows.push([reason === 'where' ? 'passed over' : 'skipped', n, SKIPS[reason as Skip]]);
  }
  for (const [reason, n] of Object.entries(report.rejected)) {
    rows.push(['rejected', n, `${reason}: ${REJECTIONS[reason as Rejection]}`]);
  }
  const width = Math.max(...rows.map(([, n]) => number(n).length));
  const lines = rows.map(([label, n, note]) =>
    `${label.padEnd(12)}${number(n).padStart(width)}${note === undefined ? '' : `  ${note}`}`.trimEnd(),
  );
  const all = [...lines, ...rejectLines(report), ...noteLines(report.sources)];
  if (report.file !== null) all.push(written(report.file, report));
  return `${all.join('\n')}\n`;
}

function rejectLines({ rejects, rejected }: FilterReport): string[] {
  const shown = rejects
    .slice(0, LINES_SHOWN)
    .map(({ source, line, reason }) => `${source}:${line}: ${reason}`);
  const left = totalOf(rejected) - shown.length;
  return left === 0 ? shown : [...shown, `and ${number(left)} more rejected lines`];
}

function written(file: string, { lines, format, bytes }: FilterReport): string {
  const one = format === 'csv' ? 'row' : 'line';
  return `${file}: ${number(lines)} ${one}${lines === 1 ? '' : 's'}, ${number(bytes ?? 0)} bytes`;
}

function number(n: number): string {
  return n.toLocaleString('en');
}
