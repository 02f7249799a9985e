// The lexical rules that the parser of the query language (parser.ts) and its printer (print-query.ts) share:
// separators, quotes, and what makes an item an operator. Contract 3.5 and 3.6.

import { readRecordLink } from '../../model/record-link.ts';

/**
 * White space (the Unicode property White_Space) and the comma separate items. The inside of a character
 * class.
 */
export const SEPARATORS = String.raw`\p{White_Space},`;

/**
 * Straight and curly double quotes, including `„` and `‟`. Any of them opens a phrase, and any of them closes
 * it.
 */
export const QUOTES = '"\u201c\u201d\u201e\u201f';

/** Scores are typed with at most this many digits. */
export const MAX_SCORE_DIGITS = 9;

/** For communities and posts, the form of the item tells the operator, not a name before a colon. */
export type OperatorKind = 'community' | 'site' | 'score' | 'before' | 'after' | 'post' | 'id' | 'reserved';

/**
 * Names that mean nothing as operators: reserved because they may come to mean something, or because people
 * expect them.
 */
const RESERVED_NAMES = [
  ...(['arrived', 'author', 'body', 'comment', 'domain', 'flair', 'lang'] as const),
  ...(['nsfw', 'sentiment', 'subreddit', 'title', 'type', 'url', 'user'] as const),
] as const;

export type ReservedName = (typeof RESERVED_NAMES)[number];

/** An item (or one side of a `|`) that is not a word, cut in two. */
export type Operator = OperatorText &
  (
    | { readonly kind: Exclude<OperatorKind, 'reserved'> }
    | { readonly kind: 'reserved'; readonly reserved: ReservedName }
  );

interface OperatorText {
  /**
   * The name as it is printed: lower case, with its colon (`site:`), `/r/`, `/u/`; `post:` or `id:` for a
   * link to a record.
   */
  readonly name: string;
  /** The text after the name, as typed; for a link to a record, the whole link. May be empty. */
  readonly value: string;
}

/** Operators with a name before a colon. */
const OPERATOR_NAMES = ['site', 'score', 'before', 'after', 'post', 'id'] as const;
const NAMED = new RegExp(`^(${[...OPERATOR_NAMES, ...RESERVED_NAMES].join('|')}):`, 'i');
const COMMUNITY = /^\/?([ru])\//i;

/** null if the text is a word. `text` contains no separator and no `-` in front. Linear time. */
export function readOperator(text: string): Operator | null {
  const link = readRecordLink(text);
  if (link !== null) {
    const kind = link.comment === null ? 'post' : 'id';
    return { kind, name: `${kind}:`, value: text };
  }
  const community = COMMUNITY.exec(text);
  if (community !== null) {
    return {
      kind: 'community',
      name: `/${community[1]!.toLowerCase()}/`,
      value: text.slice(community[0].length),
    };
  }
  const named = NAMED.exec(text);
  if (named === null) return null;
  const name = named[0].toLowerCase();
  const value = text.slice(name.length);
  const word = name.slice(0, -1);
  const reserved = RESERVED_NAMES.find((each) => each === word);
  if (reserved !== undefined) return { kind: 'reserved', reserved, name, value };
  return { kind: OPERATOR_NAMES.find((each) => each === word)!, name, value };
}

const NOT_BARE = new RegExp(`^[-${QUOTES}]|[${SEPARATORS}|]`, 'u');

/**
 * Whether the parser reads this text, without quotes, as one word of any-of. A `*` at the end is up to the
 * caller.
 */
export function isBare(text: string): boolean {
  return text !== '' && !NOT_BARE.test(text) && readOperator(text) === null;
}

const NOT_IN_QUERY = new RegExp(`[${SEPARATORS}/+|]`, 'u');

/**
 * Whether a query can ask for a community of this name: `+` and `/` separate names there, `|` separates
 * words.
 */
export function isAskableName(name: string): boolean {
  return name !== '' && !NOT_IN_QUERY.test(name);
}
