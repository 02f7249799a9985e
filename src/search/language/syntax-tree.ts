// The syntax tree that the parser makes of a query text, with the place of each item.

import type { Position, ProblemCode } from '../../errors.ts';
import type { QueryItem } from '../../model/query.ts';
import { type Fault, faultOf, type Wording, type Written } from './fault.ts';

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
