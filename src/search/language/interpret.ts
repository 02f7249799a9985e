// From query text to interpreted query: parser, limits (contract 3.7; the limit on prefixes is the engine's), the
// implied window, the canonical form. The implied window: a `before:` without any `after:` gets an `after:` one day (24
// hours) earlier. Contract 3.3.
//
// Also the differences between the text and what is searched for. Dropped: whole items without a word, and signs that a
// reader sees as part of a word (`C++`, `$5`) but the index does not. Contract 3.4 and 3.5. Reworded: items that the
// canonical form writes differently.

import type { Position, ProblemCode } from '../../errors.ts';
import type { Query, QueryItem, Word } from '../../model/query.ts';
import { DAY } from '../../model/time.ts';
import { decodeEntities } from '../../text/entities.ts';
import { quoted } from '../../text/quoted.ts';
import { tokenSpans } from '../../text/tokenizer.ts';
import { parse } from './parser.ts';
import {
  cut,
  type Fault,
  faultOf,
  LONGEST_TIME,
  printItem,
  printQuery,
  QUOTES,
  refusalOf,
  type SyntaxItem,
  type SyntaxTree,
} from './syntax.ts';

/** Characters (code points) of a query text. */
export const MAX_QUERY_CHARACTERS = 2048;
/** Characters of a query in canonical form. A text over the other limit is accepted if it is in canonical form. */
export const MAX_CANONICAL_CHARACTERS = 4096;
/** Items of a query. Each community counts; dropped items and the implied window do not. */
export const MAX_ITEMS = 64;
/** Tokens of one phrase. */
export const MAX_PHRASE_TOKENS = 64;

/** No echo can be longer, so a longer text is not parsed. */
const MAX_ECHO_CHARACTERS = MAX_CANONICAL_CHARACTERS + `,after:${LONGEST_TIME}`.length;

/** Checked after parsing, before all other faults: a long text must be in canonical form. */
function longText(text: string, tree: SyntaxTree, items: readonly QueryItem[]): Fault | null {
  const length = characters(text);
  if (length <= MAX_QUERY_CHARACTERS) return null;
  const isCanonical = tree.faults.length === 0 && printQuery({ items }) === text;
  return isCanonical ? null : tooLong(text, length);
}

/** Counts a character of two UTF-16 units as one. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function tooLong(text: string, length: number): Fault {
  const canonical = `${counted(MAX_CANONICAL_CHARACTERS)} in the form that answers give back`;
  const most = `${counted(MAX_QUERY_CHARACTERS)} characters (${canonical})`;
  return overLimit('query_too_long', { offset: 0, length: text.length }, most, counted(length));
}

function counted(number: number): string {
  return number.toLocaleString('en');
}

/** How a message names the limit that is exceeded. */
type LimitCode = Extract<ProblemCode, 'query_too_long' | 'too_many_items' | 'phrase_too_long'>;

function overLimit(code: LimitCode, position: Position, most: string, found: number | string): Fault {
  return { code, position, message: `expected at most ${most}, found ${found}` };
}

/**
 * A fault at the item that goes over the limit. A faulty item counts as one; the given number of items does not count.
 */
function tooManyItems(tree: SyntaxTree, uncounted: number): Fault | null {
  const total = tree.items.reduce((sum, item) => sum + sizeOf(item), 0) - uncounted;
  if (total <= MAX_ITEMS) return null;
  let sum = 0;
  const first = tree.items.find((item) => {
    sum += sizeOf(item);
    return sum > MAX_ITEMS;
  })!;
  return overLimit('too_many_items', first.position, `${MAX_ITEMS} items, each community counted`, total);
}

function sizeOf(item: SyntaxItem): number {
  return item.kind === 'understood' ? item.meaning.length : item.kind === 'faulty' ? 1 : 0;
}

/** The first item with a phrase (or a term of many tokens) over the limit. */
function longPhrase(tree: SyntaxTree): Fault | null {
  for (const item of tree.items) {
    const parts = item.kind === 'understood' ? item.meaning : [];
    const words = parts.flatMap((part) => (part.kind === 'words' ? part.words : []));
    const longest = Math.max(...words.map((word) => (word.kind === 'phrase' ? word.tokens.length : 1)));
    if (longest > MAX_PHRASE_TOKENS)
      return overLimit('phrase_too_long', item.position, `${MAX_PHRASE_TOKENS} words in a phrase`, longest);
  }
  return null;
}

