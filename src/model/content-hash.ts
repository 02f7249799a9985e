// Hashes of records: of everything that an answer can show but score, retrieval and arrival, and the mix whose sum
// over all records is the fingerprint of an index. Stored in segments and compared between installations, so
// the same record has the same ones for ever.

import { HashInput } from './hash-input.ts';
import type { Hash64 } from './murmur-hash.ts';
import type { StoredComment, StoredPost, StoredRecord } from './record.ts';

const input = new HashInput();

const POST = 0;
const COMMENT = 1;

/** Where the texts of a record stand as UTF-8: title and selftext of a post, the body of a comment. */
export interface TextPlaces {
  readonly textStarts: readonly number[];
  readonly textEnds: readonly number[];
}

/** As `contentHash`, with the texts as they stand in `bytes`; those of `record` are not looked at. */
export function contentHashOf(record: StoredRecord, bytes: Uint8Array, places: TextPlaces): Hash64 {
  return hashed(record, (i) => input.utf8(bytes, places.textStarts[i]!, places.textEnds[i]!));
}

/** 64 bits; the same on every machine. */
export function contentHash(record: StoredRecord): Hash64 {
  const texts = record.kind === 'post' ? [record.title, record.selftext] : [record.body];
  return hashed(record, (i) => input.text(texts[i]!));
}

/** `addText` puts in the text of this number. */
function hashed(record: StoredRecord, addText: (i: number) => void): Hash64 {
  input.clear();
  input.byte(record.kind === 'post' ? POST : COMMENT);
  input.byte(record.withdrawn ? 1 : 0);
  input.float64(record.created);
  input.text(record.id);
  input.text(record.community);
  input.text(record.communityId);
  input.text(record.permalink);
  if (record.kind === 'post') addPost(record, addText);
  else addComment(record, addText);
  return input.hash();
}

function addPost(post: StoredPost, addText: (i: number) => void): void {
  input.text(post.domain);
  addText(0);
  addText(1);
  input.text(post.url);
  input.byte(post.adult === null ? 2 : post.adult ? 1 : 0);
}

function addComment(comment: StoredComment, addText: (i: number) => void): void {
  input.text(comment.post);
  input.text(comment.parent);
  addText(0);
  input.byte(comment.sentiment === null ? 0 : 1);
  if (comment.sentiment !== null) input.float64(comment.sentiment);
}

/** What a record adds to the fingerprint of its kind. `content`: its `contentHash`. */
export function fingerprintMix(created: number, score: number, community: string, content: Hash64): Hash64 {
  input.clear();
  input.uint32(content.low);
  input.uint32(content.high);
  input.float64(created);
  input.float64(score);
  input.text(community);
  return input.hash();
}

/** `fingerprintMix` of a whole record. */
export function recordMix(record: StoredRecord): Hash64 {
  return fingerprintMix(record.created, record.score, record.community, contentHash(record));
}
