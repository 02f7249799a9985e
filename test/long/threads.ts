// Every thread of an imported data folder against brute force: by time in pages, as a tree, and around some of its
// comments. Made for real archives, which have lost parents, comments of other posts and long chains.
//
//   npm run test:long -- threads DATA_FOLDER [threads at most]

import assert from 'node:assert/strict';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { SearchService } from '../../src/search/search-service.ts';
import { threadJson } from '../../src/search/thread-service.ts';
import { around, byTime, treeOf } from '../thread-oracle.ts';

const [folder, most = 'Infinity'] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write(
    'expected a data folder: npm run test:long -- threads DATA_FOLDER [threads at most]\n',
  );
  process.exit(2);
}

await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 1 });
const settings = { impliedWindow: 'off', permalinkBase: '', queryTimeoutMs: Infinity } as const;
const { threads } = new SearchService(engine, { knowledgeOf: () => new Map() }, settings);

const byPost = new Map<string, StoredComment[]>();
for await (const batch of engine.scan('comment', { items: [] }, 'newest')) {
  for (const record of batch) {
    if (record.kind !== 'comment' || record.post === '') continue;
    const known = byPost.get(record.post);
    if (known === undefined) byPost.set(record.post, [record]);
    else known.push(record);
  }
}

const seen = { threads: 0, comments: 0, largest: 0, deepest: 0, adrift: 0, around: 0 };
for (const [post, comments] of byPost) {
  if (seen.threads >= Number(most)) break;
  await compare(post, comments);
}
process.stdout.write(`no difference: ${JSON.stringify(seen)}\n`);

async function compare(post: string, comments: readonly StoredComment[]): Promise<void> {
  const tree = treeOf(comments);
  const depths = new Map(tree.map(({ id, depth }) => [id, depth]));
  const wish = { post, around: null, after: null, limit: null, fields: 'id,parent_id,depth' } as const;
  const rows: unknown[] = [];
  for (let after: string | null = null; ; ) {
    const { answer } = await threads.thread({ ...wish, shape: 'flat', after });
    assert.equal(answer.total_count, comments.length);
    rows.push(...answer.comments);
    if (answer.next === null) break;
    after = String(answer.next);
  }
  assert.deepEqual(
    rows,
    byTime(comments).map(({ id, parent }) => ({ id, parent_id: parent || null, depth: depths.get(id) })),
    post,
  );
  const { answer, levels } = await threads.thread({ ...wish, shape: 'tree', limit: 'all' });
  const placed = answer.comments.map(({ id, depth }, i) => ({ id, depth, level: levels![i]! }));
  assert.deepEqual(placed, tree, post);
  expectTree([...threadJson({ answer, levels, isShort: false })].join(''), comments.length);
  const near = [0, 1, 2].map((third) => comments[Math.floor(((comments.length - 1) * third) / 2)]!.id);
  for (const id of near) {
    const part = await threads.thread({ ...wish, shape: 'flat', around: id, limit: 'all' });
    assert.deepEqual(
      part.answer.comments.map(({ id: found }) => found),
      around(comments, id),
      `${post} ${id}`,
    );
    seen.around++;
  }
  seen.threads++;
  seen.comments += comments.length;
  seen.largest = Math.max(seen.largest, comments.length);
  seen.deepest = Math.max(seen.deepest, ...tree.map(({ level }) => level));
  seen.adrift += tree.filter(({ depth }) => depth === null).length;
}

/** What is written can be read, and holds so many comments. */
function expectTree(text: string, comments: number): void {
  const waiting = [...(JSON.parse(text) as { comments: { replies: [] }[] }).comments];
  let found = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    waiting.push(...next.replies);
    found++;
  }
  assert.equal(found, comments);
}
