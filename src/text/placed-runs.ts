// Runs of the general path, with the places of their tokens: the stretch of text that each was folded from.

import { CONTINUATION, FOLDED_TOKEN, fold, IGNORABLES, RUN_WITH_IGNORABLES } from './folding.ts';

/**
 * The tokens of a text without emoji and entities, not yet cut, as folding its runs gives them. Adds the start and end
 * of each, plus `start`, to `places`: those of the pieces it comes from, without the ignorable characters around them.
 */
export function foldPlacedRuns(text: string, start: number, places: number[]): string[] {
  const found: string[] = [];
  for (const { 0: run, index } of text.matchAll(RUN_WITH_IGNORABLES)) {
    const folded = fold(run.replace(IGNORABLES, ''));
    const tokens = folded.match(FOLDED_TOKEN);
    if (tokens === null) continue;
    const isOneToken = tokens[0].length === folded.length;
    if (isOneToken) placeWhole(run, start + index, places);
    else placeEach(tokens, folded, { run, start: start + index }, places);
    for (const token of tokens) found.push(token);
  }
  return found;
}

function placeWhole(run: string, start: number, places: number[]): void {
  const first = startOfPiece(run, 0);
  let end = first;
  for (let i = first; i < run.length; i += sizeAt(run, i)) {
    if (roleAt(run, i) !== IGNORED) end = i + sizeAt(run, i);
  }
  places.push(start + first, start + end);
}

interface PlacedRun {
  readonly run: string;
  readonly start: number;
}

/** Walks the run piece by piece (PIECE in folding.ts), in step with its folded form. */
function placeEach(
  tokens: readonly string[],
  folded: string,
  { run, start }: PlacedRun,
  places: number[],
): void {
  let pieceStart = 0;
  let pieceEnd = 0;
  let foldedEnd = 0;
  /**
   * Moves to the piece that the character at this offset of `folded` comes from; to the last piece if the pieces give
   * less than the run (a letter under the mark of the vowel AM keeps that mark only beside the vowel).
   */
  const goTo = (offset: number) => {
    while (foldedEnd <= offset) {
      const next = startOfPiece(run, pieceEnd);
      if (next >= run.length) return;
      pieceStart = next;
      pieceEnd = endOfPiece(run, pieceStart);
      foldedEnd += foldedLength(run.slice(pieceStart, pieceEnd));
    }
  };
  let tokenEnd = 0;
  for (const token of tokens) {
    // Nothing between two tokens could begin a token.
    const tokenStart = folded.indexOf(token, tokenEnd);
    tokenEnd = tokenStart + token.length;
    goTo(tokenStart);
    places.push(start + pieceStart);
    goTo(tokenEnd - 1);
    places.push(start + pieceEnd);
  }
}

function startOfPiece(run: string, from: number): number {
  let start = from;
  while (roleAt(run, start) & IGNORED) start += sizeAt(run, start);
  return start;
}

function endOfPiece(run: string, start: number): number {
  let end = start + sizeAt(run, start);
  for (let next = end; next < run.length && roleAt(run, next) !== STARTS; ) {
    const isPart = roleAt(run, next) & CONTINUES;
    next += sizeAt(run, next);
    if (isPart) end = next;
  }
  return end;
}

/** Length of the folded form of short pieces; texts in one script use few different ones. */
const lengths = new Map<string, number>();
const MAX_KEPT_LENGTHS = 10_000;
const MAX_KEPT_UNITS = 8;

function foldedLength(piece: string): number {
  const known = lengths.get(piece);
  if (known !== undefined) return known;
  const { length } = fold(piece.replace(IGNORABLES, ''));
  if (piece.length <= MAX_KEPT_UNITS && lengths.size < MAX_KEPT_LENGTHS) lengths.set(String(piece), length);
  return length;
}

const STARTS = 1;
const IGNORED = 2;
/** Variation selectors and fillers are both a mark and ignorable. */
const CONTINUES = 4;
/** By code point below U+10000; 0: not looked at yet. */
const roles = new Uint8Array(0x10000);
const IGNORABLE = /^\p{Default_Ignorable_Code_Point}$/u;

function roleAt(run: string, i: number): number {
  const code = run.codePointAt(i);
  if (code === undefined) return STARTS;
  if (code > 0xffff) return roleOf(code);
  const known = roles[code]!;
  if (known !== 0) return known;
  const role = roleOf(code);
  roles[code] = role;
  return role;
}

function roleOf(code: number): number {
  const character = String.fromCodePoint(code);
  const ignored = IGNORABLE.test(character) ? IGNORED : 0;
  const continues = CONTINUATION.test(character) ? CONTINUES : 0;
  return ignored | continues || STARTS;
}

function sizeAt(run: string, i: number): number {
  return run.codePointAt(i)! > 0xffff ? 2 : 1;
}
