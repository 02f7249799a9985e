// Threads by brute force: what every engine, the API and the command must say of one, computed the slow and obvious
// way. Nothing here knows how it is done elsewhere.

import type { StoredComment } from '../src/model/record.ts';
import { comparator } from './reference/order.ts';

export interface ExpectedPlace {
  readonly id: string;
  readonly depth: number | null;
  readonly level: number;
}

/** The comments of one post, from the oldest on. */
export function byTime(comments: readonly StoredComment[]): StoredComment[] {
  return [...comments].sort(comparator('oldest'));
}

/** In the order of the tree. */
export function treeOf(comments: readonly StoredComment[]): ExpectedPlace[] {
  const ordered = byTime(comments);
  const byId = new Map(ordered.map((comment) => [comment.id, comment]));
  const rest = new Set(ordered);
  const tree: ExpectedPlace[] = [];
  for (const root of ordered.filter((comment) => isRoot(comment, byId))) {
    const waiting = [{ comment: root, level: 0 }];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { comment, level } = next;
      tree.push({ id: comment.id, depth: root.parent === root.post ? level : null, level });
      rest.delete(comment);
      const answers = ordered.filter(
        (other) => other.parent === comment.id && rest.has(other) && !isRoot(other, byId),
      );
      waiting.unshift(...answers.map((other) => ({ comment: other, level: level + 1 })));
    }
  }
  if (rest.size > 0) throw new Error(`${rest.size} comments have no place`);
  return tree;
}

/** It answers the post, or nothing that is here, or is the oldest one of a circle. */
function isRoot(comment: StoredComment, byId: ReadonlyMap<string, StoredComment>): boolean {
  const parent = answeredBy(comment, byId);
  if (parent === undefined) return true;
  const circle = circleOf(comment, byId);
  return circle.length > 0 && byTime(circle)[0] === comment;
}

function answeredBy(
  comment: StoredComment,
  byId: ReadonlyMap<string, StoredComment>,
): StoredComment | undefined {
  return comment.parent === comment.post ? undefined : byId.get(comment.parent);
}

/** The comments of the circle that this one is part of; none: it is part of none. */
function circleOf(comment: StoredComment, byId: ReadonlyMap<string, StoredComment>): StoredComment[] {
  const way = [...ancestorsOf(comment, byId)];
  const end = way.at(-1) ?? comment;
  return answeredBy(end, byId) === comment ? [comment, ...way] : [];
}

/** Each once, and not the comment itself. */
function ancestorsOf(
  comment: StoredComment,
  byId: ReadonlyMap<string, StoredComment>,
): ReadonlySet<StoredComment> {
  const seen = new Set<StoredComment>();
  let at = answeredBy(comment, byId);
  while (at !== undefined && at !== comment && !seen.has(at)) {
    seen.add(at);
    at = answeredBy(at, byId);
  }
  return seen;
}

/** What `around` gives: ids, from the oldest on. */
export function around(comments: readonly StoredComment[], id: string): string[] {
  const byId = new Map(comments.map((comment) => [comment.id, comment]));
  const own = byId.get(id);
  const above = own === undefined ? [] : [own, ...ancestorsOf(own, byId)];
  const below = comments.filter(({ parent, post }) => parent === id && parent !== post);
  return byTime([...new Set([...above, ...below])]).map((comment) => comment.id);
}
