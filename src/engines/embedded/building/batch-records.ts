// The records of a batch on their way into segments: their packed bytes, which of them to write, in which order, and
// the numbers of their arrivals. A large batch is divided between two builders by id, so that all copies of an id go to
// the same one.

import type { Buffer } from 'node:buffer';
import { compareIds } from '../../../model/pages.ts';
import type { Kind, StoredRecord } from '../../../model/record.ts';
import { type ArrivalTime, UNCOUNTED } from '../../../model/time.ts';
import { ByteReader, ByteWriter } from '../../packing/bytes.ts';
import { createdAt, idPlace, readPacked, writePacked } from '../../packing/packed-records.ts';
import type { IdRange } from '../format/ids.ts';
import { KeyTable } from './keys.ts';
import { GrowingNumbers } from './postings.ts';

/** Packed records: where each begins in `bytes`. */
export interface PackedRecords {
  readonly bytes: Buffer;
  readonly places: Uint32Array;
  /** For each record, the number of the commit that brought it in; 0: the commit that adds it now. */
  readonly arrivals: Uint32Array;
}

export interface Lane {
  readonly which: number;
  readonly of: number;
}

export const ONLY_LANE: Lane = { which: 0, of: 1 };

/** With more records than this, a second and a position do not fit into 53 bits together. */
const MAX_BY_SECOND = 2 ** 21;

/** A lane is rarely longer than the average times this. */
const UNEVEN = 1.1;

export class BatchRecords {
  readonly #kind: Kind;
  readonly #bytes: ByteWriter;
  /** For each record, in the order given: where it begins, and the number of its id. */
  readonly #places = new GrowingNumbers();
  readonly #numbers = new GrowingNumbers();
  readonly #ids = new KeyTable();
  /** For each record of the lane, its number in the whole batch; none where no arrivals are given. */
  readonly #ordinals = new GrowingNumbers();
  /** Arrivals of all records of the batch; null: all arrive with it. */
  readonly #given: Uint32Array | null;
  #seen = 0;
  /** By number of an id: 1 + where the record to write begins; 0: none. */
  readonly #chosen: Uint32Array;
  /** By number of an id: the arrival of the record to write. */
  readonly #arrivals: Uint32Array;

  /**
   * `packs`: see engines/packing/packed-records.ts. `arrivals`: one number for each record; null: all arrive with the
   * batch. Throws an Error if a record is cut off.
   */
  constructor(kind: Kind, packs: readonly Uint8Array[], lane: Lane, arrivals: Uint32Array | null = null) {
    this.#kind = kind;
    this.#given = arrivals;
    const bytes = packs.reduce((sum, pack) => sum + pack.length, 0);
    this.#bytes = new ByteWriter(lane.of === 1 ? bytes : Math.ceil((bytes / lane.of) * UNEVEN));
    for (const pack of packs) this.#take(pack, lane);
    this.#chosen = new Uint32Array(this.#ids.pool.count);
    this.#arrivals = new Uint32Array(this.#ids.pool.count);
  }

  get count(): number {
    return this.#places.length;
  }

  get chosen(): number {
    return this.#chosen.reduce((sum, place) => sum + (place === 0 ? 0 : 1), 0);
  }

  idRange(): IdRange {
    return this.#ids.pool.idRange();
  }

  /** The number of the id of record `i`. */
  idNumber(i: number): number {
    return this.#numbers.numbers[i]!;
  }

  id(number: number): string {
    return this.#ids.pool.text(number);
  }

  record(i: number): StoredRecord {
    return this.#read(this.#places.numbers[i]!);
  }

  chosenRecord(number: number): StoredRecord | null {
    const place = this.#chosen[number]!;
    return place === 0 ? null : this.#read(place - 1);
  }

  /** The arrival of record `i` itself; 0: it arrives with the batch. */
  ownArrival(i: number): number {
    return this.#given === null ? 0 : this.#given[this.#ordinals.numbers[i]!]!;
  }

  /** The arrival of the record to write for this id; 0: it arrives with the batch. */
  chosenArrival(number: number): number {
    return this.#arrivals[number]!;
  }

  /** Chooses record `i` unchanged. `arrival`: its own, or that of the record it replaces, if it keeps that. */
  choose(i: number, arrival = 0): void {
    this.#choose(i, this.#places.numbers[i]!, arrival);
  }

