// Words: terms, phrases and prefixes, alone or as any-of. Contract 2.2, 2.3, 2.4 and 2.5, and contract 3.5.

import type { ProblemCode } from '../../errors.ts';
import type { Word } from '../../model/query.ts';
import { quoted } from '../../text/quoted.ts';
import { tokens } from '../../text/tokenizer.ts';
import { type Operator, type OperatorKind, readOperator } from './query-syntax.ts';
import { refuseReserved } from './reserved.ts';
import {
  dropped,
  type FaultyItem,
  faulty,
  type SyntaxItem,
  understood,
  type Written,
} from './syntax-tree.ts';

/** One side of a `|`, or an item without one: its text, without its `-` and its quotes. */
export interface Alternative {
  readonly text: string;
  readonly isQuoted: boolean;
  /** How many `-` were in front of it. */
  readonly minuses: number;
}

/** Characters (code points of the folded token) that a prefix must have. */
const MIN_PREFIX_CHARACTERS = 2;

/** Skips alternatives without tokens; drops the item if none is left. */
export function readWords(alternatives: readonly Alternative[], item: Written): SyntaxItem {
  const words: Word[] = [];
  const negated = alternatives[0]!.minuses > 0;
  for (const [i, { text, isQuoted, minuses }] of alternatives.entries()) {
    // A `-` after a bar is reported before any other fault of the word that follows.
    if (i > 0 && minuses > 0 && tokens(text).length > 0) return refuseMinus(item);
    const word = isQuoted ? plainWord(text) : readBare(text, item);
    if (word?.kind === 'faulty') return word;
    if (word !== null) words.push(word);
  }
  return words.length === 0 ? dropped(item) : understood(item, { kind: 'words', words, negated });
}

function refuseMinus(item: Written): FaultyItem {
  const found = `it after \`|\` in ${quoted(item.text)}`;
  return faulty(item, 'cannot_negate', '`-` before the whole group, as in `-a|b`', { found });
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

/** The fault of an operator beside a `|`, where only a word is allowed. */
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
