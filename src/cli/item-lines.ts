// Items that a command is given in a file or on standard input, one a line.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { UsageError } from '../errors.ts';

/** One line of the input, or an argument. */
export interface Item {
  readonly text: string;
  /** `ids.txt:12`; empty for an argument. */
  readonly place: string;
}

/** The name that stands for standard input. */
export const STANDARD_INPUT = '-';

/** Skips blank lines. Throws a UsageError where it cannot be read. */
export async function* linesOf(file: string): AsyncGenerator<Item> {
  const input = file === STANDARD_INPUT ? process.stdin : createReadStream(file, 'utf8');
  const name = file === STANDARD_INPUT ? 'standard input' : file;
  let line = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      line++;
      // A byte order mark counts as white space.
      if (text.trim() !== '') yield { text: text.trim(), place: `${name}:${line}` };
    }
  } catch (error) {
    throw new UsageError(`expected a file of lines, found ${(error as Error).message}`, { cause: error });
  }
}
