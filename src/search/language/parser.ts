// Turns query text into a syntax tree: where each item begins and ends, and what it is. Section 2 of the
// contract, and contract 3.2, 3.5 and 3.6; operators.ts and words.ts read the inside of an item.

import { quoted } from '../../text/quoted.ts';
import { readOperatorItem } from './operators.ts';
import { QUOTES, readOperator, SEPARATORS } from './query-syntax.ts';
import { faulty, type SyntaxItem, type SyntaxTree, type Written } from './syntax-tree.ts';
import { type Alternative, readWords } from './words.ts';

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

/** An item cut into its parts. */
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
