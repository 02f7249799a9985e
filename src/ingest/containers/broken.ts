// The error of a source that ends early or is damaged.

/** A source that cannot be read to its end: what was readable is taken in, and the report says how it broke. */
export class BrokenSource extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'BrokenSource';
  }
}
