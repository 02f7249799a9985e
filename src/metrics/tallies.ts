// What is counted as it happens: counters and histograms, each by a few labels.

import type { Family, Labels, Sample } from './families.ts';

/** A number that only rises, for each set of labels that was met. */
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

  /** `values` in the order of the names of the labels. */
  add(by: number, ...values: readonly string[]): void {
    const key = values.join('\n');
    const known = this.#counts.get(key);
    if (known !== undefined) known.count += by;
    else this.#counts.set(key, { labels: labelled(this.#labelNames, values), count: by });
  }

  /** Without labels, 0 until something was counted. */
  family(): Family {
    const counts = [...this.#counts.values()];
    const none = this.#labelNames.length === 0 && counts.length === 0 ? [{ value: 0 }] : [];
    const samples = [...none, ...counts.map(({ labels, count }) => ({ labels, value: count }))];
    return { name: this.#name, help: this.#help, type: 'counter', samples };
  }
}

interface Spread {
  readonly labels: Labels;
  /** How many fell into each bucket and into none below it; the last is behind all bounds. */
  readonly counts: number[];
  sum: number;
}

/** How often values lay at or below each of some bounds, for each set of labels that was met. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #spreads = new Map<string, Spread>();

  /** `bounds` rise. */
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
