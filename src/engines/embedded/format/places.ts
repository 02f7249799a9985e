// Places: what a record says of its community, as a number inside its segment, so that a column of 16 bits holds it.
// A place is a community by name, the id that the record gives it, and (posts) whether the record is adult.

import type { StoredRecord } from '../../../model/record.ts';

export interface Place {
  readonly community: string;
  readonly communityId: string;
  readonly adult: boolean | null;
}

/** Gives numbers to values in the order of their first coming. */
export class Numbering<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<string, number>();

  /** `key` says when two values are the same. */
  number(key: string, value: T): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.values.length;
      this.values.push(value);
      this.#numbers.set(key, number);
    }
    return number;
  }
}

export function placeOf(record: StoredRecord): Place {
  const { community, communityId } = record;
  return { community, communityId, adult: record.kind === 'post' ? record.adult : null };
}

export function placeKey({ community, communityId, adult }: Place): string {
  return `${community}\0${communityId}\0${adult}`;
}

/** As JSON: an array of three a place. */
export function encodePlaces(places: readonly Place[]): Uint8Array {
  return Buffer.from(
    JSON.stringify(places.map(({ community, communityId, adult }) => [community, communityId, adult])),
  );
}

export function decodePlaces(bytes: Uint8Array): Place[] {
  const rows = JSON.parse(Buffer.from(bytes).toString()) as [string, string, boolean | null][];
  return rows.map(([community, communityId, adult]) => ({ community, communityId, adult }));
}
