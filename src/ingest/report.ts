// What an import came to: the report that `import --json` prints, and the same as a table.

import { addTally, REJECTIONS, type Rejection, SKIPS, type Skip, type Tally, totalOf } from './reasons.ts';

/**
 * Names and meaning are what scripts rely on (spec: commands).
 * `read = added + replaced + unchanged + communities + Σ skipped + Σ rejected`.
 */
export interface ImportReport {
  /** Objects that should be records, in this run: after a resume, those behind the resume point. */
  readonly read: number;
  /** Ids that were not in the index. */
  readonly added: number;
  /** Ids whose record is now another. */
  readonly replaced: number;
  /** Copies that rank no higher than what the index has. */
  readonly unchanged: number;
  /** By reason (SKIPS). */
  readonly skipped: Tally<Skip>;
  /** By reason (REJECTIONS). */
  readonly rejected: Tally<Rejection>;
  /** Rows that describe a community: they go into the catalogue. */
  readonly communities: number;
  /** Records with a text over 1 MiB, cut there. */
  readonly cut: number;
  readonly seconds: number;
  readonly records_per_second: number;
  /** Path of the file that lists the rejected lines; null where none was rejected. */
  readonly rejects_file: string | null;
  readonly sources: readonly SourceReport[];
}

export interface SourceReport {
  readonly name: string;
  readonly read: number;
  /**
   * `whole`: read to its end; `broken`: it ends early or is damaged, what was readable is in; `stopped`: by the user;
   * `passed_over`: a file in a folder that is nothing an import reads.
   */
  readonly state: 'whole' | 'broken' | 'stopped' | 'passed_over';
  /** Lines (values, rows) in front of this that an earlier run had taken in; 0: from the start. */
  readonly resumed_behind_line: number;
  /** One line each. */
  readonly notes: readonly string[];
}

/** True where every source was read to its end, or was none. */
export function isComplete(report: ImportReport): boolean {
  return report.sources.every(({ state }) => state === 'whole' || state === 'passed_over');
}

const NUMBERS = ['read', 'added', 'replaced', 'unchanged', 'communities', 'cut'] as const;

/** Counts that grow while an import runs. */
export class Counts {
  read = 0;
  added = 0;
  replaced = 0;
  unchanged = 0;
  communities = 0;
  cut = 0;
  readonly skipped: Tally<Skip> = {};
  readonly rejected: Tally<Rejection> = {};

  /** Adds what is there of the numbers. */
  add(other: Partial<Counts>): void {
    for (const name of NUMBERS) this[name] += other[name] ?? 0;
    addTally(this.skipped, other.skipped ?? {});
    addTally(this.rejected, other.rejected ?? {});
  }
}

/** The report for people, several lines. */
export function reportTable(report: ImportReport): string {
  const rows: [label: string, n: number, note?: string][] = [
    ['read', report.read, `${number(report.records_per_second)} a second, ${report.seconds} s`],
    ['added', report.added],
    ['replaced', report.replaced],
    ['unchanged', report.unchanged],
  ];
  if (report.communities > 0) rows.push(['communities', report.communities]);
  for (const [reason, n] of Object.entries(report.skipped)) rows.push(['skipped', n, SKIPS[reason as Skip]]);
  for (const [reason, n] of Object.entries(report.rejected)) {
    rows.push(['rejected', n, `${reason}: ${REJECTIONS[reason as Rejection]}`]);
  }
  if (report.cut > 0) rows.push(['cut', report.cut, 'texts over 1 MiB']);
  const width = Math.max(...rows.map(([, n]) => number(n).length));
  const lines = rows.map(([label, n, note]) =>
    `${label.padEnd(12)}${number(n).padStart(width)}${note === undefined ? '' : `  ${note}`}`.trimEnd(),
  );
  if (report.rejects_file !== null && totalOf(report.rejected) > 0) {
    lines.push(`The rejected lines are listed in ${report.rejects_file}`);
  }
  for (const source of report.sources) {
    for (const note of source.notes) lines.push(`${source.name}: ${note}`);
  }
  return `${lines.join('\n')}\n`;
}

function number(n: number): string {
  return n.toLocaleString('en');
}
