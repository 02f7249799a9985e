// `--where QUERY`: which records of a source are wanted.
//
// Progress of an import or a filter, in bytes of its sources.

import { ServiceError, UsageError } from '../errors.ts';
import type { Where } from '../ingest/selection/selection.ts';
import { interpretWithoutWindow } from '../search/language/interpret.ts';
import { duration, ProgressBar } from './progress.ts';

/**
 * The query, told on standard error as it was understood. Throws a UsageError that says where it is wrong.
 */
export function readWhere(text: string): Where {
  const { query, echo } = interpreted(text);
  if (query.items.length === 0) {
    throw new UsageError('expected a query after `--where`, found none');
  }
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

const FORMAT = '{bar} {percentage}% | {counts}, {rate} a second | {left} left | {source}';

interface SourcesRead {
  readonly source: string;
  /** Records, of all sources so far. */
  readonly read: number;
  readonly bytes: number;
  /** null: not known. */
  readonly totalBytes: number | null;
}

export class SourceProgress {
  readonly #bar = new ProgressBar(FORMAT, 'by command');

  /** `counts`: what has been read so far, in words. */
  show({ source, read, bytes, totalBytes }: SourcesRead, counts: string): void {
    const rate = Math.round(read / this.#bar.seconds).toLocaleString('en');
    const left = duration(this.#bar.secondsLeft(bytes, totalBytes));
    const share =
      totalBytes === null ? '' : `${Math.floor((100 * bytes) / Math.max(totalBytes, 1))} %, ${left} left, `;
    const line = `${share}${counts}, ${rate} a second, ${source}`;
    this.#bar.show(bytes, totalBytes, { source, counts, rate, left }, line);
  }

  /** Writes a line under which nothing is drawn any more. */
  endWith(line: string): void {
    this.#bar.endWith(line);
  }

  [Symbol.dispose](): void {
    this.#bar[Symbol.dispose]();
  }
}
