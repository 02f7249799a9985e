// Entity tags: one name for each answer, so that a caller who already has it gets a 304 (RFC 9110, 8.8.3 and
// 13.1.2).

import { createHash, hash as hashWhole } from 'node:crypto';
import { turn } from './turns.ts';

/** The tag of a body, in pieces or not. Weak, since one answer has a form for each content coding. */
export async function etagOf(body: string | readonly Buffer[]): Promise<string> {
  if (typeof body === 'string') return tagOf(hashWhole('sha256', body, 'base64url'));
  if (body.length === 1) return tagOf(hashWhole('sha256', body[0]!, 'base64url'));
  const hash = createHash('sha256');
  for (const [i, piece] of body.entries()) {
    // Hashing a large body lets others have their turn.
    if (i > 0) await turn();
    hash.update(piece);
  }
  return tagOf(hash.digest('base64url'));
}

function tagOf(hash: string): string {
  return `W/"${hash.slice(0, 22)}"`;
}

/** True if the header `If-None-Match` names this tag: alone, in a list, or by `*`. Weak comparison. */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}
