// HTML entities in the texts of dumps, decoded twice: dumps escape what was escaped already (`&amp;#x200B;`).

import { ENTITY_NAMES } from './entity-names.ts';

// The semicolon is asked for: `?a=1&copy=2` is no copyright sign.
const ENTITY = /&(?:#([0-9]+)|#[xX]([0-9a-fA-F]+)|([A-Za-z][A-Za-z0-9]*));/g;

/**
 * Numeric references to U+0080–U+009F mean Windows-1252, as browsers read them; the five it leaves open stay.
 * https://html.spec.whatwg.org/#numeric-character-reference-end-state
 */
const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/**
 * The text with its entities decoded, twice: named (HTML 4 and `&apos;`, case-sensitive), decimal, hexadecimal, each
 * with its semicolon. What is no entity stays as it is. NUL, surrogates and numbers past U+10FFFF become U+FFFD.
 * Linear time.
 */
export function decodeEntities(text: string): string {
  return text.includes('&') ? decodeOnce(decodeOnce(text)) : text;
}

function decodeOnce(text: string): string {
  return text.replace(ENTITY, decodeEntity);
}

/** `entity` itself where the name is unknown. */
function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITY_NAMES.get(name) ?? entity;
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : parseInt(decimal, 10);
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.charAt(code - 0x80);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}

/** A decoded text that knows where each of its UTF-16 units came from. */
export interface DecodedText {
  readonly text: string;
  /** Offset in the original of the first unit that became `text[i]`, for 0 <= i < text.length. */
  start(i: number): number;
  /** Offset in the original behind the last unit that became `text[i]`. */
  end(i: number): number;
}

/** The same text as `decodeEntities` gives. */
export function decodeEntitiesWithOffsets(original: string): DecodedText {
  if (!original.includes('&')) return { text: original, start: (i) => i, end: (i) => i + 1 };
  const once = decodeOnceWithOffsets(original);
  const twice = decodeOnceWithOffsets(once.text);
  return {
    text: twice.text,
    start: (i) => once.starts[twice.starts[i]!]!,
    end: (i) => once.ends[twice.ends[i]! - 1]!,
  };
}

function decodeOnceWithOffsets(text: string): { text: string; starts: number[]; ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  const copyTo = (end: number) => {
    for (let i = ends.at(-1) ?? 0; i < end; i++) {
      starts.push(i);
      ends.push(i + 1);
    }
  };
  const decoded = text.replace(ENTITY, (entity, decimal, hex, name, offset: number) => {
    const character = decodeEntity(entity, decimal, hex, name);
    copyTo(offset);
    // An unknown name stays, and is copied unit by unit with what follows it.
    if (character === entity) return entity;
    for (let i = 0; i < character.length; i++) {
      starts.push(offset);
      ends.push(offset + entity.length);
    }
    return character;
  });
  copyTo(text.length);
  return { text: decoded, starts, ends };
}
