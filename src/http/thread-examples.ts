// Example answers of the thread endpoint for the OpenAPI document. The records are invented.

import type { PostRecord } from '../search/presenter.ts';
import type { ThreadAnswer } from '../search/thread-service.ts';
import { EXAMPLES } from './examples.ts';

const THREAD_COMMENT = {
  type: 'comment',
  id: 'ghq1b2c',
  subreddit: { id: '2qh1o', name: 'aww', nsfw: false },
  created_utc: 1609545777,
  permalink: 'https://www.reddit.com/r/aww/comments/kofq2a/_/ghq1b2c/',
  body: 'What lovely cats!',
  sentiment: 0.6239,
  score: 7,
  parent_id: 'kofq2a',
  depth: 0,
} as const;

const THREAD_REPLY = {
  ...THREAD_COMMENT,
  id: 'ghq1d3e',
  created_utc: 1609546001,
  permalink: 'https://www.reddit.com/r/aww/comments/kofq2a/_/ghq1d3e/',
  body: 'Thank you',
  sentiment: 0.3612,
  score: 2,
  parent_id: 'ghq1b2c',
  depth: 1,
} as const;

const THREAD = {
  type: 'thread',
  kind: 'comments',
  query: null,
  index: { fingerprint: '3d7eb5588e3293a7', records: 5678 },
  post: EXAMPLES.post.data[0]! as PostRecord,
  total_count: 2,
  comments: [THREAD_COMMENT, THREAD_REPLY],
  next: null,
} as const satisfies ThreadAnswer;

/** In both shapes. */
export const THREAD_EXAMPLES = {
  flat: { value: THREAD },
  tree: {
    value: {
      ...THREAD,
      comments: [{ ...THREAD_COMMENT, replies: [{ ...THREAD_REPLY, replies: [] }] }],
    },
  },
};
