// What is wrong with a query: the one vocabulary of those who read its items and of those who hold it to its limits.

import { type Position, type ProblemCode, ServiceError } from '../../errors.ts';
import { quoted } from '../../text/quoted.ts';

/** What is wrong with an item, or with the query as a whole. */
export interface Fault {
  readonly code: ProblemCode;
  readonly position: Position;
  /** What was expected, what was found, and what to write instead: lower case, no final stop. */
  readonly message: string;
}

/** An item as it stands in the query: its `-` and its quotes included, without separators around it. */
export interface Written {
  readonly text: string;
  readonly position: Position;
}

/** How a message goes beside "expected …, found the item as written". */
export interface Wording {
  /** A rule, before "expected". */
  readonly because?: string;
  /** In place of the item as written. */
  readonly found?: string;
}

/** `expected` goes on behind that word. */
export function faultOf(
  { text, position }: Written,
  code: ProblemCode,
  expected: string,
  { because, found = quoted(text) }: Wording = {},
): Fault {
  const rule = because === undefined ? '' : `${because}: `;
  return { code, position, message: `${rule}expected ${expected}, found ${found}` };
}

/** What a caller gets: the one place where a fault is thrown. */
export function refusalOf({ code, position, message }: Fault): ServiceError {
  return new ServiceError(code, message, { position });
}
