// The lowest of many ranks: a heap of those kept so far, the highest on top (Williams, "Algorithm 232: Heapsort",
// Communications of the ACM 7, 1964).

const MIN_CAPACITY = 16;
const ABOVE_ALL = 2 ** 32;

export class LowestRanks {
  readonly #size: number;
  /** Which of two of one rank comes first, by their numbers. */
  readonly #compare: (a: number, b: number) => number;
  #high = new Uint32Array(MIN_CAPACITY);
  #low = new Uint32Array(MIN_CAPACITY);
  #numbers = new Float64Array(MIN_CAPACITY);
  #length = 0;
  /** Ranks whose first half is greater are not among the lowest. */
  limit: number = ABOVE_ALL;

  /** Keeps `size` of them, 1 or more. */
  constructor(size: number, compare: (a: number, b: number) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  get length(): number {
    return this.#length;
  }

  /** `number`: what has the rank; each once. False: it is not among the lowest. */
  offer(high: number, low: number, number: number): boolean {
    if (this.#length < this.#size) {
      if (this.#length === this.#high.length) this.#grow();
      this.#rise(this.#length++, high, low, number);
    } else {
      if (!this.#isBefore(high, low, number, 0)) return false;
      this.#sink(high, low, number);
    }
    if (this.#length === this.#size) this.limit = this.#high[0]!;
    return true;
  }

  /** Of those kept, in no order. */
  forEach(call: (high: number, low: number, number: number) => void): void {
    for (let i = 0; i < this.#length; i++) call(this.#high[i]!, this.#low[i]!, this.#numbers[i]!);
  }

  /** The numbers kept, by rank. */
  sorted(): number[] {
    const places = Array.from({ length: this.#length }, (_, i) => i);
    places.sort((a, b) =>
      this.#isBefore(this.#high[a]!, this.#low[a]!, this.#numbers[a]!, b) ? -1 : a === b ? 0 : 1,
    );
    return places.map((place) => this.#numbers[place]!);
  }

  /** Whether it comes before what stands at the place. */
  #isBefore(high: number, low: number, number: number, place: number): boolean {
    if (high !== this.#high[place]) return high < this.#high[place]!;
    if (low !== this.#low[place]) return low < this.#low[place]!;
    return number !== this.#numbers[place] && this.#compare(number, this.#numbers[place]!) < 0;
  }

  #rise(from: number, high: number, low: number, number: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (this.#isBefore(high, low, number, parent)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, high, low, number);
  }

  /** In place of the highest. */
  #sink(high: number, low: number, number: number): void {
    let place = 0;
    for (let child = 1; child < this.#length; child = 2 * place + 1) {
      const other = child + 1;
      if (other < this.#length && this.#isPlaceBefore(child, other)) child = other;
      if (!this.#isBefore(high, low, number, child)) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, high, low, number);
  }

  #isPlaceBefore(a: number, b: number): boolean {
    return this.#isBefore(this.#high[a]!, this.#low[a]!, this.#numbers[a]!, b);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#high[from]!, this.#low[from]!, this.#numbers[from]!);
  }

  #put(place: number, high: number, low: number, number: number): void {
    this.#high[place] = high;
    this.#low[place] = low;
    this.#numbers[place] = number;
  }

  #grow(): void {
    const capacity = Math.min(this.#size, this.#high.length * 2);
    const [high, low, numbers] = [this.#high, this.#low, this.#numbers];
    this.#high = new Uint32Array(capacity);
    this.#low = new Uint32Array(capacity);
    this.#numbers = new Float64Array(capacity);
    this.#high.set(high);
    this.#low.set(low);
    this.#numbers.set(numbers);
  }
}
