// The keys of a segment's dictionary: a letter for the kind of thing, then the thing. Everything that a query
// can ask for is a posting list under one of these keys.

import type { Kind, StoredRecord } from '../../../model/record.ts';

/** A band of scores (score-bands.ts), by its two-digit number. */
export const BAND = 'b';
export const COMMUNITY = 'c';
/** The record's own id. */
export const ID = 'i';
/** The post that a comment belongs to. */
export const POST = 'o';
/** Two neighbouring tokens that pairs.ts picks, with a NUL between them. */
export const PAIR = 'p';
/** A domain or what it is a subdomain of (`siteKeys`). */
export const SITE = 's';
export const TOKEN = 't';

export function pairKey(first: string, second: string): string {
  return `${PAIR}${first}\0${second}`;
}

/** The key that `post:<id>` asks for. */
export function postKey(kind: Kind, id: string): string {
  return (kind === 'post' ? ID : POST) + id;
}

/** The post a record belongs to, if that is indexed under a key of its own; otherwise ''. */
export function postOf(record: StoredRecord): string {
  return record.kind === 'comment' ? record.post : '';
}
