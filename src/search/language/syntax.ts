// The lexical rules of the query language: separators, quotes, and operators (contract 3.5 and 3.6). The syntax tree of
// a query text, with the place of each item; its faults. The canonical form, which responses return as `query`
// (contract 3.8): parsing the printed form gives the same query.

import { type Position, type ProblemCode, ServiceError } from '../../errors.ts';
import type { Query, QueryItem, Word } from '../../model/query.ts';
import { ID_PREFIX, PREFIX_OF, readRecordLink } from '../../model/record.ts';
import { DAY, readableDay } from '../../model/time.ts';
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
  /** In text order. Empty: the text is a query. Limits are not checked here. */
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

/** White space (the Unicode property White_Space) and the comma separate items. The inside of a character class. */
export const SEPARATORS = String.raw`\p{White_Space},`;

/** Straight and curly double quotes, including `„` and `‟`. Any of them opens a phrase, and any of them closes it. */
export const QUOTES = '"\u201c\u201d\u201e\u201f';

/** Scores are typed with at most this many digits. */
export const MAX_SCORE_DIGITS = 9;

/** The kind of an operator. Communities and posts are recognised by their form, not by a name before a colon. */
export type OperatorKind = 'community' | 'site' | 'score' | 'before' | 'after' | 'post' | 'id' | 'reserved';

/** Names without meaning as operators: reserved for later, or because people expect them. */
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

/** Whether the parser reads this text, without quotes, as one word of any-of. A `*` at the end is up to the caller. */
export function isBare(text: string): boolean {
  return text !== '' && !NOT_BARE.test(text) && readOperator(text) === null;
}

const NOT_IN_QUERY = new RegExp(`[${SEPARATORS}/+|]`, 'u');

/** Whether a query can ask for a community of this name: `+` and `/` separate names there, `|` separates words. */
export function isAskableName(name: string): boolean {
  return name !== '' && !NOT_IN_QUERY.test(name);
}

const MAX_TYPED_SCORE = 10 ** MAX_SCORE_DIGITS - 1;

/** Items in the order given, joined by commas; empty for a query without items. */
export function printQuery(query: Query): string {
  return query.items.map(printItem).join(',');
}

export function printItem(item: QueryItem): string {
  switch (item.kind) {
    case 'words':
      return sign(item) + item.words.map(printWord).join('|');
    case 'community':
      return `${sign(item)}/r/${item.name}`;
    case 'site':
      return `${sign(item)}site:${item.domain}`;
    case 'post':
      // An id that starts with a prefix would lose it when parsed, or be refused.
      return `${sign(item)}post:${ID_PREFIX.test(item.id) ? 't3_' : ''}${item.id}`;
    case 'id':
      return `${sign(item)}id:${item.record.of === null ? '' : PREFIX_OF[item.record.of]}${item.record.id}`;
    case 'score':
      return `score:${printRange(item.min, item.max)}`;
    case 'before':
    case 'after':
      return `${item.kind}:${printTime(item.time)}`;
  }
}

/** As short as it can be, UTC: `2024-01-31`, `2024-01-31T18:30`, `2024-01-31T18:30:15`. */
export function printTime(time: number): string {
  if (time % DAY === 0) return readableDay(time);
  const { length } = time % 60 === 0 ? 'YYYY-MM-DDTHH:MM' : LONGEST_TIME;
  return new Date(time * 1000).toISOString().slice(0, length);
}

export const LONGEST_TIME = 'YYYY-MM-DDTHH:MM:SS';

function sign(item: { readonly negated: boolean }): string {
  return item.negated ? '-' : '';
}

/**
 * As typed, without quotes if that parses the same. Only a word that the parser cannot have made (one that
 * needs quotes and contains a quote) is printed as other text with the same tokens.
 */
function printWord(word: Word): string {
  const { kind, typed } = word;
  if (kind === 'prefix') return `${isBare(typed) && !typed.endsWith('*') ? typed : word.prefix}*`;
  if (isBare(typed) && !typed.endsWith('*')) return typed;
  return `"${typed.replace(ANY_QUOTE, ' ')}"`;
}

const ANY_QUOTE = new RegExp(`[${QUOTES}]`, 'g');

/** The bound of `score:>999999999` cannot be typed, so its neighbour is printed. */
function printRange(min: number | null, max: number | null): string {
  if (max === null) {
    const least = min ?? -MAX_TYPED_SCORE;
    return least > MAX_TYPED_SCORE ? `>${least - 1}` : String(least);
  }
  if (max < -MAX_TYPED_SCORE) return `<${max + 1}`;
  return `${min ?? ''}..${max}`;
}

export function cut(text: string, { offset, length }: Position): string {
  return text.slice(offset, offset + length);
}

export function replaced(text: string, { offset, length }: Position, item: string): string {
  return `${text.slice(0, offset)}${item}${text.slice(offset + length)}`.trim();
}
