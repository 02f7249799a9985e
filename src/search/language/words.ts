// Words: terms, phrases and prefixes, alone or as any-of. Contract 2.2, 2.3, 2.4 and 2.5, and contract 3.5.

import type { Word } from '../../model/query.ts';
import { readOperator } from '../../model/query-syntax.ts';
import { quoted } from '../../text/quoted.ts';
import { tokens } from '../../text/tokenizer.ts';
import { refuseInAnyOf } from './operators.ts';
import type { Fault, Reading } from './reading.ts';

/** One side of a `|`, or an item without one: what stood there, without its `-` and its quotes. */
export interface Alternative {
  readonly text: string;
  readonly isQuoted: boolean;
  /** How many `-` stood before it. */
  readonly minuses: number;
}

/** Characters (code points of the folded token) that a prefix must have. */
export const MIN_PREFIX_CHARACTERS = 2;

/** Alternatives without tokens are dropped; null where none is left. `item` is the whole item, for messages. */
export function readWords(alternatives: readonly Alternative[], item: string): Reading | null {
  const words: Word[] = [];
  const negated = alternatives[0]!.minuses > 0;
  for (const [i, { text, isQuoted, minuses }] of alternatives.entries()) {
    // A `-` behind a bar comes before whatever else is wrong with what it stands before.
    if (i > 0 && minuses > 0 && tokens(text).length > 0) return minusBehindBar(item);
    const word = isQuoted ? plainWord(text) : readBare(text, item);
    if (word === null) continue;
    if ('code' in word) return word;
    words.push(word);
  }
  return words.length === 0 ? null : { meaning: [{ kind: 'words', words, negated }] };
}

function readBare(text: string, item: string): Word | Fault | null {
  const operator = readOperator(text);
  if (operator !== null) return refuseInAnyOf(operator, item);
  return text.endsWith('*') ? readPrefix(text, item) : plainWord(text);
}

function minusBehindBar(item: string): Fault {
  return {
    code: 'cannot_negate',
    message: `expected \`-\` before the whole group, as in \`-a|b\`, found it behind \`|\` in ${quoted(item)}`,
  };
}

/** A term or a phrase; null without tokens. */
function plainWord(typed: string): Word | null {
  const held = tokens(typed);
  if (held.length > 1) return { kind: 'phrase', tokens: held, typed };
  return held.length === 1 ? { kind: 'term', token: held[0]!, typed } : null;
}

/** `text` ends with `*`; null where no token stands before it. */
function readPrefix(text: string, item: string): Word | Fault | null {
  const typed = withoutStars(text);
  const held = tokens(typed);
  if (held.length === 0) return null;
  const prefix = held[0]!;
  if (held.length === 1 && [...prefix].length >= MIN_PREFIX_CHARACTERS)
    return { kind: 'prefix', prefix, typed };
  const message =
    held.length === 1
      ? `expected at least ${MIN_PREFIX_CHARACTERS} characters before \`*\`, found 1 in ${quoted(item)}`
      : `expected one word before \`*\`, found ${held.length} in ${quoted(item)}`;
  return { code: 'bad_prefix', message };
}

/** A loop, since `/\*+$/` takes quadratic time on stars that stand before something else. */
function withoutStars(text: string): string {
  let end = text.length;
  while (text[end - 1] === '*') end--;
  return text.slice(0, end);
}
