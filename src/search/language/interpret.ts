// From query text to interpreted query. The syntax tree has the range and meaning of each item: words are terms, phrases
// and prefixes, alone or as any-of; operators.ts parses operators. Section 2 of the contract, and contract 3.2, 3.5 and
// 3.6. Then limits (contract 3.7; the limit on prefixes is the engine's), the implied window, the canonical form. The
// implied window: a `before:` without any `after:` gets an `after:` one day (24 hours) earlier. Contract 3.3.
//
// Also the differences between the text and what is searched for. Dropped: whole items without a word, and signs that a
// reader sees as part of a word (`C++`, `$5`) but the index does not. Contract 3.4 and 3.5. Reworded: items that the
// canonical form writes differently.

import type { Position, ProblemCode } from '../../errors.ts';
import type { Query, QueryItem, Word } from '../../model/query.ts';
import { DAY } from '../../model/time.ts';
import { decodeEntities } from '../../text/entities.ts';
import { quoted } from '../../text/quoted.ts';
import { tokenSpans, tokens } from '../../text/tokenizer.ts';
import { readOperatorItem, refuseReserved } from './operators.ts';
import {
  cut,
  dropped,
  type Fault,
  type FaultyItem,
  faultOf,
  faulty,
  LONGEST_TIME,
  type Operator,
  type OperatorKind,
  printItem,
  printQuery,
  QUOTES,
  readOperator,
  refusalOf,
  SEPARATORS,
  type SyntaxItem,
  type SyntaxTree,
  understood,
  type Written,
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
    if (item.kind !== 'understood') continue;
    for (const part of item.meaning) {
      if (part.kind !== 'words') continue;
      const longest = Math.max(
        ...part.words.map((word) => (word.kind === 'phrase' ? word.tokens.length : 1)),
      );
      if (longest <= MAX_PHRASE_TOKENS) continue;
      return overLimit('phrase_too_long', item.position, `${MAX_PHRASE_TOKENS} words in a phrase`, longest);
    }
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

/** One side of a `|`, or an item without one: its text, without `-` and quotes. */
interface Alternative {
  readonly text: string;
  readonly isQuoted: boolean;
  /** How many `-` were in front of it. */
  readonly minuses: number;
}

/** Characters (code points of the folded token) that a prefix must have. */
const MIN_PREFIX_CHARACTERS = 2;

/** Skips alternatives without tokens; drops the item if none is left. */
function readWords(alternatives: readonly Alternative[], item: Written): SyntaxItem {
  const words: Word[] = [];
  const negated = alternatives[0]!.minuses > 0;
  for (const [i, { text, isQuoted, minuses }] of alternatives.entries()) {
    // A `-` after a bar is reported before any other fault of the word that follows.
    if (i > 0 && minuses > 0 && tokens(text).length > 0) {
      const found = `it after \`|\` in ${quoted(item.text)}`;
      return faulty(item, 'cannot_negate', '`-` before the whole group, as in `-a|b`', { found });
    }
    const word = isQuoted ? plainWord(text) : readBare(text, item);
    if (word?.kind === 'faulty') return word;
    if (word !== null) words.push(word);
  }
  return words.length === 0 ? dropped(item) : understood(item, { kind: 'words', words, negated });
}

function readBare(text: string, item: Written): Word | FaultyItem | null {
  const operator = readOperator(text);
  if (operator !== null) return refuseOperator(operator, item);
  return text.endsWith('*') ? readPrefix(text, item) : plainWord(text);
}

/** The code of the fault of an operator beside a `|`, and what to write instead. */
const BESIDE_BAR: Readonly<
  Record<Exclude<OperatorKind, 'reserved'>, readonly [code: ProblemCode, advice: string]>
> = {
  community: ['bad_community', 'for any of several communities write `/r/a+b`'],
  site: ['bad_site', 'for any of several sites write `site:a.org site:b.org`'],
  score: ['bad_score', 'for a range of scores write `score:1..5`'],
  before: ['bad_date', 'a date holds for the whole query: write it without `|`'],
  after: ['bad_date', 'a date holds for the whole query: write it without `|`'],
  post: ['bad_post', 'for any of several posts write `post:a post:b`'],
  id: ['bad_id', 'for any of several records write `id:a id:b`'],
};

function refuseOperator(operator: Operator, item: Written): FaultyItem {
  if (operator.kind === 'reserved') return refuseReserved(operator.reserved, operator.value, item);
  const [code, advice] = BESIDE_BAR[operator.kind];
  return faulty(item, code, 'only words beside `|`', { found: `${quoted(item.text)}; ${advice}` });
}

/** A term or a phrase; null if there are no tokens. */
function plainWord(typed: string): Word | null {
  const held = tokens(typed);
  if (held.length > 1) return { kind: 'phrase', tokens: held, typed };
  return held.length === 1 ? { kind: 'term', token: held[0]!, typed } : null;
}

/** `text` ends with `*`; null if there is no token before it. */
function readPrefix(text: string, item: Written): Word | FaultyItem | null {
  const typed = withoutStars(text);
  const held = tokens(typed);
  if (held.length === 0) return null;
  const many = (count: number) => ({ found: `${count} in ${quoted(item.text)}` });
  if (held.length > 1) return faulty(item, 'bad_prefix', 'one word before `*`', many(held.length));
  const prefix = held[0]!;
  if ([...prefix].length >= MIN_PREFIX_CHARACTERS) return { kind: 'prefix', prefix, typed };
  return faulty(item, 'bad_prefix', `at least ${MIN_PREFIX_CHARACTERS} characters before \`*\``, many(1));
}

/** A loop, because `/\*+$/` takes quadratic time on stars that are not at the end. */
function withoutStars(text: string): string {
  let end = text.length;
  while (text[end - 1] === '*') end--;
  return text.slice(0, end);
}

/** Never throws; linear time; does not check limits. */
export function parse(text: string): SyntaxTree {
  const items: SyntaxItem[] = [];
  for (let at = behindSeparators(text, 0); at < text.length; ) {
    const lexeme = readLexeme(text, at);
    const position = { offset: at, length: lexeme.end - at };
    items.push(readItem(lexeme, { text: text.slice(at, lexeme.end), position }));
    at = behindSeparators(text, lexeme.end);
  }
  return { items, faults: items.flatMap((item) => (item.kind === 'faulty' ? [item.fault] : [])) };
}

interface Lexeme {
  /** The parts between its bars, never empty; one if there is no bar. */
  readonly alternatives: readonly Alternative[];
  /** True if a quote was not closed: the item is then the rest of the text. */
  readonly isOpen: boolean;
  /** Offset after its last unit. */
  readonly end: number;
}

const SEPARATOR_RUN = new RegExp(`[${SEPARATORS}]*`, 'uy');
const BLANK_RUN = /\p{White_Space}*/uy;
const MINUS_RUN = /-*/y;
const BARE_RUN = new RegExp(`[^${SEPARATORS}|]*`, 'uy');
const QUOTED_RUN = new RegExp(`[^${QUOTES}]*`, 'y');

function behindSeparators(text: string, at: number): number {
  return endOfRun(SEPARATOR_RUN, text, at);
}

/** `run` matches everywhere, possibly the empty text. */
function endOfRun(run: RegExp, text: string, at: number): number {
  run.lastIndex = at;
  run.test(text);
  return run.lastIndex;
}

/** Spaces around a bar belong to it; those after the last bar only if something follows. */
function readLexeme(text: string, start: number): Lexeme {
  const alternatives: Alternative[] = [];
  let at = start;
  let end = start;
  for (;;) {
    const { alternative, end: sideEnd, isOpen } = readSide(text, at);
    alternatives.push(alternative);
    if (sideEnd > at) end = sideEnd;
    if (isOpen) return { alternatives, isOpen, end };
    const bar = endOfRun(BLANK_RUN, text, sideEnd);
    if (text[bar] !== '|') return { alternatives, isOpen, end };
    end = bar + 1;
    at = endOfRun(BLANK_RUN, text, end);
  }
}

/** The text between two bars; may be empty. */
function readSide(text: string, start: number): { alternative: Alternative; end: number; isOpen: boolean } {
  const at = endOfRun(MINUS_RUN, text, start);
  const isQuoted = at < text.length && QUOTES.includes(text[at]!);
  const begin = isQuoted ? at + 1 : at;
  const end = endOfRun(isQuoted ? QUOTED_RUN : BARE_RUN, text, begin);
  const isOpen = isQuoted && end === text.length;
  return {
    alternative: { text: text.slice(begin, end), isQuoted, minuses: at - start },
    end: isQuoted && !isOpen ? end + 1 : end,
    isOpen,
  };
}

function readItem({ alternatives, isOpen }: Lexeme, item: Written): SyntaxItem {
  const { text, isQuoted, minuses } = alternatives[0]!;
  const operator = alternatives.length === 1 && !isQuoted ? readOperator(text) : null;
  const read = isOpen
    ? faulty(item, 'open_quote', 'a closing quote', {
        found: `the end of the query after ${quoted(item.text)}`,
      })
    : operator === null
      ? readWords(alternatives, item)
      : readOperatorItem(operator, minuses > 0, item);
  if (read.kind === 'dropped' || minuses < 2) return read;
  const found = `${minuses} in ${quoted(item.text)}`;
  return faulty(item, 'double_negation', 'one `-` before what is left out', { found });
}
