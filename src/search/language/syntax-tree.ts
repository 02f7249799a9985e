// The syntax tree: what the parser makes of a query text, with the place of each item in it.

import type { Position, ProblemCode } from '../../errors.ts';
import type { QueryItem } from '../../model/query.ts';

/** What is wrong with an item, or with the query as a whole. */
export interface Problem {
  readonly code: ProblemCode;
  /** What was expected and what was found: lower case, no final stop. */
  readonly message: string;
  readonly position: Position;
}

/** An item as written; `position` holds all of it, its `-` included, without separators around it. */
export type SyntaxItem =
  /** One query item; several for `/r/a+b`. Never empty. */
  | { readonly kind: 'understood'; readonly position: Position; readonly meaning: readonly QueryItem[] }
  /** An item without tokens (`&`, a lone `-` or `*`): as if it had not been written. */
  | { readonly kind: 'dropped'; readonly position: Position }
  | { readonly kind: 'faulty'; readonly position: Position; readonly problem: Problem };

export interface SyntaxTree {
  /** In the order written. Empty where the text is empty or holds only separators. */
  readonly items: readonly SyntaxItem[];
  /** In the order of their place. Empty: the text is a query. Limits are not looked at here. */
  readonly problems: readonly Problem[];
}
