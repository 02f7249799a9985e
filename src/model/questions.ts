// What engines look at of questions before they answer them.

import type { OneOfMany } from './engine.ts';
import type { Kind } from './record.ts';

/** Whether the number of matches is all that is asked for. */
export function asksCountAlone({ kind: _, query: __, ...rest }: OneOfMany): boolean {
  return Object.values(rest).every((wish) => wish === undefined);
}

/** The kind that all questions are about. Throws a TypeError where there is none. */
export function kindOfAll(questions: readonly Pick<OneOfMany, 'kind'>[]): Kind {
  const [kind, ...others] = new Set(questions.map((question) => question.kind));
  if (kind === undefined || others.length > 0) throw new TypeError('expected questions about one kind');
  return kind;
}
