// What the benchmark asks of every query of a class: each is one column of the table.

import { DEFAULT_SEED } from '../src/model/analyses.ts';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import { IndexDamage } from '../src/model/engine-errors.ts';
import { type PageRequest, pageRequest, type TimePosition } from '../src/model/pages.ts';

export interface Task {
  readonly name: string;
  readonly question: Partial<Question>;
}

/** Everything the search page asks of one kind, at once. */
export const WHOLE_ANSWER: Task = {
  name: 'whole answer',
  question: {
    ...page('newest', 25, null),
    breakdowns: [
      { field: 'community', size: 10, distinct: true },
      { field: 'domain', size: 10, distinct: true },
    ],
    timeline: {},
  },
};

/** Deep pages begin in the middle of time, those of top among the records of score 2. */
export async function tasksOf(engine: SearchEngine): Promise<readonly Task[]> {
  const stats = (await engine.stats()).comment;
  if (stats instanceof IndexDamage) throw stats;
  const { first, last } = stats;
  const middle: TimePosition = { second: Math.floor(((first ?? 0) + (last ?? 0)) / 2), given: 'all' };
  return [
    { name: 'count', question: {} },
    { name: 'newest', question: page('newest', 25, null) },
    { name: 'oldest', question: page('oldest', 25, null) },
    { name: 'top', question: page('top', 25, null) },
    { name: 'deep newest', question: page('newest', 25, middle) },
    { name: 'deep oldest', question: page('oldest', 25, middle) },
    { name: 'deep top', question: page('top', 25, { score: 2, second: middle.second }) },
    { name: 'breakdown', question: { breakdowns: [{ field: 'community', size: 10 }] } },
    WHOLE_ANSWER,
  ];
}

/** What is asked of two engines to compare what it costs. */
export function costTasks(): readonly Task[] {
  return [
    { name: 'count', question: {} },
    { name: 'newest 100', question: page('newest', 100, null) },
    { name: 'oldest 100', question: page('oldest', 100, null) },
    { name: 'top 100', question: page('top', 100, null) },
    { name: 'breakdowns', question: { breakdowns: WHOLE_ANSWER.question.breakdowns! } },
    { name: 'timeline', question: { timeline: {} } },
    { name: 'sample of 500', question: { page: { order: 'sample', size: 500, seed: DEFAULT_SEED } } },
    WHOLE_ANSWER,
  ];
}

function page(
  order: PageRequest['order'],
  limit: number,
  after: PageRequest['after'],
): { readonly page: PageRequest } {
  return { page: pageRequest(order, after, { limit }) };
}
