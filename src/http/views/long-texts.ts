// Texts of any length, in pieces, so that marking a mebibyte delays nobody else.

import type { Word } from '../../model/query.ts';
import type { Turns } from '../../model/waiting.ts';
import { decodeEntities } from '../../text/entities.ts';
import { type TokenSpan, tokenSpans } from '../../text/tokenizer.ts';
import { type Html, html } from './html.ts';
import { markdown, plainSegments } from './markdown.ts';
import {
  finderOf,
  type Match,
  renderSegments,
  type Segment,
  segmentsBetween,
  type WordFinder,
} from './record-text.ts';

/** UTF-16 units of one piece. */
const PIECE_UNITS = 4096;
/** The same where the first match is looked for: most stand near the beginning, and then the rest is not read. */
const SEARCHED_PIECE_UNITS = 1024;
/** Not the carriage return, since the character after it may belong to it. */
const SPACE = /[ \n\t]/;
/** Signs after which a cut splits no word, entity or emoji: for texts written without spaces. */
const SIGN = /[、。，！？]/;

/**
 * Where a piece that begins at `start` ends: after a space, so that no token, entity or character is cut. If
 * there is none, after a Chinese or Japanese sign; otherwise somewhere between two characters, so a word of
 * thousands of letters becomes two.
 */
function endOfPiece(text: string, start: number, units = PIECE_UNITS): number {
  const most = start + units;
  if (most >= text.length) return text.length;
  for (const end of [SPACE, SIGN]) {
    for (let i = most; i > start; i--) if (end.test(text.charAt(i - 1))) return i;
  }
  return isPairSplit(text, most) ? most - 1 : most;
}

function isPairSplit(text: string, at: number): boolean {
  return at > 0 && text.codePointAt(at - 1)! > 0xffff;
}

/** The longest text that is read as Markdown, in UTF-16 units: the site takes none above 40,000 characters. */
const MAX_MARKDOWN = 60_000;

/** The whole text as blocks of markup, with words marked wherever they occur. */
export async function wholeBlocks(text: string, words: readonly Word[], turns: Turns): Promise<Html> {
  if (text.length <= MAX_MARKDOWN) return markdown(text, words);
  return html`<p>${await markedWhole(text, words, turns)}</p>`;
}

/** The same without a look at its syntax, in one piece of markup. */
export async function markedWhole(text: string, words: readonly Word[], turns: Turns): Promise<Html> {
  const finder = finderOf(words);
  const decoded = await decodedInPieces(text, turns);
  const matches = finder.longest === 0 ? [] : await matchesOf(decoded, finder, turns);
  const markup: Html[] = [];
  let next = 0;
  for (let start = 0; start < decoded.length; ) {
    const end = endOfPiece(decoded, start);
    const inside: Match[] = [];
    while (next < matches.length && matches[next]!.start < end) inside.push(matches[next++]!);
    // A phrase that continues in the next piece is marked there too.
    if (inside.at(-1) !== undefined && inside.at(-1)!.end > end) next--;
    markup.push(renderSegments(segmentsBetween(decoded, inside, start, end)));
    start = end;
    await turns.next();
  }
  return html`${markup}`;
}

async function decodedInPieces(text: string, turns: Turns): Promise<string> {
  if (!text.includes('&')) return text;
  let decoded = '';
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = endOfPiece(text, start);
    decoded += decodeEntities(text.slice(start, end));
    await turns.next();
  }
  return decoded;
}

async function matchesOf(text: string, finder: WordFinder, turns: Turns): Promise<Match[]> {
  const matches: Match[] = [];
  for await (const found of matchesByPiece(text, finder, PIECE_UNITS, turns)) {
    for (const match of found) {
      const before = matches.at(-1)?.end ?? 0;
      if (match.end > before) matches.push({ start: Math.max(before, match.start), end: match.end });
    }
  }
  return matches;
}

/** How many UTF-16 units of a text are searched for the first match. */
const MAX_SEARCHED_UNITS = 50_000;

async function firstMatch(text: string, words: readonly Word[], turns: Turns): Promise<number | null> {
  const finder = finderOf(words);
  if (finder.longest === 0) return null;
  const pieces = matchesByPiece(text, finder, SEARCHED_PIECE_UNITS, turns, MAX_SEARCHED_UNITS);
  for await (const [first] of pieces) if (first !== undefined) return first.start;
  return null;
}

/** The matches of each piece that begins before `limit`; those of a phrase of two pieces come with the second. */
async function* matchesByPiece(
  text: string,
  finder: WordFinder,
  units: number,
  turns: Turns,
  limit = Infinity,
): AsyncGenerator<readonly Match[]> {
  const spans: TokenSpan[] = [];
  let matched = 0;
  for (let start = 0; start < Math.min(text.length, limit); ) {
    const end = endOfPiece(text, start, units);
    for (const span of tokenSpans(text.slice(start, end), finder.beginnings))
      spans.push({ token: span.token, start: span.start + start, end: span.end + start });
    start = end;
    // A match that may continue in the next piece waits for it.
    const ready = end === text.length ? spans.length : Math.max(matched, spans.length - finder.longest + 1);
    yield finder.matches(spans, matched, ready);
    matched = ready;
    await turns.next();
  }
}

/**
 * Some `reach` units around the first match, from which an excerpt is cut, without their syntax. Begins at the start
 * of the text if that is near, or if nothing matches.
 */
export async function surroundings(
  text: string,
  words: readonly Word[],
  reach: number,
  turns: Turns,
): Promise<readonly Segment[]> {
  const decoded = decodeEntities(text.slice(0, endOfPiece(text, 0, MAX_SEARCHED_UNITS + 4 * reach)));
  const first = decoded.length <= 2 * reach ? 0 : ((await firstMatch(decoded, words, turns)) ?? 0);
  const from = first <= reach ? 0 : behindSpace(decoded, first - reach);
  const to = from + 3 * reach;
  const part = decoded.slice(from, isPairSplit(decoded, to) ? to - 1 : to);
  return plainSegments(part, words);
}

/** The offset after the first space at or after `at`; `at` if none is near. */
function behindSpace(text: string, at: number): number {
  for (let i = at; i < at + 100; i++) if (SPACE.test(text.charAt(i))) return i + 1;
  return isPairSplit(text, at) ? at - 1 : at;
}
