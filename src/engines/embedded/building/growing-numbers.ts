// Whole numbers, 0 to 2^32 − 1, added one after the other without an object for each: to a list, or to many small logs.

/** A list that grows. */
export class GrowingNumbers {
  numbers: Uint32Array;
  length = 0;

  constructor(capacity = 128) {
    this.numbers = new Uint32Array(capacity);
  }

  push(number: number): void {
    if (this.length === this.numbers.length) this.numbers = grown(this.numbers);
    this.numbers[this.length++] = number;
  }
}

/** The same numbers, and room for as many again. */
export function grown<T extends Uint8Array | Uint16Array | Uint32Array | Int32Array>(numbers: T): T {
  const larger = new (numbers.constructor as new (length: number) => T)(numbers.length * 2);
  larger.set(numbers as never);
  return larger;
}

/** Numbers in a chunk: of entries of one and of three. */
const CHUNK = 768;
const NO_CHUNK = new Uint32Array(0);

/**
 * Chunks of logs that were taken, for the next ones of the thread: memory that an import would otherwise ask for, and
 * have filled with zeros, for every batch anew. At most 12 MB.
 */
const free: Uint32Array[] = [];
const MAX_FREE = 4_096;

/** What was taken last. */
let taken = new Uint32Array(0);

/**
 * Writes numbers to many small logs instead of one, so that looking them up afterwards, log by log, stays within the
 * processor's cache (radix partitioning, as in Manegold et al., "Optimizing Main-Memory Join on Modern Hardware",
 * 2002). Entries are of a fixed number of numbers, 32 bits each.
 */
export class PartitionedLog {
  /** By partition: the chunk that is being filled, how many numbers it has, and those before it. */
  readonly #chunks: Uint32Array[];
  readonly #lengths: Uint32Array;
  readonly #full: (Uint32Array[] | undefined)[];

  constructor(partitions: number) {
    this.#chunks = new Array<Uint32Array>(partitions).fill(NO_CHUNK);
    this.#lengths = new Uint32Array(partitions);
    this.#full = new Array<Uint32Array[] | undefined>(partitions).fill(undefined);
  }

  push(partition: number, entry: number): void {
    let chunk = this.#chunks[partition]!;
    let at = this.#lengths[partition]!;
    if (at === chunk.length) {
      chunk = this.#nextChunk(partition);
      at = 0;
    }
    chunk[at] = entry;
    this.#lengths[partition] = at + 1;
  }

  push3(partition: number, first: number, second: number, third: number): void {
    let chunk = this.#chunks[partition]!;
    let at = this.#lengths[partition]!;
    if (at === chunk.length) {
      chunk = this.#nextChunk(partition);
      at = 0;
    }
    chunk[at] = first;
    chunk[at + 1] = second;
    chunk[at + 2] = third;
    this.#lengths[partition] = at + 3;
  }

  /**
   * Takes all entries of a partition, in the order in which they were added; leaves it empty. Valid until the thread
   * takes from a log again; may be overwritten.
   */
  take(partition: number): Uint32Array {
    const full = this.#full[partition] ?? [];
    const last = this.#chunks[partition]!;
    const length = full.length * CHUNK + this.#lengths[partition]!;
    if (taken.length < length) taken = new Uint32Array(length * 2);
    for (const [i, chunk] of full.entries()) taken.set(chunk, i * CHUNK);
    taken.set(last.subarray(0, this.#lengths[partition]), full.length * CHUNK);
    for (const chunk of [...full, last]) if (chunk !== NO_CHUNK && free.length < MAX_FREE) free.push(chunk);
    this.#chunks[partition] = NO_CHUNK;
    this.#lengths[partition] = 0;
    this.#full[partition] = undefined;
    return taken.subarray(0, length);
  }

  #nextChunk(partition: number): Uint32Array {
    const chunk = this.#chunks[partition]!;
    if (chunk !== NO_CHUNK) {
      const full = this.#full[partition];
      if (full === undefined) this.#full[partition] = [chunk];
      else full.push(chunk);
    }
    const next = free.pop() ?? new Uint32Array(CHUNK);
    this.#chunks[partition] = next;
    return next;
  }
}
