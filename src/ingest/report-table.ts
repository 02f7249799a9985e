// The report of an import for people.

import { REJECTIONS, type Rejection, SKIPS, type Skip, totalOf } from './normalise/reasons.ts';
import { noteLines } from './note-lines.ts';
import type { ImportReport } from './report.ts';

/** States of sources that are counted, and what they mean. */
const UNREAD = {
  passed_over: 'files that are nothing an import reads',
  refused: 'sources that are nothing an import reads',
  unreadable: 'files or folders that may not be read',
} as const;

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
  if (report.cut > 0) rows.push(['cut', report.cut, 'texts over 1 MiB, or domains over 255 characters']);
  for (const [state, meaning] of Object.entries(UNREAD)) {
    const n = report.sources.filter((source) => source.state === state).length;
    if (n > 0) rows.push([state.replace('_', ' '), n, meaning]);
  }
  const width = Math.max(...rows.map(([, n]) => number(n).length));
  const lines = rows.map(([label, n, note]) =>
    `${label.padEnd(12)}${number(n).padStart(width)}${note === undefined ? '' : `  ${note}`}`.trimEnd(),
  );
  if (report.rejects_file !== null && totalOf(report.rejected) > 0) {
    lines.push(`The rejected lines are listed in ${report.rejects_file}`);
  }
  return `${[...lines, ...noteLines(report.sources)].join('\n')}\n`;
}

function number(n: number): string {
  return n.toLocaleString('en');
}
