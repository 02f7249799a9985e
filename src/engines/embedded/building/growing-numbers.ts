// A list of whole numbers, 0 to 2^32 − 1, that grows without an object for each.

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
