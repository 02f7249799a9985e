// The syntax tree that the parser makes of a query text, with the place of each item.
//
// Faults of a query: one vocabulary for reading its items and for checking its limits.

import { type Position, type ProblemCode, ServiceError } from '../../errors.ts';
import type { QueryItem } from '../../model/query.ts';
import { quoted } from '../../text/quoted.ts';

/** An item as written; `position` covers all of it, including its `-`, without separators around it. */
export type SyntaxItem =
  /** One query item; several for `/r/a+b`. Never empty. */
  | { readonly kind: 'understood'; readonly position: Position; readonly meaning: readonly QueryItem[] }
  /** An item without tokens (`&`, a lone `-` or `*`), which counts as not written. */
  | { readonly kind: 'dropped'; readonly position: Position }
  | FaultyItem;

export interface FaultyItem {
  readonly kind: 'faulty';
  readonly position: Position;
  readonly fault: Fault;
}

export interface SyntaxTree {
  /** In the order written. Empty if the text is empty or contains only separators. */
  readonly items: readonly SyntaxItem[];
  /** In the order of their places. Empty: the text is a query. Does not include limits. */
  readonly faults: readonly Fault[];
}

export function understood({ position }: Written, ...meaning: readonly QueryItem[]): SyntaxItem {
  return { kind: 'understood', position, meaning };
}

export function dropped({ position }: Written): SyntaxItem {
  return { kind: 'dropped', position };
}

/** `expected` and `wording` as in `faultOf`. */
export function faulty(item: Written, code: ProblemCode, expected: string, wording?: Wording): FaultyItem {
  return { kind: 'faulty', position: item.position, fault: faultOf(item, code, expected, wording) };
}

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
interface Wording {
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
