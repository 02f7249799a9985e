// The result codes of SQLite that the code tells apart (https://www.sqlite.org/rescode.html).

/** Another connection holds the database. */
export const SQLITE_BUSY = 5;

/** SQLite's result code without its extension; undefined for errors that are not SQLite's. */
export function primaryCode(error: unknown): number | undefined {
  const code = (error as { readonly errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}
