// `colloquy remove` as scripts see it: what it understands, what it prints, with which exit code.

import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { commentLine, postLine } from '../import/import-helpers.ts';
import { ofTests } from '../of-tests.ts';
import { colloquy } from '../one-process.ts';
import { colloquy as startColloquy } from '../processes.ts';

const LINES = [
  ...['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'].map((id) => postLine(id)),
  postLine('x1', { subreddit: 'Cats' }),
  postLine('x2', { subreddit: 'u_ann' }),
  ...['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => commentLine(id, { link_id: 't3_p1' })),
  commentLine('d1', { link_id: 't3_p2', body: 'telling' }),
  commentLine('y1', { link_id: 't3_x1', subreddit: 'Cats', body: 'telling' }),
].join('\n');

describe('colloquy remove', { timeout: 240_000 }, () => {
  const folder = ofTests(temporaryFolder());
  const data = join(folder.path, 'data');
  const dump = join(folder.path, 'dump.ndjson');
  const run = ([command, ...words]: readonly string[], input?: string) =>
    colloquy([command!, '--data', data, ...words], input);

  async function json(words: readonly string[], input?: string): Promise<Record<string, unknown>> {
    const [command, ...rest] = words;
    const { code, stdout, stderr } = await run([command!, '--json', ...rest], input);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }

  /** Ids that `search` finds. */
  async function found(kind: 'posts' | 'comments'): Promise<string[]> {
    const envelope = await json(['search', kind, '--limit', '1000']);
    const ids = (envelope.data as { id: string }[]).map(({ id }) => id);
    assert.equal(ids.length, envelope.total_count);
    return ids.sort();
  }

  before(async () => {
    writeFileSync(dump, LINES);
    assert.equal((await json(['import', dump])).added, 16);
  });

  it('behind a lost list an import brought back what was removed: it is refused until the list is back, or purged', async () => {
    using other = temporaryFolder();
    const there = async (...words: string[]) =>
      await colloquy([words[0]!, '--data', other.path, ...words.slice(1)]);
    assert.equal((await there('import', dump)).code, 0);
    assert.equal((await there('remove', 'community', 'Cats')).code, 0);
    for (const file of readdirSync(other.path).filter((name) => name.startsWith('catalogue.db')))
      rmSync(join(other.path, file));
    for (let tries = 0; tries < 2; tries++) {
      const { code, stderr } = await there('import', dump, '--restart');
      assert.equal(code, 2);
      assert.match(stderr, /found no removal 1: an import would bring back what it hides; put a newer/);
    }
    assert.equal((await there('remove', '--purge')).code, 0);
    assert.equal((await there('import', dump, '--restart')).code, 0);
  });

  const refused: readonly (readonly [words: readonly string[], message: RegExp, input?: string])[] = [
    [[], /expected what to remove \(posts, comments, community, query\) or `--list`/],
    [['users', 'x'], /users.*Allowed choices are posts, comments, community, query/],
    [['posts'], /expected something to remove, found nothing/],
    [['posts', '-'], /expected something to remove, found nothing/, '\n \n'],
    [['posts', 'p1', 'a b', 't1_x'], /found `a b`\n.*found that of a comment: `t1_x`\nNothing was/],
    [['comments', 'p1', 'https://redd.it/p1'], /found that of a post/],
    [['posts', '-'], /standard input:2: expected.*found `\?`\nstandard input:4: expected/, 'p1\n?\np2\r\n!'],
    [['posts', '--from', 'nowhere.txt'], /expected a file of lines, found ENOENT/],
    [['community', 'a b'], /expected the name of one community/],
    [['query'], /expected a query, found none, which would remove every record/],
    [['query', 'x', 'before:2020-01-01'], /expected an `after:` beside `before:`, found none/],
    [['query', 'x', '--from', 'y'], /expected a query as argument, found `--from`/],
    [['posts', 'p1', '--kind', 'posts'], /expected `--kind` with `remove query`/],
    [['comments', 'c1', '--with-comments'], /expected `--with-comments` only when posts are removed/],
    [['posts', 'p1', '--list'], /found another combination/],
    [['posts', 'p1', '--dry-run', '--purge'], /found another combination/],
    [['--undo', '0'], /expected the number of a removal/],
    [['--undo', '7'], /expected the number of a removal, found 7: there is none yet/],
  ];
  for (const [words, message, input] of refused) {
    it(`refused: ${words.join(' ') || '(nothing)'}`, async () => {
      const { code, stdout, stderr } = await run(['remove', ...words], input);
      assert.match(stderr, message);
      assert.equal(code, 2);
      assert.equal(stdout, '');
    });
  }

  it('a folder that is not there was misspelt', async () => {
    const { code, stderr } = await startColloquy(['remove', '--list', '--data', join(folder.path, 'dada')]);
    assert.equal(code, 2);
    assert.match(stderr, /expected a data folder at .*dada`, found none/);
  });

  it('what is refused removes nothing', async () => {
    const list = await run(['remove', '--list']);
    assert.deepEqual([list.stdout, list.stderr], ['', 'nothing has been removed yet\n']);
  });

  it('ids, links, files and standard input; counts, the list, undo', async () => {
    const file = join(folder.path, 'ids.txt');
    writeFileSync(file, '\ufefft3_p2\r\n\r\n  https://old.reddit.com/r/energy/comments/p3/x/?a=b  \r\nnone');
    const words = ['remove', 'posts', 'p1', '/r/energy/comments/p4/', '--from', file, '-'];
    const counts = { posts: 5, comments: 0, not_there: 1 };
    const dry = await json([...words, '--dry-run'], 'https://redd.it/p5');
    const notPurged = { purged: false, purge_scheduled: false };
    assert.deepEqual(dry, { id: null, ...counts, dry_run: true, ...notPurged });
    assert.equal((await found('posts')).length, 9);
    const report = await json(words, 'https://redd.it/p5');
    assert.deepEqual(report, { id: 1, ...counts, dry_run: false, ...notPurged });
    assert.deepEqual(await found('posts'), ['p6', 'p7', 'x1', 'x2']);
    assert.equal((await found('comments')).length, 7);

    const comments = await run(['remove', 'comments', 't1_c1', '/r/Energy/comments/p1/_/c2/', 'none']);
    assert.match(
      comments.stdout,
      /^removal 2: 0 posts and 2 comments removed from .*\n1 id not in the index/,
    );
    assert.match(comments.stderr, /colloquy\.mjs remove --undo 2 --data \S+\n$/);
    assert.deepEqual(await found('comments'), ['c3', 'c4', 'c5', 'd1', 'y1']);

    const list = await json(['remove', '--list']);
    const { removed, ...second } = (list as unknown as Record<string, unknown>[])[1]!;
    assert.ok(Math.abs(Number(removed) - Date.now() / 1000) < 600);
    assert.deepEqual(second, {
      ...{ id: 2, what: 'comments', with_comments: false, state: 'done', listed: 3 },
      ...{ posts: 0, comments: 2, erased: null, undone: null },
    });
    const table = (await run(['remove', '--list'])).stdout;
    assert.match(table, /^1 {3}posts +20\S+, \S+ +6 +5 +0 +removed from answers$/m);

    const again = await json(['import', dump]);
    assert.deepEqual([again.unchanged, again.skipped], [9, { removed: 7 }]);
    assert.match((await run(['import', dump])).stdout, /^skipped +7 {2}removed with `colloquy remove`/m);

    assert.deepEqual(await json(['remove', '--undo', '2']), { id: 2, back: 2, not_back: 0 });
    const undone = await run(['remove', '--undo', '1']);
    assert.equal(undone.stdout, 'removal 1 is undone: 5 records restored\n');
    assert.match((await run(['remove', '--undo', '1'])).stderr, /removal 1 has already been undone/);
    assert.equal((await found('posts')).length + (await found('comments')).length, 16);
  });

  it('posts with their comments, communities, queries, and a purge', async () => {
    const first = await json(['remove', 'posts', 'p1', '--with-comments', '--purge']);
    const counts = { posts: 1, comments: 5, not_there: 0 };
    const purged = { purged: true, purge_scheduled: false };
    assert.deepEqual(first, { id: 3, ...counts, dry_run: false, ...purged });
    const late = join(folder.path, 'late.ndjson');
    writeFileSync(late, commentLine('late', { link_id: 't3_p1' }));
    assert.deepEqual((await json(['import', late])).skipped, { removed: 1 });

    const cats = ['remove', 'community', '/R/Cats', 'u/Ann'];
    assert.deepEqual((await json([...cats, '--dry-run'])).posts, 2);
    const { id, posts, comments } = await json(cats);
    assert.deepEqual({ id, posts, comments }, { id: 4, posts: 2, comments: 1 });
    const later = [postLine('x3', { subreddit: 'cats' }), commentLine('y3', { subreddit: 'CATS' })];
    writeFileSync(late, later.join('\n'));
    assert.deepEqual((await json(['import', late])).skipped, { removed: 2 });

    const query = 'remove query --kind comments telling before:2030-01-01 after:1970-01-01'.split(' ');
    assert.deepEqual((await json([...query, '--dry-run'])).comments, 1);
    assert.equal((await json(query)).comments, 1);
    const nothing = await run(query);
    assert.deepEqual([nothing.code, nothing.stdout], [0, 'nothing matches, so nothing was removed\n']);
    assert.equal((await json(['remove', 'query', '--', '-p6', '-x', '/r/energy', 'post*'])).posts, 5);
    assert.deepEqual(await found('posts'), ['p6']);
    assert.deepEqual(await found('comments'), []);

    assert.deepEqual(await json(['remove', '--purge']), { purged: true, purge_scheduled: false });
    assert.match(
      (await run(['remove', '--list'])).stdout,
      /^3 {3}posts, with comments +.* erased 20\S+, \S+$/m,
    );
    const undone = await run(['remove', '--undo', '3']);
    assert.match(undone.stdout, /^removal 3 is undone: 0 records restored\n6 records not restored: erased/);
    const imported = await json(['import', dump]);
    assert.deepEqual([imported.added, imported.skipped], [6, { removed: 9 }]);
    assert.deepEqual((await json(['check'])).problems, []);
  });
});
