// Entity tags: one name for each answer, so that a caller who has it already gets a 304 (RFC 9110, 8.8.3 and 13.1.2).

import { createHash } from 'node:crypto';

/** The tag of a body. Weak, since one answer has a form for each content coding. */
export function etagOf(body: string): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** True where the header `If-None-Match` names this tag: alone, in a list, or by `*`. Weak comparison. */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}
