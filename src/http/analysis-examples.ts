// Example answers of analyses for the OpenAPI document, as examples.ts has those of searches. The figures are invented.

import type { BreakdownAnswer } from '../analysis/breakdown.ts';
import type { CountsAnswer } from '../analysis/counts.ts';
import type { TimelineAnswer } from '../analysis/timeline.ts';
import { KIND_NAMES, type Kind } from '../model/record.ts';

const INDEX: Readonly<Record<Kind, TimelineAnswer['index']>> = {
  post: { fingerprint: '0f3a6c1e9b2d4857', records: 1_204_331 },
  comment: { fingerprint: '7d41c09ae62f5b38', records: 20_518_772 },
};

export function countsExample(kind: Kind): CountsAnswer {
  return {
    ...{ type: 'counts', kind: KIND_NAMES[kind], query: null, index: INDEX[kind] },
    counts: [
      { query: 'cats,/r/aww', of_query: '/r/aww', total_count: 1234, of: 98_760, share: 0.012495 },
      { query: 'dogs', of_query: '', total_count: 5678, of: INDEX[kind].records, share: share(5678, kind) },
    ],
  };
}

function share(count: number, kind: Kind): number {
  return Math.round((count / INDEX[kind].records) * 1_000_000) / 1_000_000;
}

export function timelineExample(kind: Kind): TimelineAnswer {
  const query = 'cats,/r/aww,after:2021-01-01,before:2021-03-01';
  return {
    ...{ type: 'timeline', kind: KIND_NAMES[kind], query, index: INDEX[kind], step: 'month' },
    series: [
      {
        ...{ query, of_query: '/r/aww,after:2021-01-01,before:2021-03-01', total_count: 31 },
        buckets: [
          { start: 1609459200, count: 24, of: 2000, share: 0.012, mean: 17.5, n: 24, unrated: 0 },
          { start: 1612137600, count: 7, of: 1750, share: 0.004, mean: 3.2857, n: 7, unrated: 0 },
        ],
      },
    ],
  };
}

export function breakdownExample(kind: Kind): BreakdownAnswer {
  const mood = (mean_sentiment: number, rated: number) =>
    kind === 'post' ? { mean_sentiment: null, rated: 0 } : { mean_sentiment, rated };
  return {
    ...{ type: 'breakdown', kind: `${kind}s`, query: 'cats', index: INDEX[kind], field: 'subreddit' },
    ...{ of_query: '', total_count: 1234, of: INDEX[kind].records, distinct: 87, rest: 234, next: 2 },
    rows: [
      { name: 'aww', count: 700, of: 98_760, share: 0.007088, ...mood(0.2134, 612) },
      { name: 'catstandingup', count: 300, of: 1200, share: 0.25, ...mood(0.0311, 96) },
    ],
  };
}
