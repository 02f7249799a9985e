// Random requests for threads, page by page or as a tree, whole or around a comment, and what brute force says of them.

import assert from 'node:assert/strict';
import type { AnalysisContext } from '../src/analysis/asking.ts';
import type { StoredComment } from '../src/model/record.ts';
import { type ThreadResult, type ThreadWish, threadJson } from '../src/search/thread-service.ts';
import { type AnalysisRequest, type Corpus, type Draw, searchBy, THREADED } from './analysis-requests.ts';
import { type Below, pick } from './generators/real-queries.ts';
import { VOCABULARY } from './generators/records.ts';
import { around, byTime, treeOf } from './thread-oracle.ts';

/** All of them name the comments and their depths. */
const FIELDS = [null, 'id,depth', 'depth,parent_id,post_id,created,id', 'arrived_utc,id,depth'];

/** More than any thread here has comments. */
const MAX_PAGES = 1_000;

/** A page as it is written out. */
interface WrittenPage {
  readonly post: { readonly id: string } | null;
  readonly total_count: number;
  readonly comments: readonly WrittenComment[];
  readonly next: number | null;
}

interface WrittenComment {
  readonly id: string;
  readonly depth: number | null;
  readonly parent_id?: string | null;
  readonly replies?: readonly WrittenComment[];
}

export function threadRequest({ below, corpus }: Draw): AnalysisRequest {
  const post = pick(below, [
    ...(below(3) === 0 ? VOCABULARY.ids : THREADED),
    ...(below(20) === 0 ? ['nowhere'] : []),
  ]);
  const middle = middleOf(post, below, corpus);
  const shape = pick(below, ['flat', 'tree'] as const);
  const wish: ThreadWish = {
    post: pick(below, [post, `t3_${post}`, `/r/cats/comments/${post}/_/`, `/r/cats/comments/${post}/_/0c1/`]),
    around: middle === null ? null : pick(below, [middle, `t1_${middle}`]),
    ...{ shape, after: null, fields: pick(below, FIELDS) },
    limit: shape === 'tree' ? pick(below, [null, 'all']) : pick(below, [null, 'all', 1, 2, 3, 7, 20, 1000]),
  };
  const expected = expectedThread(post, middle, corpus);
  return {
    wish,
    ask: (context) => wholeThread(context, wish),
    refusal: expected.isHere ? null : 'not_found',
    check: (answer) => expectThread(answer as WrittenPage[], wish, expected),
  };
}

/** null: the whole thread is asked for. */
function middleOf(post: string, below: Below, { given: { comment } }: Corpus): string | null {
  const own = comment.filter((one) => one.kind === 'comment' && one.post === post);
  const from = pick(below, [[], [], [], own, own, own, comment]);
  if (from.length > 0) return pick(below, from).id;
  return below(8) === 0 ? pick(below, ['lost', 'nowhere', 'p1']) : null;
}

/** All pages, as callers read them. */
async function wholeThread(context: AnalysisContext, wish: ThreadWish): Promise<unknown[]> {
  const { threads } = searchBy(context);
  const pages: unknown[] = [];
  for (let after: string | null = null; ; ) {
    const result: ThreadResult = await threads.thread({ ...wish, after });
    assert.equal(result.isShort, false);
    assert.ok(pages.length < MAX_PAGES, 'pages come to an end');
    pages.push(JSON.parse([...threadJson(result)].join('')));
    if (result.answer.next === null) return pages;
    after = String(result.answer.next);
  }
}

interface ExpectedThread {
  readonly isHere: boolean;
  readonly post: string | null;
  readonly comments: readonly StoredComment[];
  /** Those that are given, from the oldest on. */
  readonly chosen: readonly string[];
}

function expectedThread(post: string, middle: string | null, { live }: Corpus): ExpectedThread {
  const comments = live.comment.filter(
    (one) => one.kind === 'comment' && one.post === post,
  ) as StoredComment[];
  const hasPost = live.post.some(({ id }) => id === post);
  const chosen = middle === null ? byTime(comments).map(({ id }) => id) : around(comments, middle);
  const isHere = (hasPost || comments.length > 0) && (middle === null || chosen.length > 0);
  return { isHere, post: hasPost ? post : null, comments, chosen };
}

function expectThread(
  pages: readonly WrittenPage[],
  { shape, limit }: ThreadWish,
  { post, comments, chosen }: ExpectedThread,
): void {
  for (const page of pages) {
    assert.deepEqual(
      [page.post?.id ?? null, page.total_count],
      [post, comments.length],
      'the post, the total',
    );
  }
  const tree = treeOf(comments).filter(({ id }) => chosen.includes(id));
  const depths = new Map(tree.map(({ id, depth }) => [id, depth]));
  const placed = shape === 'tree' ? tree : chosen.map((id) => ({ id, depth: depths.get(id)!, level: 0 }));
  const given = pages.flatMap((page) => [...walked(page.comments, 0)]);
  assert.deepEqual(
    given.map(({ id, depth, level }) => ({ id, depth, level })),
    placed,
    'the comments, in their places',
  );
  const parents = new Map(comments.map(({ id, parent }) => [id, parent || null]));
  for (const { id, parent_id = parents.get(id) } of given) assert.equal(parent_id, parents.get(id));
  const size = typeof limit === 'number' ? limit : Infinity;
  const sizes = pages.map((page) => Math.min(size, page.comments.length));
  assert.ok(
    sizes.slice(0, -1).every((length) => length === size),
    'every page but the last one is full',
  );
  if (shape === 'flat')
    assert.ok(
      pages.every((page) => page.comments.length <= size),
      'no page is larger',
    );
}

function* walked(
  comments: readonly WrittenComment[],
  level: number,
): Generator<WrittenComment & { readonly level: number }> {
  for (const comment of comments) {
    yield { ...comment, level };
    yield* walked(comment.replies ?? [], level + 1);
  }
}
