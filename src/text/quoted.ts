// Somebody's text where it must not break a line: in a message, in a list, and in the rows of CSV.

const MAX_QUOTED = 60;

/**
 * In backticks, for a message: cut after `most` characters, with control characters and lone surrogates made visible.
 */
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

/** A cell of CSV (RFC 4180): in quotes where its characters need them. */
export function quotedIfNeeded(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a spreadsheet takes for a formula or skips (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

export const SHEET = { head: '\ufeff', end: '\r\n' } as const;

/** The text of a cell for spreadsheets: with an apostrophe where they would take it for a formula. */
export function sheetText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Cells joined, without the end of the row (LF, against RFC 4180); texts as `textCell` writes them, null empty. */
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
  // Readers pass over an empty line, but not over an empty cell in quotes.
  return line === '' ? '""' : line;
}
