// Turns query text into a syntax tree: the range and meaning of each item. Section 2 of the contract, and contract 3.2,
// 3.5 and 3.6; operators.ts parses operators. Words are terms, phrases and prefixes, alone or as any-of.

import type { ProblemCode } from '../../errors.ts';
import type { Word } from '../../model/query.ts';
import { quoted } from '../../text/quoted.ts';
import { tokens } from '../../text/tokenizer.ts';
import { readOperatorItem, refuseReserved } from './operators.ts';
import {
  dropped,
  type FaultyItem,
  faulty,
  type Operator,
  type OperatorKind,
  QUOTES,
  readOperator,
  SEPARATORS,
  type SyntaxItem,
  type SyntaxTree,
  understood,
  type Written,
} from './syntax.ts';

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