type AfterItem = QueryItem & { readonly kind: 'after' };

/** The `after:` to add, a day before the earliest `before:` but never before 1970; null if none is needed. */
function impliedAfter(items: readonly QueryItem[]): AfterItem | null {
  let earliest = Infinity;
  for (const item of items) {
    if (item.kind === 'after') return null;
    if (item.kind === 'before') earliest = Math.min(earliest, item.time);
  }
  if (earliest === Infinity) return null;
  return { kind: 'after', time: Math.max(0, earliest - DAY) };
}

/** The items without a last `after:` that is the implied one, as in an echo. */
function withoutImplied(items: readonly QueryItem[]): readonly QueryItem[] {
  const last = items.at(-1);
  const others = items.slice(0, -1);
  return last?.kind === 'after' && impliedAfter(others)?.time === last.time ? others : items;
}

/** Whether `before:` without `after:` gets an `after:` one day earlier. */
export type ImpliedWindow = '1d' | 'off';

interface Window {
  readonly impliedWindow: ImpliedWindow;
}

export interface Interpretation {
  /** The added `after:`, if there is one, is the last item. */
  readonly query: Query;
  /** The query in canonical form; empty if it asks for every record. */
  readonly echo: string;
  /** The added `after:` as in the echo (`after:2023-12-31`); null if none was added. */
  readonly implied: string | null;
  /** Parts of the text that are not searched for, in the order written. */
  readonly dropped: readonly Dropped[];
}

/** For the endpoints, the page and the `search` command. Throws the first fault as a ServiceError with its position. */
export function interpretQuery(text: string, window: Window): Interpretation {
  const { items, dropped, implied } = readQuery(text, window);
  const query = { items: implied === null ? items : [...items, implied] };
  return { query, echo: printQuery(query), implied: implied && printItem(implied), dropped };
}

/**
 * For exports, removals, feeds and other callers that add no window: also throws `open_window`.
 * Accepts the echo of a search that added the window.
 */
export function interpretWithoutWindow(text: string): Omit<Interpretation, 'implied'> {
  const { items, tree, dropped, implied } = readQuery(text, { impliedWindow: '1d' });
  if (implied !== null) throw refusalOf(openWindow(text, { items, tree }, implied));
  return { query: { items }, echo: printQuery({ items }), dropped };
}

/**
 * For callers that explain each item. Adds no window. Throws the first fault as a ServiceError with its position.
 * `written`: in the order written, without dropped items; several for `/r/a+b`, never none. `implied`: the `after:`
 * that the implied window would add; null: none.
 */
export function interpretItems(text: string, window: Window) {
  const { items, tree, dropped, implied } = readQuery(text, window);
  const written = tree.items.flatMap(({ position, ...item }) =>
    item.kind === 'understood' ? { position, items: item.meaning } : [],
  );
  return { written, query: { items }, echo: printQuery({ items }), implied, dropped };
}

function readQuery(text: string, { impliedWindow }: Window) {
  const length = characters(text);
  if (length > MAX_ECHO_CHARACTERS) throw refusalOf(tooLong(text, length));
  const tree = parse(text);
  const items = tree.items.flatMap((item) => (item.kind === 'understood' ? item.meaning : []));
  const counted = withoutImplied(items);
  // If two are at the same place, the one given first.
  const [first] = [...tree.faults, tooManyItems(tree, items.length - counted.length), longPhrase(tree)]
    .filter((one) => one !== null)
    .sort((a, b) => a.position.offset - b.position.offset);
  const fault = longText(text, tree, items) ?? first ?? nothingToSearch(text, tree, items);
  if (fault !== null) throw refusalOf(fault);
  // A short text can be long in canonical form (punycode, `İ`), and its echo would be refused.
  const echoed = characters(printQuery({ items: counted }));
  if (echoed > MAX_CANONICAL_CHARACTERS) throw refusalOf(tooLong(text, echoed));
  const implied = impliedWindow === 'off' ? null : impliedAfter(items);
  return { items, tree, dropped: droppedOf(text, tree), implied };
}

/** The fault of a text of which everything was dropped, but which is not empty. */
function nothingToSearch(text: string, tree: SyntaxTree, items: readonly QueryItem[]): Fault | null {
  if (tree.items.length === 0 || items.length > 0) return null;
  const whole = { text, position: { offset: 0, length: text.length } };
  return faultOf(whole, 'nothing_to_search', 'a word or an operator to search for', {
    found: `only signs in ${quoted(text.trim())}`,
  });
}

