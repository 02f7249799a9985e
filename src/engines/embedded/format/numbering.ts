// Numbers for values, as columns contain them.

/** Gives numbers to values, in the order of first occurrence. */
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
