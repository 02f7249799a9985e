// Texts of records as markup: escaped, with entities decoded as for matching, with nothing that could hide or
// reverse the text around them, and with the words of the query found and marked.

import type { Query, Word } from '../../model/query.ts';
import { decodeEntities } from '../../text/entities.ts';
import { type TokenSpan, tokenSpans } from '../../text/tokenizer.ts';
import { counted } from './format.ts';
import { type Html, html } from './html.ts';

export interface Segment {
  readonly text: string;
  readonly isMarked: boolean;
  /** Where it leads, on the web; absent: it is no link. */
  readonly href?: string;
}

/** The words to mark: those that a record must contain. */
export function wordsOf(query: Query): readonly Word[] {
  return query.items.flatMap((item) => (item.kind === 'words' && !item.negated ? item.words : []));
}

/** The text in segments, which joined are the decoded text. Exactly the tokens that the words match are marked. */
export function segmentsOf(text: string, words: readonly Word[]): Segment[] {
  return markedParts(decodeEntities(text), words);
}

/** The same of a text that is decoded, as everything below has it. */
export function markedParts(decoded: string, words: readonly Word[]): Segment[] {
  return segmentsBetween(decoded, matchesIn(decoded, words), 0, decoded.length);
}

export function matchesIn(decoded: string, words: readonly Word[]): Match[] {
  if (words.length === 0) return [];
  const finder = finderOf(words);
  return finder.matches(tokenSpans(decoded, finder.beginnings));
}

/**
 * The part of the text between two offsets in segments. The matches are sorted by start, do not overlap, and each
 * overlaps the part.
 */
export function segmentsBetween(
  text: string,
  matches: readonly Match[],
  from: number,
  to: number,
): Segment[] {
  const segments: Segment[] = [];
  const add = (start: number, end: number, isMarked: boolean) => {
    if (end > start) segments.push({ text: text.slice(start, end), isMarked });
  };
  let end = from;
  for (const match of matches) {
    const start = Math.max(match.start, end);
    const matchEnd = Math.min(match.end, to);
    add(end, start, false);
    add(start, matchEnd, true);
    end = matchEnd;
  }
  add(end, to, false);
  return segments;
}

/**
 * Control characters, and those that open, close or override a direction of writing, are shown by name. Line
 * breaks and tabs stay.
 */
const HIDDEN = /([[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u2028\u2029\ufff9-\ufffb]--[\n\t]])/v;

/** Marks beyond this number on one letter are left out, since they would be drawn over the lines around. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

export function renderSegments(segments: readonly Segment[]): Html {
  const markup: Html[] = [];
  for (let at = 0; at < segments.length; ) {
    const { href } = segments[at]!;
    const inside: Html[] = [];
    for (; at < segments.length && segments[at]!.href === href; at++) {
      const { text, isMarked } = segments[at]!;
      inside.push(isMarked ? html`<mark>${visible(text)}</mark>` : visible(text));
    }
    markup.push(href === undefined ? html`${inside}` : linkOut(href, html`${inside}`));
  }
  return html`${markup}`;
}

/** A link that somebody wrote: none of ours, and no recommendation. */
export function linkOut(href: string, words: Html): Html {
  return html`<a href="${href}" rel="nofollow noopener ugc">${words}</a>`;
}

/** Texts in which nothing is hidden and nothing piled: most of them, told at a glance. */
const PLAIN = /^[\n\x20-\x7e]*$/;

/** Somebody's text as markup, with hidden characters made visible. */
export function visible(text: string): Html {
  if (PLAIN.test(text)) return html`${text}`;
  const tame = text.replace(/\r\n?/g, '\n').replace(PILED_MARKS, '$1');
  // The odd pieces are those that the group caught.
  const pieces = tame.split(HIDDEN);
  return html`${pieces.map((piece, at) => (at % 2 === 0 ? piece : html`<span class="control">${nameOf(piece)}</span>`))}`;
}

/** Somebody's text for a place without markup, such as the title of a page: hidden characters become U+FFFD. */
export function visibleText(text: string): string {
  return text
    .split(HIDDEN)
    .map((piece, at) => (at % 2 === 0 ? piece : '\ufffd'))
    .join('');
}

function nameOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A short text, such as a title, with its words marked and a direction of its own. */
export function markedText(text: string, words: readonly Word[]): Html {
  return html`<bdi>${renderSegments(segmentsOf(text, words))}</bdi>`;
}

/**
 * Some `limit` characters of the segments, white space as single spaces: where the most of the marked words stand
 * together, from the start if that is near. null if there are no more characters and no more than `lines` lines.
 */
