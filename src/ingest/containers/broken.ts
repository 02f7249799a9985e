// The error of a source that ends early or is damaged.

/** A source that cannot be read to the end: what was readable is imported, and the report says what went wrong. */
export class BrokenSource extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'BrokenSource';
  }
}
