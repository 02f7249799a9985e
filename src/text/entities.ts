// HTML entities in the texts of dumps, decoded twice, because dumps escape text that is already escaped
// (`&amp;#x200B;`).

import { ENTITY_NAMES } from './entity-names.ts';

// The semicolon is required: `?a=1&copy=2` contains no copyright sign.
const ENTITY = /&(?:#([0-9]+)|#[xX]([0-9a-fA-F]+)|([A-Za-z][A-Za-z0-9]*));/g;

/**
 * Numeric references to U+0080–U+009F mean Windows-1252, as browsers read them; the five that it leaves
 * undefined stay as they are. https://html.spec.whatwg.org/#numeric-character-reference-end-state
 */
const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/**
 * The text with its entities decoded twice: named (HTML 4 and `&apos;`, case-sensitive), decimal and
 * hexadecimal, each with its semicolon. Everything else stays as it is. NUL, surrogates and numbers past
 * U+10FFFF become U+FFFD. Linear time.
 */
export function decodeEntities(text: string): string {
  return text.includes('&') ? decodeOnce(decodeOnce(text)) : text;
}

function decodeOnce(text: string): string {
  return text.replace(ENTITY, decodeEntity);
}

/** `entity` itself if the name is unknown. */
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
  /**
   * Replaces places in `text` by those in the original, in the same array: start and end of each in turn,
   * none of them empty, neither starts nor ends ever going down. Text that came from an entity has the place
   * of the whole entity.
   */
  locate(places: number[]): void;
}

/** The same text as `decodeEntities` gives. */
export function decodeEntitiesWithPlaces(original: string): DecodedText {
  if (!original.includes('&')) return { text: original, locate: () => {} };
  const once = decodeOnceWithPlaces(original);
  const twice = decodeOnceWithPlaces(once.text);
  return {
    text: twice.text,
    locate(places) {
      twice.locate(places);
      once.locate(places);
    },
  };
}

function decodeOnceWithPlaces(original: string): DecodedText {
  const entities: PlacedEntity[] = [];
  let shrunk = 0;
  const text = original.replace(ENTITY, (entity, decimal, hex, name, offset: number) => {
    const character = decodeEntity(entity, decimal, hex, name);
    // An unknown name stays as it is.
    if (character === entity) return entity;
    const start = offset - shrunk;
    const end = start + character.length;
    shrunk += entity.length - character.length;
    entities.push({ start, end, originalStart: offset, originalEnd: offset + entity.length });
    return character;
  });
  return { text, locate: (places) => locate(places, entities) };
}

/** Where its characters are in the decoded text, and where it was in the original. */
interface PlacedEntity {
  readonly start: number;
  readonly end: number;
  readonly originalStart: number;
  readonly originalEnd: number;
}

function locate(places: number[], entities: readonly PlacedEntity[]): void {
  // How many entities begin at or before the unit.
  let beforeStart = 0;
  let beforeEnd = 0;
  for (let i = 0; i < places.length; i += 2) {
    const first = places[i]!;
    while (beforeStart < entities.length && entities[beforeStart]!.start <= first) beforeStart++;
    const last = places[i + 1]! - 1;
    while (beforeEnd < entities.length && entities[beforeEnd]!.start <= last) beforeEnd++;
    const atStart = entities[beforeStart - 1];
    if (atStart !== undefined) {
      places[i] = first < atStart.end ? atStart.originalStart : first - atStart.end + atStart.originalEnd;
    }
    const atEnd = entities[beforeEnd - 1];
    if (atEnd !== undefined) {
      places[i + 1] = last < atEnd.end ? atEnd.originalEnd : last + 1 - atEnd.end + atEnd.originalEnd;
    }
  }
}
