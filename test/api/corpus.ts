// The records that the API tests search in. Invented; small enough to count by hand.

import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import { comment, linkPost, post } from '../helpers.ts';

/** 2021-01-01, 00:00:00 UTC. */
export const NEW_YEAR = 1_609_459_200;
const DAY = 86_400;

/** Three posts of one second and score, so that a page may not end between them in `top`. */
const tied = ['tie1', 'tie2', 'tie3'].map((id) =>
  post({ id, community: 'ties', created: NEW_YEAR, score: 7, title: 'Tied' }),
);

/** Ten posts that say `over_18`: their community is inferred to be nsfw. */
const adult = Array.from({ length: 10 }, (_, i) =>
  post({
    id: `adult${i}`,
    community: 'grownups',
    created: NEW_YEAR - 400 * DAY + i,
    adult: true,
    title: 'Adult',
  }),
);

export const POSTS: readonly StoredPost[] = [
  ...tied,
  ...adult,
  linkPost({
    id: 'cats1',
    community: 'aww',
    communityId: '2qh1o',
    created: NEW_YEAR + DAY,
    score: 321,
    title: 'Two cats & a box',
    domain: 'i.redd.it',
  }),
  linkPost({
    id: 'video1',
    community: 'videos',
    created: NEW_YEAR + 2 * DAY,
    score: 1000,
    title: 'Cats fall off things',
    domain: 'm.youtube.com',
  }),
  post({
    id: 'rock1',
    community: 'music',
    created: NEW_YEAR + 3 * DAY,
    score: -5,
    title: 'Rock and roll',
    selftext: 'Line one\nline two, "quoted" café 日本語 😀 \u0001',
  }),
];

export const COMMENTS: readonly StoredComment[] = [
  comment({
    id: 'c1',
    community: 'aww',
    created: NEW_YEAR,
    score: 3,
    body: 'What lovely cats!',
    sentiment: 0.6239,
  }),
  comment({
    id: 'c2',
    community: 'aww',
    created: NEW_YEAR + 1,
    score: 0,
    body: '[deleted]',
    withdrawn: true,
  }),
  comment({
    id: 'c3',
    community: 'music',
    created: NEW_YEAR + 2,
    score: -2,
    body: 'No.',
    sentiment: null,
    post: 'rock1',
  }),
  ...Array.from({ length: 40 }, (_, i) =>
    comment({
      id: `many${i}`,
      community: 'many',
      created: NEW_YEAR + 10 + Math.floor(i / 20),
      score: i % 2,
      body: `Comment number ${i} of many`,
      sentiment: 0,
    }),
  ),
];

/** Different words behind `zz`: one more than a prefix may have. */
export function broadPrefixPost(): StoredPost {
  const words = Array.from({ length: 100_001 }, (_, i) => `zz${i.toString(36)}`);
  return post({ id: 'broad', community: 'broad', created: NEW_YEAR - 500 * DAY, selftext: words.join(' ') });
}
