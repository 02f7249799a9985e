// A list of whole numbers, 0 to 2^32 − 1, that grows without an object for each.

export class GrowingNumbers {
  numbers: Uint32Array;
  length = 0;

  constructor(capacity = 1024) {
    this.numbers = new Uint32Array(capacity);
  }

  push(number: number): void {
    if (this.length === this.numbers.length) {
      const grown = new Uint32Array(this.numbers.length * 2);
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.numbers[this.length++] = number;
  }
}
