// Copies of one record: which of them stays, and what it takes over. Contract 5.5 and, for ratings, contract 5.2.
// `mergeCopies` is commutative, associative and idempotent, so the index does not depend on the order of imports.

import { withRatingsOf } from './given-ratings.ts';
import { hash53 } from './hash.ts';
import { ownFact, withFactsOf } from './lent-facts.ts';
import type { CopyRank, StoredComment, StoredPost, StoredRecord } from './record.ts';

/** Which copy wins where one has its text and the other lost it at the source. */
export interface CopyRules {
  /** True: withdrawn text loses against the original instead of winning. */
  readonly keepOriginals: boolean;
}

/**
 * Above 0 where `a` ranks above `b`, 0 for equal copies. Ranks by: text withdrawn; time of retrieval; score; hash of
 * the record (ratings apart, which are merged and never decide).
 */
export function compareCopies(a: StoredRecord, b: StoredRecord, rules: CopyRules): number {
  return compareUnhashed(a, b, rules) || recordHash(a) - recordHash(b);
}

function compareRanks(a: CopyRank, b: CopyRank, rules: CopyRules): number {
  return compareUnhashed(a, b, rules) || a.hash - b.hash;
}

type Unhashed = Omit<CopyRank, 'hash'>;

function compareUnhashed(a: Unhashed, b: Unhashed, rules: CopyRules): number {
  if (a.withdrawn !== b.withdrawn) return a.withdrawn !== rules.keepOriginals ? 1 : -1;
  return a.retrieved - b.retrieved || a.score - b.score;
}

function rankOf(record: StoredRecord): CopyRank {
  const { withdrawn, retrieved, score } = record;
  return { withdrawn, retrieved, score, hash: recordHash(record) };
}

/**
 * The record that two copies of one id make: the higher one, with the facts that only the other knew and the ratings
 * that either brought along. Returns `current` itself where `incoming` changes nothing.
 */
export function mergeCopies(current: StoredRecord, incoming: StoredRecord, rules: CopyRules): StoredRecord {
  const order = compareCopies(incoming, current, rules);
  const [higher, lower] = order > 0 ? [incoming, current] : [current, incoming];
  const winner = withFactsOf(higher, lower, {
    isTie: order === 0,
    lender: () => rankOf(lower),
    compare: (a, b) => compareRanks(a, b, rules),
  });
  return winner.kind === 'post' || winner.withdrawn ? winner : withRatingsOf(winner, current, incoming);
}

/**
 * Equal for equal copies. What follows from other fields or from other copies is left out: ratings and sentiment, a
 * permalink that was made, facts that were lent.
 */
export function recordHash(record: StoredRecord): number {
  return hash53(JSON.stringify(record.kind === 'post' ? postFields(record) : commentFields(record)));
}

function postFields(post: StoredPost): readonly unknown[] {
  return [
    post.id,
    post.community,
    post.communityId,
    post.created,
    ownFact(post, 'permalink'),
    post.domain,
    post.title,
    post.selftext,
    post.url,
    post.score,
    post.adult,
    post.retrieved,
    post.withdrawn,
  ];
}

function commentFields(comment: StoredComment): readonly unknown[] {
  return [
    comment.id,
    comment.community,
    comment.communityId,
    comment.created,
    ownFact(comment, 'permalink'),
    comment.body,
    comment.score,
    ownFact(comment, 'post'),
    ownFact(comment, 'parent'),
    comment.retrieved,
    comment.withdrawn,
  ];
}
