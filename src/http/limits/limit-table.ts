// What limits remember of names, in a room that never grows: every step costs the same, however many names there are.
//
// A name is an account, a network, or both: attackers can make up as many as they like. Each belongs to one row of 32
// places, which a hash with a secret chooses, so that nobody can aim at the row of another:
//
//     row:    place 0   place 1   …   place 31
//     place:  two words of the hash, the time until which something counts, numbers of the limit
//
// A place may be given to another name when nothing counts there any more: to forget it then changes no answer. One at
// which something counts is never given away, so nobody can make us forget a name by filling the table. A name that
// finds all places of its row taken shares one of them, always the same, and what counts for one of the two counts for
// both: a name may then be refused early, but never gets more than its limit. It takes its share along when a place
// becomes free for it. Limits that must not be strict with strangers give such a name no place at all (`atEnd`).

import { hash, randomBytes } from 'node:crypto';

const PLACES_OF_ROW = 32;

/** Two words of a hash and a time. */
const BYTES_OF_PLACE = 16;

interface LimitTableSize {
  readonly places: number;
  readonly width: number;
}

interface Home {
  readonly row: number;
  /** Shared with the name if its row is full. */
  readonly standIn: number;
  readonly high: number;
  readonly low: number;
}

const NOWHERE: Home = { row: 0, standIn: 0, high: 0, low: 0 };

export class LimitTable {
  /** The most that the table takes, in bytes; it takes nothing before the first name. */
  readonly maxBytes: number;
  readonly #size: LimitTableSize;
  readonly #atEnd: 'share' | 'no place';
  readonly #secret = randomBytes(16).toString('hex');
  #marks = new Uint32Array(0);
  #until = new Float64Array(0);
  #numbers = new Float64Array(0);
  #isShared = new Uint8Array(0);
  #withoutRoom = 0;
  #last: { readonly name: string | null; readonly home: Home } = { name: null, home: NOWHERE };

  constructor(size: LimitTableSize, atEnd: 'share' | 'no place' = 'share') {
    this.#size = size;
    this.#atEnd = atEnd;
    this.maxBytes = size.places * (BYTES_OF_PLACE + 8 * size.width + 1);
  }

  /** How often a name found its row full. */
  get withoutRoom(): number {
    return this.#withoutRoom;
  }

  /** The place of a name, its own or the one it has to share; -1: nothing counts for it. `now` is 0 or more. */
  find(name: string, now: number): number {
    if (this.#until.length === 0) return -1;
    const home = this.#homeOf(name);
    const own = this.#own(home, now);
    if (own !== -1) return own;
    const mustShare = this.#atEnd === 'share' && this.#free(home, now) === -1;
    return mustShare || this.#sharesStandIn(home, now) ? home.standIn : -1;
  }

  /** The place for this name, its numbers 0 if it is new; the caller sets until when. -1, with `no place`: no room. */
  claim(name: string, now: number): number {
    if (this.#until.length === 0) this.#open();
    const home = this.#homeOf(name);
    const own = this.#own(home, now);
    if (own !== -1) return own;
    const free = this.#free(home, now);
    if (free !== -1) {
      this.#give(free, home, now);
      return free;
    }
    this.#withoutRoom++;
    if (this.#atEnd === 'no place') return -1;
    this.#isShared[home.standIn] = 1;
    return home.standIn;
  }

  /** Until when something counts at a place; up to now: nothing does. */
  until(place: number): number {
    return this.#until[place]!;
  }

  setUntil(place: number, until: number): void {
    this.#until[place] = until;
  }

  numbers(place: number): Float64Array {
    const { width } = this.#size;
    return this.#numbers.subarray(place * width, (place + 1) * width);
  }

  /** Memory that the system gives only where it is written to. */
  #open(): void {
    const { places, width } = this.#size;
    this.#marks = new Uint32Array(2 * places);
    this.#until = new Float64Array(places);
    this.#numbers = new Float64Array(places * width);
    this.#isShared = new Uint8Array(places);
  }

  #homeOf(name: string): Home {
    // A limit asks first and counts then.
    if (name === this.#last.name) return this.#last.home;
    const digest = hash('sha256', `${this.#secret}${name}`, 'buffer');
    const row = (digest.readUInt32LE(0) % (this.#size.places / PLACES_OF_ROW)) * PLACES_OF_ROW;
    const home = {
      row,
      standIn: row + (digest[4]! % PLACES_OF_ROW),
      high: digest.readUInt32LE(8),
      low: digest.readUInt32LE(12),
    };
    this.#last = { name, home };
    return home;
  }

  #own({ row, high, low }: Home, now: number): number {
    for (let place = row; place < row + PLACES_OF_ROW; place++) {
      if (this.#marks[2 * place] !== high || this.#marks[2 * place + 1] !== low) continue;
      if (this.#until[place]! > now) return place;
    }
    return -1;
  }

  #free({ row }: Home, now: number): number {
    for (let place = row; place < row + PLACES_OF_ROW; place++) if (this.#until[place]! <= now) return place;
    return -1;
  }

  #sharesStandIn({ standIn }: Home, now: number): boolean {
    return this.#isShared[standIn] === 1 && this.#until[standIn]! > now;
  }

  #give(place: number, home: Home, now: number): void {
    const numbers = this.numbers(place);
    if (this.#sharesStandIn(home, now)) {
      this.#until[place] = this.#until[home.standIn]!;
      numbers.set(this.numbers(home.standIn));
    } else {
      this.#until[place] = 0;
      numbers.fill(0);
    }
    this.#marks[2 * place] = home.high;
    this.#marks[2 * place + 1] = home.low;
    this.#isShared[place] = 0;
  }
}
