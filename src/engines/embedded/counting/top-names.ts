// The rows of a breakdown: of many names and their counts, those with the highest.

import type { BreakdownRequest } from '../../../model/engine.ts';
import type { NameTable } from '../index/name-table.ts';

/** By number of the name. */
export interface TopFound {
  readonly rows: readonly { readonly number: number; readonly count: number }[];
  /** null: not asked for. */
  readonly distinct: number | null;
}

interface Row {
  readonly number: number;
  readonly count: number;
}

/** The names with the highest counts: count down, then name by code unit. */
export class TopNames {
  /** Rows that are wanted and those passed over before them. */
  readonly #size: number;
  readonly #skip: number;
  readonly #prefix: string;
  readonly #table: Pick<NameTable, 'name' | 'begins'>;
  /** null: not asked for. */
  #distinct: number | null;
  /** The highest so far: in their order once there are as many as are wanted. */
  readonly #rows: Row[] = [];
  /** Lower counts are in no row. */
  #least: number;

  constructor(
    { size, skip = 0, prefix = '', distinct = false }: BreakdownRequest,
    table: Pick<NameTable, 'name' | 'begins'>,
  ) {
    this.#size = size + skip;
    this.#skip = skip;
    this.#prefix = prefix;
    this.#table = table;
    this.#distinct = distinct ? 0 : null;
    this.#least = this.#size === 0 ? Infinity : 1;
  }

  /** All names, each by its number; 0: no match has it. */
  addAll(counts: Uint32Array): void {
    let least = this.#least;
    let distinct = 0;
    const isAnyMeant = this.#prefix === '';
    // Hot: most names are in no row, and need only be counted, without a branch that could not be foreseen.
    for (let number = 0; number < counts.length; number++) {
      const count = counts[number]!;
      if (isAnyMeant) distinct += -count >>> 31;
      else if (count === 0 || !this.#isMeant(number)) continue;
      else distinct++;
      if (count >= least) least = this.#offer(number, count);
    }
    if (this.#distinct !== null) this.#distinct += distinct;
  }

  /** The same of names that have a count, each once. */
  addSome(counts: Uint32Array, numbers: Uint32Array): void {
    let least = this.#least;
    let distinct = 0;
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!;
      if (this.#prefix !== '' && !this.#isMeant(number)) continue;
      distinct++;
      if (counts[number]! >= least) least = this.#offer(number, counts[number]!);
    }
    if (this.#distinct !== null) this.#distinct += distinct;
  }

  finish(): TopFound {
    if (this.#rows.length < this.#size) this.#sort();
    return { rows: this.#rows.slice(this.#skip), distinct: this.#distinct };
  }

  #isMeant(number: number): boolean {
    return this.#table.begins(number, this.#prefix);
  }

  /** A count that is not below the least; returns what that is now. */
  #offer(number: number, count: number): number {
    const rows = this.#rows;
    const row: Row = { number, count };
    if (rows.length < this.#size) {
      rows.push(row);
      if (rows.length < this.#size) return this.#least;
      this.#sort();
    } else {
      if (this.#compare(row, rows[rows.length - 1]!) > 0) return this.#least;
      rows.pop();
      let [low, high] = [0, rows.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#compare(row, rows[middle]!) > 0) low = middle + 1;
        else high = middle;
      }
      rows.splice(low, 0, row);
    }
    this.#least = rows[rows.length - 1]!.count;
    return this.#least;
  }

  #sort(): void {
    this.#rows.sort((a, b) => this.#compare(a, b));
  }

  #compare(a: Row, b: Row): number {
    return b.count - a.count || (this.#table.name(a.number) < this.#table.name(b.number) ? -1 : 1);
  }
}
