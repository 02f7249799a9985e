// Cells and rows of CSV (RFC 4180), but for LF as the end of a row.

/** In quotes where its characters need them. */
export function quotedIfNeeded(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
