// Cells and rows of CSV (RFC 4180), but for LF as the end of a row.

/** In quotes where its characters need them. */
export function quotedIfNeeded(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a spreadsheet takes for a formula or skips (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** What begins a file for spreadsheets, and what ends its rows. */
export const SHEET = { head: '\ufeff', end: '\r\n' } as const;

/** The text of a cell for spreadsheets: with an apostrophe where they would take it for a formula. */
export function sheetText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Cells joined, without the end of the row; texts as `textCell` writes them, null empty. */
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
