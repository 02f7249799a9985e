// Faults of a query: one vocabulary for reading its items and for checking its limits.

import { type Position, type ProblemCode, ServiceError } from '../../errors.ts';
import { quoted } from '../../text/quoted.ts';

/** What is wrong with an item, or with the query as a whole. */
export interface Fault {
  readonly code: ProblemCode;
  readonly position: Position;
  /** What was expected, what was found, and what to write instead: lower case, no final stop. */
  readonly message: string;
}

/** An item as it was written, including its `-` and its quotes, without separators around it. */
export interface Written {
  readonly text: string;
  readonly position: Position;
}

/** How a message differs from "expected …, found <the item as written>". */
export interface Wording {
  /** A rule, put before "expected". */
  readonly because?: string;
  /** Replaces the item as written. */
  readonly found?: string;
}

/** `expected` continues after that word. */
export function faultOf(
  { text, position }: Written,
  code: ProblemCode,
  expected: string,
  { because, found = quoted(text) }: Wording = {},
): Fault {
  const rule = because === undefined ? '' : `${because}: `;
  return { code, position, message: `${rule}expected ${expected}, found ${found}` };
}

/** The error that a caller gets for a fault. */
export function refusalOf({ code, position, message }: Fault): ServiceError {
  return new ServiceError(code, message, { position });
}
