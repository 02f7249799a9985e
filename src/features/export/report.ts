// Progress and final report of an export.

import { duration, gigabytes, ProgressBar } from '../../cli/progress.ts';
import type { ExportPlan } from './export-service.ts';
import type { FileProgress, FileReport } from './file/file-export.ts';

const BAR = '{bar} {percentage}% | {records}, {rate} a second | {left} left';

export function exportBar(): ProgressBar {
  return new ProgressBar(BAR, 'by command');
}

export function showProgress(
  bar: ProgressBar,
  { done, total, isCompared = false }: Partial<FileProgress> & Pick<FileProgress, 'done' | 'total'>,
  step = '',
): void {
  const { rate, left } = bar.pace(done, total);
  const share = Math.floor((100 * done) / Math.max(total, 1));
  const what = isCompared ? ' compared with the part' : '';
  const records = `${step}${done.toLocaleString('en')} of ${total.toLocaleString('en')}${what}`;
  const line = `${share} %, ${left} left, ${records}, ${rate} a second`;
  bar.show(done, total, { records, rate, left }, line);
}

const LEAST_IN_MEGABYTES = 100_000;

export interface ExportReport extends FileReport {
  readonly plan: ExportPlan;
  /** null: standard output. */
  readonly file: string | null;
  readonly seconds: number;
  /** Of the given ids: how many were not found, and the first of them; null: a query was given. */
  readonly missing: { readonly count: number; readonly ids: readonly string[] } | null;
}

const MAX_SHOWN_MISSING = 20;

/** Whether it has every match, except those known to be removed meanwhile. */
export function isComplete({ count, withheld, total }: ExportReport): boolean {
  return count + withheld === total;
}

export function asJson({ plan, file, seconds, missing, ...report }: ExportReport) {
  const { wish, query, under, fields } = plan;
  const { kind, order, format, compress, sample, names } = wish;
  const { matches, total, count, withheld, bytes, sha256, cutCells, resumedBehind, index } = report;
  return {
    ...{ kind, query, under, order_by: order, format, compress, fields, file },
    ...(sample === undefined ? {} : { sample: sample.size, seed: sample.seed }),
    ...(missing === null ? {} : { ids: names!.length, missing: missing.count, missing_ids: missing.ids }),
    ...{ matches, total, count, withheld, cut_cells: cutCells, resumed_behind: resumedBehind },
    ...(wish.since === undefined ? {} : { since: wish.since }),
    ...{ bytes, sha256, seconds: Number(seconds.toFixed(3)), index, arrival: report.arrival ?? null },
  };
}

/** Lines for people. The digest is in the format of `sha256sum --check`. */
export function asLines(report: ExportReport): string {
  const { plan, file, total, count, withheld, cutCells, bytes, sha256, index, resumedBehind } = report;
  const isWhole = isComplete(report);
  const number = (n: number) => n.toLocaleString('en');
  const records = (n: number) => `${number(n)} ${plan.wish.kind}${n === 1 ? '' : 's'}`;
  const written = count === total ? records(count) : `${number(count)} of ${records(total)}`;
  if (report.wasThere && isWhole)
    return `\`${file}\` is complete already, by the same command: ${written}; \`--restart\` writes it again\n`;
  const lines = [
    `${written}, ${size(bytes)}, ${duration(report.seconds)}`,
    ...(resumedBehind === 0 ? [] : [`${number(resumedBehind)} of them were there from earlier runs`]),
    ...(withheld === 0 ? [] : [`${number(withheld)} were removed while the export ran, and left out`]),
    ...(cutCells === 0 ? [] : [`${number(cutCells)} cells were cut, because a cell holds 32,767 characters`]),
    ...missingLines(report),
    ...(isWhole ? [] : ['not every match is in it: run `check`, then export again']),
    file === null ? `SHA-256 ${sha256}` : `SHA256 (${file}) = ${sha256}`,
    ...(index === null ? [] : [`from the index ${index.fingerprint} of ${records(index.records)}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function missingLines({ plan, missing }: ExportReport): string[] {
  if (missing === null || missing.count === 0) return [];
  const given = plan.wish.names!.length.toLocaleString('en');
  const listed = missing.ids.slice(0, MAX_SHOWN_MISSING);
  const more = missing.count > listed.length ? ', …' : '';
  return [`${missing.count.toLocaleString('en')} of ${given} ids are not here: ${listed.join(', ')}${more}`];
}

/** In bytes if megabytes with one digit would say little. */
function size(bytes: number): string {
  const exact = `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return bytes < LEAST_IN_MEGABYTES ? exact : `${gigabytes(bytes)} (${exact})`;
}
