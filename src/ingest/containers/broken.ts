// Sources that end early or are damaged: the error, its words, and what is true of them all the same.

/** A source that cannot be read to the end. What checksums vouch for is imported; the report says what went wrong. */
export class BrokenSource extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'BrokenSource';
  }
}

/** How many of the bytes that a container gave its checksums vouch for, whatever follows. Grows. */
export interface Vouched {
  bytes: number;
}

export function brokenOff(format: string, bytes: number, cause?: unknown): BrokenSource {
  return new BrokenSource(`the ${format} data ends after ${bytes} bytes: the file is incomplete`, { cause });
}

export function damaged(format: string, near: number, what: string, cause?: unknown): BrokenSource {
  return new BrokenSource(`the ${format} data is damaged near byte ${near}: ${what}`, { cause });
}

/** They may be padding, or data whose beginning is damaged. */
export function foreignBytes(format: string, at: number): BrokenSource {
  return new BrokenSource(`the ${format} data ends at byte ${at}, and something else follows: not read`);
}
