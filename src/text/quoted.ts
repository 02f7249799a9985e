// Makes foreign text safe to embed: in messages, lists, and rows of CSV.

const MAX_QUOTED = 60;

/** For messages: in backticks, cut after `most` characters; makes control characters and lone surrogates visible. */
export function quoted(text: string, most = MAX_QUOTED): string {
  return `\`${cut(text.slice(0, 2 * most + 2), most).replace(/\p{Cc}|\p{Cs}/gu, '\ufffd')}\``;
}

/**
 * The first `most` characters, then `…` if there are more; a run of white space and control characters
 * becomes one space.
 */
export function oneLine(text: string, most: number): string {
  return cut(text.replace(/[\s\p{Cc}\p{Cf}\p{Cn}]+/gu, ' ').trim(), most);
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}

/** A cell of CSV (RFC 4180), quoted if necessary. */
export function quotedIfNeeded(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Starts of a formula, or skipped before one (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

export const SHEET = { head: '\ufeff', end: '\r\n' } as const;

/** Puts an apostrophe before text that a spreadsheet would take for a formula. */
export function sheetText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** A row without its line end (LF, unlike RFC 4180). `textCell` formats strings; null becomes an empty cell. */
export function csvCells(
  cells: readonly (string | number | boolean | null)[],
  textCell: (text: string) => string = quotedIfNeeded,
): string {
  let line = '';
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]!;
    if (i > 0) line += ',';
    if (typeof cell === 'string') line += textCell(cell);
    else if (cell !== null) line += String(cell);
  }
  // Readers skip an empty line, but not a quoted empty cell.
  return line === '' ? '""' : line;
}
