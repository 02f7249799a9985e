// A thread as JSON, comment by comment: a tree may be deeper than what recurses can write.

import type { ThreadResult } from './thread-service.ts';

const MARK = '"comments":[';

/** The text of the answer, in parts of a comment each. In a tree each comment has what answers it as `replies`. */
export function* threadJson({ answer, levels }: ThreadResult): Generator<string> {
  const frame = JSON.stringify({ ...answer, comments: [] });
  // In the texts of the post, quotes have a backslash before them.
  const end = frame.indexOf(MARK) + MARK.length;
  yield frame.slice(0, end);
  yield* levels === null ? listed(answer.comments) : nested(answer.comments, levels);
  yield frame.slice(end);
}

function* listed(comments: readonly object[]): Generator<string> {
  for (const [i, comment] of comments.entries()) yield (i === 0 ? '' : ',') + JSON.stringify(comment);
}

function* nested(comments: readonly object[], levels: readonly number[]): Generator<string> {
  let open = 0;
  for (const [i, comment] of comments.entries()) {
    const level = levels[i]!;
    const separator = i === 0 || level === open ? '' : `${']}'.repeat(open - level)},`;
    open = level + 1;
    yield `${separator}${JSON.stringify(comment).slice(0, -1)},"replies":[`;
  }
  yield ']}'.repeat(open);
}
