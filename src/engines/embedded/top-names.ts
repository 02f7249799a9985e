// The rows of a breakdown: of many names and their counts, those with the highest.

import type { Breakdown } from '../../model/engine.ts';
import type { NameTable } from './name-table.ts';

/** The names with the highest counts: count down, then name by code unit. */
export class TopNames {
  readonly #size: number;
  readonly #table: NameTable;
  #candidates: { readonly number: number; readonly count: number }[] = [];
  /** Lower counts are in no row. */
  #least = 1;
  #distinct = 0;

  constructor(size: number, table: NameTable) {
    this.#size = size;
    this.#table = table;
  }

  /** Each name once, its count above 0. */
  add(number: number, count: number): void {
    this.#distinct++;
    if (count < this.#least) return;
    this.#candidates.push({ number, count });
    if (this.#candidates.length >= this.#size * 2 + 64) this.#dropRest();
  }

  finish(): Omit<Breakdown, 'field'> {
    this.#dropRest();
    const rows = this.#candidates.map(({ number, count }) => ({ name: this.#table.name(number), count }));
    return { rows, distinct: this.#distinct };
  }

  #dropRest(): void {
    const name = (number: number) => this.#table.name(number);
    const sorted = this.#candidates.sort(
      (a, b) => b.count - a.count || (name(a.number) < name(b.number) ? -1 : 1),
    );
    this.#candidates = sorted.slice(0, this.#size);
    if (this.#candidates.length === this.#size) this.#least = this.#candidates.at(-1)?.count ?? Infinity;
  }
}
