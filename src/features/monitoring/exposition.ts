// Metrics as Prometheus reads them (https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4).
//
// Metrics from slow sources: a reader waits up to PATIENCE_MS, then gets the last known values.
//
// Counters and histograms with labels.

import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../../log.ts';
import type { Family, FamilySource, Labels, Sample } from '../../metrics/families.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Keeps the order; omits families without samples. */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        (sample) => `${name}${sample.suffix ?? ''}${inBraces(sample.labels)} ${numeral(sample.value)}\n`,
      );
      return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

function inBraces(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numeral(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

const PATIENCE_MS = 1000;

/** Empty until `source` has answered once. Errors are logged. */
export function lastKnown(source: FamilySource, patienceMs = PATIENCE_MS): FamilySource {
  let known: readonly Family[] = [];
  let underWay: Promise<void> | null = null;
  const ask = async () => {
    try {
      known = await source();
    } catch (error) {
      log.error({ err: error }, 'figures for the metrics cannot be had');
    }
  };
  return async () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    const patience = new AbortController();
    const tired = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([underWay, tired]);
    patience.abort();
    return known;
  };
}

/** `of`: one value without labels, or samples. */
export function gauge(name: string, help: string, of: number | readonly Sample[]): Family {
  return { name, help, type: 'gauge', samples: typeof of === 'number' ? [{ value: of }] : of };
}

export class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #labelNames: readonly string[];
  readonly #counts = new Map<string, { readonly labels: Labels; count: number }>();

  constructor(name: string, help: string, labelNames: readonly string[] = []) {
    this.#name = name;
    this.#help = help;
    this.#labelNames = labelNames;
  }

  /** `values` in the order of the label names. */
  add(by: number, ...values: readonly string[]): void {
    const key = values.join('\n');
    const known = this.#counts.get(key);
    if (known !== undefined) known.count += by;
    else this.#counts.set(key, { labels: labelled(this.#labelNames, values), count: by });
  }

  /** A counter without labels starts with a sample of 0. */
  family(): Family {
    const counts = [...this.#counts.values()];
    const none = this.#labelNames.length === 0 && counts.length === 0 ? [{ value: 0 }] : [];
    const samples = [...none, ...counts.map(({ labels, count }) => ({ labels, value: count }))];
    return { name: this.#name, help: this.#help, type: 'counter', samples };
  }
}

interface Spread {
  readonly labels: Labels;
  /** Values per bucket, not cumulative; the last bucket is above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** Counts values at or below each bound, for each set of labels. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #spreads = new Map<string, Spread>();

  /** `bounds` in ascending order. */
  constructor(name: string, help: string, bounds: readonly number[], labelNames: readonly string[] = []) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
    this.#labelNames = labelNames;
  }

  observe(value: number, ...values: readonly string[]): void {
    const key = values.join('\n');
    let spread = this.#spreads.get(key);
    if (spread === undefined) {
      const counts = new Array<number>(this.#bounds.length + 1).fill(0);
      spread = { labels: labelled(this.#labelNames, values), counts, sum: 0 };
      this.#spreads.set(key, spread);
    }
    const place = this.#bounds.findIndex((bound) => value <= bound);
    spread.counts[place === -1 ? this.#bounds.length : place]! += 1;
    spread.sum += value;
  }

  family(): Family {
    const samples = [...this.#spreads.values()].flatMap((spread) => this.#samples(spread));
    return { name: this.#name, help: this.#help, type: 'histogram', samples };
  }

  #samples({ labels, counts, sum }: Spread): Sample[] {
    let below = 0;
    const buckets = counts.map((count, place) => {
      below += count;
      const le = place === this.#bounds.length ? '+Inf' : String(this.#bounds[place]);
      return { suffix: '_bucket', labels: { ...labels, le }, value: below };
    });
    return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: below }];
  }
}

function labelled(names: readonly string[], values: readonly string[]): Labels {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
}
