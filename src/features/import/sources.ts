// What an import and a filter share: `--where QUERY`, the progress in bytes of the sources, workers, standard input.

import type { Readable } from 'node:stream';
import { duration, ProgressBar } from '../../cli/progress.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { BrokenSource } from '../../ingest/containers/byte-source.ts';
import type { Progress } from '../../ingest/importer.ts';
import { emptySources, type ImportReport, isComplete } from '../../ingest/report.ts';
import type { Where } from '../../ingest/selection/selection.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';

const DAMAGED_SOURCE =
  'A source is damaged or incomplete, or has changed. Texts of it are missing: the report says what to do.\n';
const UNREADABLE_SOURCE =
  'You have no right to read some files or folders. Change their mode and run the command again.\n';

/** Says on standard error which sources gave nothing: that nothing could be `what`. */
export function tellEmpty(report: Pick<ImportReport, 'sources'>, what: 'imported' | 'read'): void {
  for (const { source, why } of emptySources(report))
    process.stderr.write(`colloquy: \`${source}\`: nothing could be ${what}: ${why}\n`);
}

/** What is wrong with sources that were not read to their ends; null: nothing. */
export function faultOf({ sources }: Pick<ImportReport, 'sources'>): string | null {
  const states = new Set(sources.map(({ state }) => state));
  if (states.has('broken')) return DAMAGED_SOURCE;
  return states.has('unreadable') ? UNREADABLE_SOURCE : null;
}

/** Prints the query as understood on standard error. Throws a UsageError with the position of a mistake. */
export function readWhere(text: string): Where {
  const { query, echo } = interpreted(text);
  if (query.items.length === 0) throw new UsageError('expected a query after `--where`, found none');
  process.stderr.write(`query: ${echo}\n`);
  return { query, text: echo };
}

function interpreted(text: string): ReturnType<typeof interpretWithoutWindow> {
  try {
    return interpretWithoutWindow(text);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.position === undefined) throw error;
    const place = `\`--where\`, at character ${error.position.offset + 1}`;
    throw new UsageError(`${place}: ${error.message}`, { cause: error });
  }
}

/** 0: done; 1: stopped, damaged or partly unreadable; 2: a source gave no records. */
export function importExitCode(report: Pick<ImportReport, 'sources'>, isStopped: boolean): number {
  if (isStopped) return 1;
  if (emptySources(report).length > 0) return 2;
  return isComplete(report) ? 0 : 1;
}

/** More workers would only wait for the index. Each takes some 100 MB. */
const MAX_WORKERS = 3;

/** Leaves one processor to the index. */
export function workerCount(processors: number): number {
  return Math.max(1, Math.min(processors - 1, MAX_WORKERS));
}

/** Stops at the signal, even while no data arrives. */
export async function* untilStopped(input: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const stop = () => input.destroy(new BrokenSource('stopped'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* input;
  } finally {
    signal.removeEventListener('abort', stop);
    input.destroy();
  }
}

export interface SourceFlags {
  readonly kind?: 'posts' | 'comments';
  readonly community?: string;
  readonly column?: ReadonlyMap<string, string>;
  readonly restart?: boolean;
  readonly json?: boolean;
}

const FORMAT = '{bar} {percentage}% | {counts}, {rate} a second | {left} left | {source}';

export type SourcesRead = Omit<Progress, 'removed' | 'passedOver'>;

export function sourceBar(): ProgressBar {
  return new ProgressBar(FORMAT, 'by command');
}

export function showSources(bar: ProgressBar, now: SourcesRead, counts: string): void {
  const { source, read, bytes, totalBytes } = now;
  const rate = Math.round(read / bar.seconds).toLocaleString('en');
  const left = duration(bar.secondsLeft(bytes, totalBytes));
  const share =
    totalBytes === null ? '' : `${Math.floor((100 * bytes) / Math.max(totalBytes, 1))} %, ${left} left, `;
  const line = `${share}${counts}, ${rate} a second, ${source}`;
  bar.show(bytes, totalBytes, { source, counts, rate, left }, line);
}