/** Characters of a canonical query that a message repeats, twice. */
const MAX_REPEATED = 300;

/** The fault, at the first `before:`. Gives the right queries, in full unless they are long. */
function openWindow(
  text: string,
  { items, tree }: Pick<ReturnType<typeof readQuery>, 'items' | 'tree'>,
  implied: AfterItem,
): Fault {
  const isBefore = (item: SyntaxItem) => item.kind === 'understood' && item.meaning[0]?.kind === 'before';
  const { position } = tree.items.find(isBefore)!;
  const isLong = printQuery({ items }).length > MAX_REPEATED;
  const closed = (after: AfterItem) => {
    const item = printItem(after);
    return isLong ? `\`,${item}\` after it` : `\`${printQuery({ items: [...items, after] })}\``;
  };
  const oneDay =
    implied.time === 0 ? '' : `${closed(implied)} for the one day that a search would look at, or `;
  return faultOf({ text, position }, 'open_window', 'an `after:` beside `before:`', {
    found:
      `none, and none is added here; write ${oneDay}${closed({ kind: 'after', time: 0 })} ` +
      'for all time before',
  });
}

export interface Dropped {
  /** As written: an item without a word (`&`), or a word with its signs (`C++`). */
  readonly written: string;
  /** What is searched for instead (`C`); null: nothing. */
  readonly searched: string | null;
  /** Of the whole item. */
  readonly position: Position;
}

/** In the order written; `text` is the text of the tree. */
export function droppedOf(text: string, tree: SyntaxTree): Dropped[] {
  return tree.items.flatMap((item): Dropped[] => {
    const { position } = item;
    if (item.kind === 'dropped') return [{ written: cut(text, position), searched: null, position }];
    if (item.kind === 'faulty') return [];
    const words = item.meaning.flatMap((part) => (part.kind === 'words' ? part.words : []));
    return words.flatMap((word) => withoutSigns(word).map((signs) => ({ ...signs, position })));
  });
}

/** The pieces of a word, separated by spaces, that lose signs. */
function withoutSigns({ kind, typed }: Word): { written: string; searched: string }[] {
  return typed.split(/\p{White_Space}+/u).flatMap((piece, i, pieces) => {
    const decoded = decodeEntities(piece);
    const spans = tokenSpans(decoded);
    if (spans.length === 0) return [];
    const start = spans[0]!.start;
    const end = spans.at(-1)!.end;
    if (!SIGN_BEFORE.test(decoded.slice(0, start)) && !SIGN_BEHIND.test(decoded.slice(end))) return [];
    const star = kind === 'prefix' && i === pieces.length - 1 ? '*' : '';
    return [{ written: piece + star, searched: decoded.slice(start, end) + star }];
  });
}

// Signs that stand for something, unlike brackets, quotes, stops and dashes: of currency, of arithmetic,
// `C#`, `@home`, `5%`, `.NET`. A sign between two words separates them, and is not reported.
const SIGN_BEHIND = /[\p{Sc}\p{Sm}\p{So}#@%&*§\\]/u;
const SIGN_BEFORE = /[\p{Sc}\p{Sm}\p{So}#@%&*§\\]|^\.$/u;

/**
 * True if the canonical form leaves an item out or puts it in other words. Capitals, quotes, spaces around
 * bars, slashes around `r/name` and `/r/a+b` do not count as other words.
 */
export function isReworded(written: string): boolean {
  return parse(written).items.some((item) => {
    if (item.kind === 'dropped') return true;
    if (item.kind === 'faulty') return false;
    return plain(cut(written, item.position)) !== plain(together(item.meaning));
  });
}

/** Printed as one item: several communities, joined by `+`. */
function together([first, ...others]: readonly QueryItem[]): string {
  return [printItem(first!), ...others.map((item) => printItem(item).replace(/^-?\/r\//, ''))].join('+');
}

const UNSEEN = new RegExp(`[${QUOTES}\\p{White_Space}]+`, 'gu');

function plain(item: string): string {
  return item
    .toLowerCase()
    .replace(UNSEEN, '')
    .replace(/^(-?)([ru])\//, '$1/$2/')
    .replace(/\/$/, '');
}
