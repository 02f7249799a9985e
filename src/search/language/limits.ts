// The limits of a query. Contract 3.7; the limit on prefixes is the engine's.
//
// The implied window: a `before:` without any `after:` gets an `after:` one day (24 hours) earlier. Contract 3.3.

import type { Position, ProblemCode } from '../../errors.ts';
import type { QueryItem, Word } from '../../model/query.ts';
import { DAY } from '../../model/time.ts';
import { LONGEST_TIME, printQuery } from './print-query.ts';
import type { Fault, SyntaxItem, SyntaxTree } from './syntax-tree.ts';

/** Characters (code points) of a query text. */
export const MAX_QUERY_CHARACTERS = 2048;
/**
 * Characters of a query in canonical form. A text over the other limit is accepted if it is in canonical
 * form.
 */
export const MAX_CANONICAL_CHARACTERS = 4096;
/** Items of a query. Each community counts; dropped items and the implied window do not. */
export const MAX_ITEMS = 64;
/** Tokens of one phrase. */
export const MAX_PHRASE_TOKENS = 64;

/** No echo can be longer, so a longer text is not parsed. */
const MAX_ECHO_CHARACTERS = MAX_CANONICAL_CHARACTERS + `,after:${LONGEST_TIME}`.length;

/** Checked before parsing: whether the text is too long, whatever it says. */
export function hopelesslyLong(text: string): Fault | null {
  const length = characters(text);
  return length > MAX_ECHO_CHARACTERS ? tooLong(text, length) : null;
}

/** Checked after parsing, before all other faults: a long text must be in canonical form. */
export function longText(text: string, tree: SyntaxTree, items: readonly QueryItem[]): Fault | null {
  const length = characters(text);
  if (length <= MAX_QUERY_CHARACTERS) return null;
  const isCanonical = tree.faults.length === 0 && printQuery({ items }) === text;
  return isCanonical ? null : tooLong(text, length);
}

/**
 * Checked last. A short text can be long in canonical form (punycode, `İ`), and its echo would be refused.
 * `items` are those that count: without the implied window, whether or not the caller wrote it.
 */
export function longEcho(text: string, items: readonly QueryItem[]): Fault | null {
  const length = characters(printQuery({ items }));
  return length > MAX_CANONICAL_CHARACTERS ? tooLong(text, length) : null;
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

/** `2,048`. */
function counted(number: number): string {
  return number.toLocaleString('en');
}

/** How a message names the limit that is exceeded. */
type LimitCode = Extract<ProblemCode, 'query_too_long' | 'too_many_items' | 'phrase_too_long'>;

function overLimit(code: LimitCode, position: Position, most: string, found: number | string): Fault {
  return { code, position, message: `expected at most ${most}, found ${found}` };
}

/**
 * A fault at the item that goes over the limit. A faulty item counts as one; the given number of items does
 * not count.
 */
export function tooManyItems(tree: SyntaxTree, uncounted: number): Fault | null {
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
export function longPhrase(tree: SyntaxTree): Fault | null {
  for (const item of tree.items) {
    if (item.kind !== 'understood') continue;
    for (const part of item.meaning) {
      const longest = part.kind === 'words' ? Math.max(...part.words.map(tokensOf)) : 0;
      if (longest <= MAX_PHRASE_TOKENS) continue;
      return overLimit('phrase_too_long', item.position, `${MAX_PHRASE_TOKENS} words in a phrase`, longest);
    }
  }
  return null;
}

function tokensOf(word: Word): number {
  return word.kind === 'phrase' ? word.tokens.length : 1;
}

export type AfterItem = QueryItem & { readonly kind: 'after' };

/** The `after:` to add, a day before the earliest `before:` but never before 1970; null if none is needed. */
export function impliedAfter(items: readonly QueryItem[]): AfterItem | null {
  let earliest = Infinity;
  for (const item of items) {
    if (item.kind === 'after') return null;
    if (item.kind === 'before') earliest = Math.min(earliest, item.time);
  }
  if (earliest === Infinity) return null;
  return { kind: 'after', time: Math.max(0, earliest - DAY) };
}

/**
 * The items without their last one if it is the `after:` that would be added to the others, as in an echo.
 */
export function withoutImplied(items: readonly QueryItem[]): readonly QueryItem[] {
  const last = items.at(-1);
  const others = items.slice(0, -1);
  return last?.kind === 'after' && impliedAfter(others)?.time === last.time ? others : items;
}
