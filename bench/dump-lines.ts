// The synthetic comments (corpus.ts) as lines of a dump.

import { syntheticComments } from './corpus.ts';

/** Each with its line feed. */
export function dumpLines(n: number): string[] {
  const lines: string[] = [];
  for (const batch of syntheticComments(n, { batch: 5_000, communities: 500, seed: 3 })) {
    for (const { id, community, created, body, score, post, parent } of batch) {
      const record = {
        id,
        subreddit: community,
        created_utc: created,
        body,
        score,
        link_id: `t3_${post || 'p'}`,
        parent_id: `${parent === post ? 't3' : 't1'}_${parent}`,
      };
      lines.push(`${JSON.stringify(record)}\n`);
    }
  }
  return lines;
}
