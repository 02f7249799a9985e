// Writes numbers to many small logs instead of one, so that looking them up afterwards, log by log, stays
// within the processor's cache (radix partitioning, as in Manegold et al., "Optimizing Main-Memory Join on
// Modern Hardware", 2002).

const FIRST_CAPACITY = 96;

/** Entries of a fixed number of numbers, 32 bits each. */
export class PartitionedLog {
  readonly #width: number;
  readonly #parts: (Uint32Array | undefined)[];
  readonly #lengths: Uint32Array;

  constructor(partitions: number, width: 2 | 3) {
    this.#width = width;
    this.#parts = new Array<Uint32Array | undefined>(partitions).fill(undefined);
    this.#lengths = new Uint32Array(partitions);
  }

  push2(partition: number, first: number, second: number): void {
    const at = this.#lengths[partition]!;
    let part = this.#parts[partition];
    if (part === undefined || at + 2 > part.length) part = this.#grow(partition);
    part[at] = first;
    part[at + 1] = second;
    this.#lengths[partition] = at + 2;
  }

  push3(partition: number, first: number, second: number, third: number): void {
    const at = this.#lengths[partition]!;
    let part = this.#parts[partition];
    if (part === undefined || at + 3 > part.length) part = this.#grow(partition);
    part[at] = first;
    part[at + 1] = second;
    part[at + 2] = third;
    this.#lengths[partition] = at + 3;
  }

  /** Takes all entries of a partition, in the order in which they were added; leaves it empty. */
  take(partition: number): Uint32Array {
    const part = this.#parts[partition]?.subarray(0, this.#lengths[partition]) ?? new Uint32Array(0);
    this.#parts[partition] = undefined;
    this.#lengths[partition] = 0;
    return part;
  }

  #grow(partition: number): Uint32Array {
    const old = this.#parts[partition];
    const larger = new Uint32Array(old === undefined ? FIRST_CAPACITY * this.#width : old.length * 2);
    if (old !== undefined) larger.set(old);
    this.#parts[partition] = larger;
    return larger;
  }
}
