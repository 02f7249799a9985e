// Progress of an import on standard error: a bar on a terminal, else a plain line now and then.

import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from '../ingest/importer.ts';

const LINE_EVERY_MS = 10_000;
const FORMAT = '{bar} {percentage}% | {records} records{removed}, {rate} a second | {left} left | {source}';

/** Writes nothing until there is something to tell. */
export class ImportProgress {
  readonly #started = performance.now();
  readonly #bar: SingleBar | null;
  #isBarShown = false;
  #lastLine = performance.now();

  constructor() {
    this.#bar = process.stderr.isTTY
      ? new SingleBar(
          { format: FORMAT, stream: process.stderr, hideCursor: true, fps: 5, clearOnComplete: true },
          Presets.shades_classic,
        )
      : null;
  }

  show(progress: Progress): void {
    const words = this.#words(progress);
    if (this.#bar !== null && progress.totalBytes !== null) {
      if (!this.#isBarShown) this.#bar.start(progress.totalBytes, 0, words);
      this.#isBarShown = true;
      this.#bar.update(progress.bytes, words);
      return;
    }
    const now = performance.now();
    if (now - this.#lastLine < LINE_EVERY_MS) return;
    this.#lastLine = now;
    const share =
      progress.totalBytes === null
        ? ''
        : `${Math.floor((100 * progress.bytes) / Math.max(progress.totalBytes, 1))} %, ${words.left} left, `;
    process.stderr.write(
      `${share}${words.records} records${words.removed}, ${words.rate} a second, ${words.source}\n`,
    );
  }

  [Symbol.dispose](): void {
    if (this.#isBarShown) this.#bar?.stop();
    this.#isBarShown = false;
  }

  #words({
    source,
    read,
    removed,
    bytes,
    totalBytes,
  }: Progress): Record<'source' | 'records' | 'removed' | 'rate' | 'left', string> {
    const seconds = Math.max((performance.now() - this.#started) / 1000, 0.001);
    const rest = totalBytes === null || bytes === 0 ? null : (seconds / bytes) * (totalBytes - bytes);
    return {
      source,
      records: read.toLocaleString('en'),
      removed: removed === 0 ? '' : ` (${removed.toLocaleString('en')} removed before)`,
      rate: Math.round(read / seconds).toLocaleString('en'),
      left: rest === null ? '?' : duration(rest),
    };
  }
}

/** `45s`, `12m05s`, `3h20m`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (n: number) => String(n).padStart(2, '0');
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`;
}
