// Which part of a file a request asks for (RFC 9110, 14.1.2 and 14.2).

/** Bytes from `start` up to `end`, which is out. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One range: `bytes=0-99`, `bytes=100-`, `bytes=-100`; a position may have any number of digits. */
const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * null: the whole file, because nothing else is asked for, or something that a server may pass over: other units,
 * several ranges (which would need a body in parts), or no range at all. `unsatisfiable`: there is no byte in it.
 * `length`: of the file.
 */
export function readRange(header: string | undefined, length: number): ByteRange | null | 'unsatisfiable' {
  const [, first = '', last = ''] = SINGLE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const suffix = Number(last);
    return suffix === 0 || length === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, length - suffix), end: length };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= length) return 'unsatisfiable';
  return { start, end: last === '' ? length : Math.min(length, Number(last) + 1) };
}

/**
 * Whether a range holds under `If-Range` (RFC 9110, 13.1.5): absent, this strong tag, or exactly this date. `modified`:
 * as `Last-Modified` tells it.
 */
export function isRangeOf(ifRange: string | undefined, etag: string, modified: string): boolean {
  if (ifRange === undefined) return true;
  const given = ifRange.trim();
  return given === etag || given === modified;
}