  chooseOther(i: number, record: StoredRecord, arrival = 0): void {
    this.#choose(i, this.#bytes.length, arrival);
    writePacked(this.#bytes, record);
  }

  /** The records to write, in the order of `oldest`. */
  ordered(): PackedRecords {
    const arrivals = this.#arrivals.filter((_, number) => this.#chosen[number] !== 0);
    const places = this.#chosen.filter((place) => place !== 0).map((place) => place - 1);
    const bytes = this.#bytes.written();
    // Loops, since `from` asks an iterator for each number.
    const seconds = new Float64Array(places.length);
    for (let i = 0; i < places.length; i++) seconds[i] = createdAt(bytes, places[i]!);
    const order = new Uint32Array(places.length);
    for (let i = 0; i < order.length; i++) order[i] = i;
    // uncovered: a batch of more records than an import makes
    if (places.length > MAX_BY_SECOND) order.sort((a, b) => seconds[a]! - seconds[b]!);
    else {
      const keys = seconds.map((second, i) => second * MAX_BY_SECOND + i).sort();
      for (let i = 0; i < keys.length; i++) order[i] = keys[i]! % MAX_BY_SECOND;
    }
    const idAt = (i: number) => this.#idAt(places[i]!);
    for (let from = 0; from < order.length; ) {
      let to = from + 1;
      while (to < order.length && seconds[order[to]!] === seconds[order[from]!]) to++;
      if (to - from > 1) sortById(order.subarray(from, to), idAt);
      from = to;
    }
    return { bytes, places: order.map((i) => places[i]!), arrivals: order.map((i) => arrivals[i]!) };
  }

  #choose(i: number, place: number, arrival: number): void {
    const number = this.idNumber(i);
    this.#chosen[number] = 1 + place;
    this.#arrivals[number] = arrival;
  }

  /** Skips the records of other lanes. */
  #take(pack: Uint8Array, { which, of }: Lane): void {
    const reader = new ByteReader(pack);
    const base = this.#bytes.length;
    // A single builder copies all of it at once, which costs less than one copy for each record.
    if (of === 1) this.#bytes.raw(pack);
    // After a length that is cut off, `at` is NaN.
    while (reader.at < pack.length) {
      const from = reader.at;
      const { start, end, next } = idPlace(reader, this.#kind);
      reader.at = next;
      const ordinal = this.#seen++;
      if (reader.bytes[end - 1]! % of !== which) continue;
      if (next > pack.length) throw new Error('expected packed records, found one that breaks off');
      this.#places.push(of === 1 ? base + from : this.#bytes.length);
      if (this.#given !== null) this.#ordinals.push(ordinal);
      this.#numbers.push(this.#ids.number(reader.bytes, start, end));
      if (of > 1) this.#bytes.raw(reader.bytes, from, next);
    }
  }

  #read(place: number): StoredRecord {
    return readPacked(new ByteReader(this.#bytes.written(), place), this.#kind);
  }

  #idAt(place: number): string {
    const bytes = this.#bytes.written();
    const { start, end } = idPlace(new ByteReader(bytes, place), this.#kind);
    return bytes.toString('utf8', start, end);
  }
}

function sortById(order: Uint32Array, idAt: (i: number) => string): void {
  const ids = Array.from(order, (i) => ({ i, id: idAt(i) })).sort((a, b) => compareIds(a.id, b.id));
  for (let i = 0; i < order.length; i++) order[i] = ids[i]!.i;
}

export interface NewArrivals {
  /** Unix seconds of the numbers after `behind`, in order. */
  readonly times: readonly number[];
  /** The last number given so far. */
  readonly behind: number;
}

interface GivenArrivals extends NewArrivals {
  readonly numbers: Uint32Array;
}

export function givenArrivals(arrived: readonly ArrivalTime[], behind: number): GivenArrivals {
  const times = [...new Set(arrived.filter((time) => time !== null))].sort((a, b) => a - b);
  const numberOf = new Map(times.map((time, i) => [time, behind + 1 + i]));
  const numbers = Uint32Array.from(arrived, (time) => (time === null ? UNCOUNTED : numberOf.get(time)!));
  return { times, behind, numbers };
}
