// Finds the words of a query among the tokens of a text.

import type { Word } from '../../model/query.ts';
import type { TokenSpan } from '../../text/tokenizer.ts';

/** The place of a word of the query, in UTF-16 units of the text. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

type Phrase = Extract<Word, { readonly kind: 'phrase' }>;

const finders = new WeakMap<readonly Word[], WordFinder>();

/** Made once for a list of words, which must not change: a page looks for the same words in all its texts. */
export function finderOf(words: readonly Word[]): WordFinder {
  return finders.getOrInsertComputed(words, () => new WordFinder(words));
}

/** The words of a query, arranged so that one look at a token tells which of them may begin there. */
export class WordFinder {
  readonly #terms = new Set<string>();
  /** By their first token. */
  readonly #phrases = new Map<string, Phrase[]>();
  readonly #prefixes: string[] = [];
  /** By low byte of a unit: whether a word begins with such a unit. Most tokens need no further look-up. */
  readonly #beginnings = new Uint8Array(256);
  /** The same, where tokens that begin otherwise need not be known; null: they do, for what stands side by side. */
  readonly beginnings: Uint8Array | null;
  /** The most tokens of any word; 0 if there is no word. */
  readonly longest: number = 0;

  constructor(words: readonly Word[]) {
    for (const word of words) {
      this.#beginnings[beginningOf(word) & 0xff] = 1;
      if (word.kind === 'term') this.#terms.add(word.token);
      else if (word.kind === 'prefix') this.#prefixes.push(word.prefix);
      else {
        const first = word.tokens[0]!;
        this.#phrases.set(first, [...(this.#phrases.get(first) ?? []), word]);
      }
      this.longest = Math.max(this.longest, word.kind === 'phrase' ? word.tokens.length : 1);
    }
    this.beginnings = this.longest > 1 ? null : this.#beginnings;
  }

  /** Matches that begin at the spans `from` to `to`, sorted by start; none overlaps the one before it. */
  matches(spans: readonly TokenSpan[], from = 0, to = spans.length): Match[] {
    const matches: Match[] = [];
    let end = -1;
    for (let at = from; at < to; at++) {
      const length = this.#lengthAt(spans, at);
      if (length === 0) continue;
      const start = Math.max(end, spans[at]!.start);
      const matchEnd = spans[at + length - 1]!.end;
      if (matchEnd <= start) continue;
      matches.push({ start, end: matchEnd });
      end = matchEnd;
    }
    return matches;
  }

  /** How many tokens the longest word that matches here has; 0: none does. */
  #lengthAt(spans: readonly TokenSpan[], at: number): number {
    const { token } = spans[at]!;
    if (this.#beginnings[token.charCodeAt(0) & 0xff] === 0) return 0;
    const length = this.#phrases.size === 0 ? 0 : this.#phraseAt(spans, at);
    if (length > 0) return length;
    return this.#terms.has(token) || this.#prefixes.some((prefix) => token.startsWith(prefix)) ? 1 : 0;
  }

  #phraseAt(spans: readonly TokenSpan[], at: number): number {
    let length = 0;
    for (const { tokens } of this.#phrases.get(spans[at]!.token) ?? []) {
      const isMatch = tokens.length > length && tokens.every((wanted, i) => spans[at + i]?.token === wanted);
      if (isMatch) length = tokens.length;
    }
    return length;
  }
}

function beginningOf(word: Word): number {
  if (word.kind === 'prefix') return word.prefix.charCodeAt(0);
  return (word.kind === 'term' ? word.token : word.tokens[0]!).charCodeAt(0);
}