export function excerptOf(segments: readonly Segment[], limit: number, lines: number): Segment[] | null {
  const length = lengthOf(segments);
  const lineCount = segments.reduce((sum, { text }) => sum + text.split('\n').length - 1, 1);
  if (length <= limit && lineCount <= lines) return null;
  const dense = segments.map((segment) => ({ ...segment, text: denseText(segment.text) }));
  const best = bestMark(dense, limit * 0.7);
  const start = best <= limit * 0.35 ? 0 : Math.max(0, Math.min(best - limit / 5, lengthOf(dense) - limit));
  const { kept, isCut } = window(dense, Math.floor(start), Math.floor(start) + limit);
  if (start > 0) kept.unshift({ text: '… ', isMarked: false });
  return isCut ? withDots(kept) : kept;
}

/** White space that is not a single space. Most of it is, and is not touched. */
const LOOSE_SPACE = /[\s--\ufeff]{2,}|[\s--[ \ufeff]]/gv;

function denseText(text: string): string {
  const dense = text.replace(LOOSE_SPACE, ' ');
  return PLAIN.test(dense) ? dense : dense.replace(PILED_MARKS, '$1');
}

function lengthOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { text }) => sum + text.length, 0);
}

/**
 * Where the first of those marked segments begins that within `reach` characters have the most different texts, and of
 * such the most in all; 0 if none is marked.
 */
function bestMark(segments: readonly Segment[], reach: number): number {
  const marks: { readonly start: number; readonly word: string }[] = [];
  let offset = 0;
  for (const { text, isMarked } of segments) {
    if (isMarked) marks.push({ start: offset, word: text.toLowerCase() });
    offset += text.length;
  }
  let best = { start: marks[0]?.start ?? 0, words: 0, marks: 0 };
  const counts = new Map<string, number>();
  let end = 0;
  for (const [at, { start, word }] of marks.entries()) {
    for (; end < marks.length && marks[end]!.start < start + reach; end++) {
      counts.set(marks[end]!.word, (counts.get(marks[end]!.word) ?? 0) + 1);
    }
    const found = { start, words: counts.size, marks: end - at };
    if (found.words > best.words || (found.words === best.words && found.marks > best.marks)) best = found;
    const left = counts.get(word)! - 1;
    if (left === 0) counts.delete(word);
    else counts.set(word, left);
  }
  return best.start;
}

function withDots(segments: readonly Segment[]): Segment[] {
  const last = segments.at(-1);
  if (last === undefined) return [];
  const dots = { text: ' …', isMarked: false };
  return [...segments.slice(0, -1), { ...last, text: last.text.trimEnd() }, dots];
}

/** The first `limit` characters of the segments as they are; null if there are no more. */
export function startOf(segments: readonly Segment[], limit: number): Segment[] | null {
  if (lengthOf(segments) <= limit) return null;
  return withDots(window(segments, 0, limit).kept);
}

/** The part of the segments between two offsets, cut at spaces; whether any of them goes on behind it. */
function window(
  segments: readonly Segment[],
  from: number,
  to: number,
): { readonly kept: Segment[]; readonly isCut: boolean } {
  const kept: Segment[] = [];
  let isCut = false;
  let offset = 0;
  for (const segment of segments) {
    const { text, isMarked } = segment;
    const begin = Math.max(0, from - offset);
    const end = Math.min(text.length, to - offset);
    offset += text.length;
    isCut ||= end < text.length;
    if (end <= begin) continue;
    let part = text.slice(begin, end);
    if (begin > 0 && !isMarked) part = part.replace(/^\S{0,20}\s/, '');
    if (end < text.length && !isMarked) part = part.replace(/\s\S{0,20}$/, '');
    if (part !== '') kept.push({ ...segment, text: part.toWellFormed() });
  }
  return { kept, isCut };
}

function wordCount(text: string): number {
  let words = 0;
  let before = 1;
  // Hot, and without branches: where words end cannot be foreseen.
  for (let i = 0; i < text.length; i++) {
    const isSpace = SPACES[text.charCodeAt(i)]!;
    words += before & (isSpace ^ 1);
    before = isSpace;
  }
  return words;
}

/** By UTF-16 unit: 1 for white space and controls, 0 for others. */
const SPACES = new Uint8Array(0x10000).fill(1, 0, 0x21);
for (const character of [
  ...'\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
  ...'\u2028\u2029\u202f\u205f\u3000\ufeff',
]) {
  SPACES[character.charCodeAt(0)] = 1;
}

/** `214 words`; for a script without spaces, the number of characters. */
export function lengthWords(text: string): string {
  const words = wordCount(text);
  return text.length > MAX_MEAN_WORD * words ? counted(text.length, 'character') : counted(words, 'word');
}

/** Characters in a word; no text has longer ones throughout. */
const MAX_MEAN_WORD = 25;

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
