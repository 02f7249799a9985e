// The rows of a breakdown: of many names and their counts, those with the highest.

import { type BreakdownRequest, beginsWith } from '../../../model/engine.ts';
import type { NameTable } from '../index/name-table.ts';

/** By number of the name. */
export interface TopFound {
  readonly rows: readonly { readonly number: number; readonly count: number }[];
  /** null: not asked for. */
  readonly distinct: number | null;
}

/** This many more than twice the rows are kept before the lowest are dropped. */
const SPARE = 24;

/** The names with the highest counts: count down, then name by code unit. */
export class TopNames {
  /** Rows that are wanted and those passed over before them. */
  readonly #size: number;
  readonly #skip: number;
  readonly #prefix: string;
  readonly #table: NameTable;
  /** null: not asked for. */
  #distinct: number | null;
  #candidates: { readonly number: number; readonly count: number }[] = [];
  /** Lower counts are in no row, and of those equal to it none whose name is not below that one. */
  #least = 1;
  #bound: string | null = null;

  constructor({ size, skip = 0, prefix = '', distinct = false }: BreakdownRequest, table: NameTable) {
    this.#size = size + skip;
    this.#skip = skip;
    this.#prefix = prefix;
    this.#table = table;
    this.#distinct = distinct ? 0 : null;
  }

  /** Each name once, its count above 0. */
  add(number: number, count: number): void {
    // A count needs no look at its name where it can be in no row, and names are not counted.
    if (count < this.#least && this.#distinct === null) return;
    if (this.#prefix !== '' && !beginsWith(this.#table.name(number), this.#prefix)) return;
    if (this.#distinct !== null) this.#distinct++;
    if (count < this.#least) return;
    if (count === this.#least && this.#bound !== null && this.#table.name(number) >= this.#bound) return;
    this.#candidates.push({ number, count });
    if (this.#candidates.length >= this.#size * 2 + SPARE) this.#dropRest();
  }

  finish(): TopFound {
    this.#dropRest();
    return { rows: this.#candidates.slice(this.#skip), distinct: this.#distinct };
  }

  #dropRest(): void {
    const name = (number: number) => this.#table.name(number);
    const sorted = this.#candidates.sort(
      (a, b) => b.count - a.count || (name(a.number) < name(b.number) ? -1 : 1),
    );
    this.#candidates = sorted.slice(0, this.#size);
    const last = this.#candidates.at(-1);
    if (this.#candidates.length < this.#size) return;
    this.#least = last?.count ?? Infinity;
    this.#bound = last === undefined ? null : name(last.number);
  }
}
