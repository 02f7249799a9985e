// Copies of one record: which one stays, and which facts and ratings it takes from the others (contract 5.5, for
// ratings 5.2). `mergeCopies` is commutative, associative and idempotent, so the index does not depend on the order of
// imports.

import { isDeepStrictEqual } from 'node:util';
import { hash53 } from './hash.ts';
import {
  type CopyRank,
  FACTS,
  type Fact,
  type GivenRating,
  type Lent,
  type StoredComment,
  type StoredPost,
  type StoredRecord,
} from './record.ts';

/** Whether withdrawn text or the original wins. */
export interface CopyRules {
  /** True: the original text wins over `[deleted]` and `[removed]`. */
  readonly keepOriginals: boolean;
}

/**
 * Above 0 if `a` ranks above `b`, 0 if they are equal. Ranks by withdrawn text, time of retrieval, score, and hash of
 * the record. Ratings are merged and never decide.
 */
export function compareCopies(a: StoredRecord, b: StoredRecord, rules: CopyRules): number {
  return compareUnhashed(a, b, rules) || recordHash(a) - recordHash(b);
}

type Unhashed = Omit<CopyRank, 'hash'>;

function compareUnhashed(a: Unhashed, b: Unhashed, rules: CopyRules): number {
  if (a.withdrawn !== b.withdrawn) return a.withdrawn !== rules.keepOriginals ? 1 : -1;
  return a.retrieved - b.retrieved || a.score - b.score;
}

/**
 * Merges two copies of one id: the higher one, with the facts and ratings that only the other has. Returns `current`
 * itself if `incoming` changes nothing.
 */
export function mergeCopies(current: StoredRecord, incoming: StoredRecord, rules: CopyRules): StoredRecord {
  const order = compareCopies(incoming, current, rules);
  const [higher, lower] = order > 0 ? [incoming, current] : [current, incoming];
  const winner = withFactsOf(higher, lower, order === 0, rules);
  if (winner.kind === 'post' || winner.withdrawn) return winner;
  const ratings = joinRatings(ratingsOf(current), ratingsOf(incoming));
  return isDeepStrictEqual(ratings, winner.ratings) ? winner : withRatings(winner, ratings);
}

/**
 * Equal for equal copies. Leaves out what follows from other fields or comes from other copies: ratings, sentiment,
 * permalinks that were built, and lent facts.
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

/**
 * Returns `higher` with the facts that only `lower` has, or `higher` itself. Each fact comes from the highest copy that
 * has it. The record remembers the ranks of its lenders, so a later copy replaces exactly the lenders that rank below
 * it. `isTie`: the copies are equal.
 */
function withFactsOf(
  higher: StoredRecord,
  lower: StoredRecord,
  isTie: boolean,
  rules: CopyRules,
): StoredRecord {
  const rankOfLower = (): CopyRank => {
    const { withdrawn, retrieved, score } = lower;
    return { withdrawn, retrieved, score, hash: recordHash(lower) };
  };
  /** Above 0 if the lower copy has its fact from a higher rank than the higher copy has. */
  const compareLenders = (fact: Fact) => {
    const [ofHigher, ofLower] = [lentFact(higher, fact), lentFact(lower, fact)];
    if (ofHigher === undefined) return isTie && ofLower === undefined ? 0 : -1;
    const own = ofLower ?? rankOfLower();
    return compareUnhashed(own, ofHigher, rules) || own.hash - ofHigher.hash;
  };
  const taken = FACTS.filter((fact) => {
    const byWorth = worthOf(lower, fact) - worthOf(higher, fact);
    if (byWorth !== 0) return byWorth > 0;
    const byRank = compareLenders(fact);
    // Equal copies may still spell the community of a built permalink in two ways.
    return byRank > 0 || (byRank === 0 && factOf(lower, fact) > factOf(higher, fact));
  });
  if (taken.length === 0) return higher;
  const lent = FACTS.flatMap((fact): Lent | readonly Lent[] => {
    const known = lentFact(taken.includes(fact) ? lower : higher, fact);
    if (known !== undefined) return known;
    return taken.includes(fact) && !isTie ? { fact, ...rankOfLower() } : [];
  });
  const facts = Object.fromEntries(taken.map((fact) => [fact, factOf(lower, fact)]));
  return { ...higher, ...facts, lent } as StoredRecord;
}

/** The fact that the copy had by itself; empty if it was lent or built. */
function ownFact(record: StoredRecord, fact: Fact): string {
  if (lentFact(record, fact) !== undefined) return '';
  return fact === 'permalink' && permalinkWorth(record) < REAL ? '' : factOf(record, fact);
}

function lentFact({ lent }: StoredRecord, fact: Fact): Lent | undefined {
  return lent.find((one) => one.fact === fact);
}

function factOf(record: StoredRecord, fact: Fact): string {
  if (fact === 'permalink') return record.permalink;
  return record.kind === 'comment' ? record[fact] : '';
}

function worthOf(record: StoredRecord, fact: Fact): number {
  if (fact === 'permalink') return permalinkWorth(record);
  return factOf(record, fact) === '' ? 0 : 1;
}

/** Permalinks as the normaliser builds them of community (in any spelling), post and id (contract 6.5). */
const MADE = /^\/r\/[^/]+\/comments\/([^/]+)\/(?:_\/([^/]+)\/)?$/;

const WITHOUT_POST = 0;
const WITH_POST = 1;
const REAL = 2;

function permalinkWorth({ kind, id, permalink }: StoredRecord): number {
  const [, post, comment] = MADE.exec(permalink) ?? [];
  if (kind === 'post') return post === id && comment === undefined ? WITH_POST : REAL;
  if (comment !== id) return REAL;
  return post === '_' ? WITHOUT_POST : WITH_POST;
}

export function withRatings(comment: StoredComment, ratings: readonly GivenRating[]): StoredComment {
  const bodyHash = ratings.length === 0 ? -1 : hash53(comment.body);
  const own = ratings.find((given) => given.bodyHash === bodyHash);
  return { ...comment, ratings, sentiment: own === undefined ? comment.sentiment : own.rating };
}

function ratingsOf(record: StoredRecord): readonly GivenRating[] {
  return record.kind === 'comment' ? record.ratings : [];
}

/** Merges two lists, with one rating for each body: of two, the higher number, and any number over null. */
function joinRatings(a: readonly GivenRating[], b: readonly GivenRating[]): readonly GivenRating[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const byBody = new Map<number, number | null>();
  for (const { bodyHash, rating } of [...a, ...b]) {
    const other = byBody.get(bodyHash);
    byBody.set(bodyHash, other === undefined || (rating ?? -2) > (other ?? -2) ? rating : other);
  }
  return [...byBody]
    .map(([bodyHash, rating]) => ({ bodyHash, rating }))
    .sort((first, second) => first.bodyHash - second.bodyHash);
}

/** Converts a rating of four decimals to ten-thousandths, so that sums are exact in any order. */
export function ratingUnits(sentiment: number): number {
  return Math.round(sentiment * RATING_UNIT) + 0;
}

/** The units of a rating of 1. */
export const RATING_UNIT = 10_000;
