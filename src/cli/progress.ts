// How far long work has got, on standard error: a bar on a terminal, otherwise a plain line now and then.

import { Presets, SingleBar } from 'cli-progress';
import { HOUR } from '../model/time.ts';

export const LINE_EVERY_MS = 10_000;

/** Writes nothing until there is something to report. */
export class ProgressBar {
  readonly #started = performance.now();
  /** How much was done when first shown: work of an earlier run says nothing about the rate of this one. */
  #first: Point | null = null;
  readonly #bar: SingleBar | null;
  #isShown = false;
  #isOver = false;
  #lastLine = performance.now();

  /**
   * `format` is one of cli-progress: `{bar}`, `{percentage}` and the names of the words. `signals` says who
   * ends the bar on Ctrl-C: the bar itself, or the command with `endWith`; anything the command writes before
   * that would be drawn over.
   */
  constructor(format: string, signals: 'here' | 'by command' = 'here') {
    this.#bar = process.stderr.isTTY
      ? new SingleBar(
          {
            format,
            stream: process.stderr,
            hideCursor: true,
            fps: 5,
            clearOnComplete: true,
            gracefulExit: signals === 'here',
          },
          Presets.shades_classic,
        )
      : null;
  }

  /** Since this was made; never 0. */
  get seconds(): number {
    return Math.max((performance.now() - this.#started) / 1000, 0.001);
  }

  /** Seconds until all is done, at the rate since the first call; null if unknown. */
  secondsLeft(done: number, total: number | null): number | null {
    const now = { done, seconds: this.seconds };
    this.#first ??= now;
    return secondsLeft(this.#first, now, total);
  }

  /** In words: how many a second since the first call, and the time left. */
  pace(done: number, total: number | null): { readonly rate: string; readonly left: string } {
    const left = duration(this.secondsLeft(done, total));
    const rate = Math.round((done - this.#first!.done) / this.seconds);
    return { rate: rate.toLocaleString('en'), left };
  }

  /** Writes a last line; nothing is drawn below it. */
  endWith(line: string): void {
    this[Symbol.dispose]();
    this.#isOver = true;
    process.stderr.write(`${line}\n`);
  }

  /** `total` null: the total is not known, and only `line` is shown. */
  show(done: number, total: number | null, words: Readonly<Record<string, string>>, line: string): void {
    if (this.#isOver) return;
    if (this.#bar !== null && total !== null) {
      if (!this.#isShown) this.#bar.start(total, 0, words);
      this.#isShown = true;
      this.#bar.update(done, words);
      return;
    }
    const now = performance.now();
    if (now - this.#lastLine < LINE_EVERY_MS) return;
    this.#lastLine = now;
    process.stderr.write(`${line}\n`);
  }

  [Symbol.dispose](): void {
    if (this.#isShown) this.#bar?.stop();
    this.#isShown = false;
  }
}

interface Point {
  readonly done: number;
  readonly seconds: number;
}

/** At the rate between the two; null if nothing was done in between, or the total is not known. */
export function secondsLeft(first: Point, now: Point, total: number | null): number | null {
  const done = now.done - first.done;
  if (now.done === total) return 0;
  return total === null || done <= 0 ? null : ((now.seconds - first.seconds) / done) * (total - now.done);
}

/** `45s`, `12m05s`, `3h20m`; `?` if unknown. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '?';
  const whole = Math.ceil(seconds);
  const two = (n: number) => String(n).padStart(2, '0');
  if (whole < 60) return `${whole}s`;
  if (whole < HOUR) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / HOUR)}h${two(Math.floor((whole % HOUR) / 60))}m`;
}

/** `0.3 MB`, `812.0 MB`, `12.34 GB`, in units of 10^6 and 10^9 bytes. */
export function gigabytes(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
