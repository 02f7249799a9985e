// Ratings that imports brought along. Contract 5.2.

import { hash53 } from './hash.ts';
import type { GivenRating, StoredComment, StoredRecord } from './record.ts';

/** The comment with these ratings; one for its body is its sentiment. */
export function withRatings(comment: StoredComment, ratings: readonly GivenRating[]): StoredComment {
  const bodyHash = ratings.length === 0 ? -1 : hash53(comment.body);
  const own = ratings.find((given) => given.bodyHash === bodyHash);
  return { ...comment, ratings, sentiment: own === undefined ? comment.sentiment : own.rating };
}

/** The comment with the ratings that either copy brought along; itself where it has them all. */
export function withRatingsOf(comment: StoredComment, a: StoredRecord, b: StoredRecord): StoredComment {
  const ratings = joinRatings(ratingsOf(a), ratingsOf(b));
  return sameRatings(ratings, comment.ratings) ? comment : withRatings(comment, ratings);
}

function ratingsOf(record: StoredRecord): readonly GivenRating[] {
  return record.kind === 'comment' ? record.ratings : [];
}

/** Both lists, one rating a body: where they differ the higher stays, and any number over null. */
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

function sameRatings(a: readonly GivenRating[], b: readonly GivenRating[]): boolean {
  return (
    a.length === b.length &&
    a.every((given, i) => given.bodyHash === b[i]?.bodyHash && given.rating === b[i]?.rating)
  );
}
