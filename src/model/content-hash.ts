// Hashes of records: of everything that an answer can show but score, retrieval and arrival, and the mix whose sum
// over all records is the fingerprint of an index. Stored in segments and compared between installations, so
// the same record has the same ones for ever.

import { HashInput } from './hash-input.ts';
import type { Hash64 } from './murmur-hash.ts';
import type { StoredComment, StoredPost, StoredRecord } from './record.ts';

const input = new HashInput();

const POST = 0;
const COMMENT = 1;

/** 64 bits; the same on every machine. Of a packed record: packing/packed-content.ts. */
export function contentHash(record: StoredRecord): Hash64 {
  input.clear();
  input.byte(record.kind === 'post' ? POST : COMMENT);
  input.byte(record.withdrawn ? 1 : 0);
  input.float64(record.created);
  input.text(record.id);
  input.text(record.community);
  input.text(record.communityId);
  input.text(record.permalink);
  if (record.kind === 'post') addPost(record);
  else addComment(record);
  return input.hash();
}

function addPost(post: StoredPost): void {
  input.text(post.domain);
  input.text(post.title);
  input.text(post.selftext);
  input.text(post.url);
  input.byte(post.adult === null ? 2 : post.adult ? 1 : 0);
}

function addComment(comment: StoredComment): void {
  input.text(comment.post);
  input.text(comment.parent);
  input.text(comment.body);
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
