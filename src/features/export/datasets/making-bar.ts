// Makes an edition of a data set from the command line: its progress, and the summary at its end.

import type { App } from '../../../app.ts';
import { onStopSignal } from '../../../cli/command-line.ts';
import { duration, gigabytes, ProgressBar } from '../../../cli/progress.ts';
import { counted } from '../../../http/views/format.ts';
import type { Edition } from './edition.ts';
import { DatasetMaker, type MakingProgress } from './maker.ts';

/** null: it was stopped, and said so. */
export async function makeEdition(app: App, name: string): Promise<Edition | null> {
  const stop = new AbortController();
  using _signals = onStopSignal(() => stop.abort());
  using progress = new MakingBar();
  try {
    return await new DatasetMaker(app).make(name, {
      signal: stop.signal,
      onProgress: (now) => progress.show(now),
    });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    progress.endWith('stopped: what was read so far is kept, and the same command continues from there');
    return null;
  }
}

export function editionWords({ tables, files }: Edition): string {
  const records = tables.map(({ kind, records: n }) => counted(n, kind));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return `${records.join(' and ')} in ${counted(files.length, 'file')}, ${gigabytes(bytes)}`;
}

const FORMAT = '{bar} {percentage}% | {words}, {rate} a second | {left} left';

/** One bar for each step and kind: reading the index, then writing the files. */
class MakingBar implements Disposable {
  #bar: ProgressBar | null = null;
  #step = '';
  #first = 0;

  show({ step, kind, done, total }: MakingProgress): void {
    if (this.#step !== `${step} ${kind}`) {
      this.#bar?.[Symbol.dispose]();
      this.#bar = new ProgressBar(FORMAT, 'by command');
      this.#step = `${step} ${kind}`;
      this.#first = done;
    }
    const bar = this.#bar!;
    const rate = Math.round((done - this.#first) / bar.seconds).toLocaleString('en');
    const left = duration(bar.secondsLeft(done, total));
    const words = `${step} ${kind}s: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
    bar.show(done, total, { words, rate, left }, `${words}, ${rate} a second, ${left} left`);
  }

  endWith(line: string): void {
    (this.#bar ?? new ProgressBar(FORMAT, 'by command')).endWith(line);
  }

  [Symbol.dispose](): void {
    this.#bar?.[Symbol.dispose]();
  }
}
