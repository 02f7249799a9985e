// Texts of records as feeds give them: with entities decoded as on pages, without what XML cannot contain or readers
// stumble over, and not too long.

import { decodeEntities } from '../text/entities.ts';
import { oneLine } from '../text/quoted.ts';

/** Characters of the text of an entry. */
export const MAX_ENTRY_TEXT = 2_000;
const MAX_TITLE = 200;

/**
 * Everything but the characters of XML 1.0 (production 2), without the control characters that it discourages; the
 * carriage return too, which an XML parser would make a line feed of.
 */
const UNWANTED = /[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\ufdd0-\ufdef]/gu;

/** At most MAX_ENTRY_TEXT characters (code points); one that is cut ends with `…`. */
export function entryText(text: string): string {
  // A character has 10 units or fewer as an entity, or is left out.
  const begin = text.length > 12 * MAX_ENTRY_TEXT ? text.slice(0, 12 * MAX_ENTRY_TEXT) : text;
  const clean = cleanText(begin).trim();
  const characters = Array.from(clean);
  if (characters.length <= MAX_ENTRY_TEXT && begin.length === text.length) return clean;
  return `${characters.slice(0, MAX_ENTRY_TEXT - 1).join('')}…`;
}

/** One line, at most MAX_TITLE characters and `…`. */
export function entryTitle(text: string): string {
  return oneLine(cleanText(text.slice(0, 12 * MAX_TITLE)), MAX_TITLE);
}

/** What every reader can take: lines end with a line feed. */
export function cleanText(text: string): string {
  return decodeEntities(text).replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(UNWANTED, '');
}
