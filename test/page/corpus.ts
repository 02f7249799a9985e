// The records that the tests of the page search in. Invented; the numbers in the tests are counted by hand from here.

import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import { comment, linkPost, post } from '../helpers.ts';

/** 2023-03-14, 12:07:33 UTC. */
export const PI_DAY = 1_678_795_653;
const DAY = 86_400;

const LONG_TEXT = `${'This roof has carried its panels for ten years now, and they still do what they did. '.repeat(8)}
Second line: the solar panel still gives 92 % of its rated output.`;

/** 40 link posts and 20 text posts, one a day back from PI_DAY; every third is of /r/solar, the others of /r/energy. */
const posts = Array.from({ length: 60 }, (_, i): StoredPost => {
  const fields = {
    id: `p${String(i).padStart(2, '0')}`,
    community: i % 3 === 0 ? 'solar' : 'energy',
    created: PI_DAY - i * DAY,
    score: i === 1 ? -3 : 400 - i,
    title: `Rooftop solar panel, report ${i}`,
  };
  if (i % 3 === 1) return post({ ...fields, selftext: LONG_TEXT });
  return linkPost({ ...fields, domain: i % 2 === 0 ? 'news.example.org' : 'video.example.com' });
});

/** Ten posts that say `over_18`: their community is nsfw. */
const adult = Array.from({ length: 10 }, (_, i) =>
  post({
    id: `a${i}`,
    community: 'grownups',
    created: PI_DAY - 500 * DAY - i,
    adult: true,
    title: 'Balcony rules',
    selftext: 'For adults alone',
  }),
);

export const POSTS: readonly StoredPost[] = [...posts, ...adult];

const SENTIMENTS = [0.4321, -0.1249, 0, -0.004, null];

/** 50 comments, an hour apart back from PI_DAY; the last ten belong to the thread of the post p00. */
export const COMMENTS: readonly StoredComment[] = Array.from({ length: 50 }, (_, i) =>
  comment({
    id: `c${String(i).padStart(2, '0')}`,
    community: i % 5 === 0 ? 'solar' : 'energy',
    created: PI_DAY - i * 3600,
    score: 17 - i,
    body:
      i % 2 === 0
        ? `The panel number ${i} paid for itself: https://news.example.org/${i}`
        : `A solar roof, comment ${i}`,
    sentiment: SENTIMENTS[i % SENTIMENTS.length]!,
    post: i < 40 ? '' : 'p00',
  }),
);
