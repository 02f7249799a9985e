// `colloquy thread`: a list to read, a table, and the answer of the API.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { comment, post, temporaryFolder } from './helpers.ts';
import { colloquy } from './one-process.ts';

const THREAD = [
  comment({ id: 'a', post: 'p1', parent: 'p1', created: 0, body: 'first\nline two' }),
  comment({ id: 'lost', post: 'p1', parent: 'gone', created: 1, body: 'lost, "quoted"', score: -3 }),
  comment({ id: 'odd', post: 'p1', parent: '', created: 2, body: 'odd' }),
  ...Array.from({ length: 10 }, (_, i) =>
    comment({
      id: `d${i}`,
      post: 'p1',
      parent: i === 0 ? 'a' : `d${i - 1}`,
      created: 10 + i,
      body: `deep ${i}`,
    }),
  ),
];

describe('colloquy thread', () => {
  const folder = temporaryFolder();
  before(async () => {
    await using app = await openApp({ ...readConfig({}), dataFolder: folder.path });
    await app.engine.index('post', packRecords([post({ id: 'p1', title: 'A title', selftext: 'the text' })]));
    await app.engine.index('comment', packRecords(THREAD));
  });
  after(() => folder[Symbol.dispose]());

  async function thread(...words: string[]): Promise<{ code: number; out: string; words: string }> {
    const { code, stdout, stderr } = await colloquy(['thread', ...words, '--data', folder.path]);
    return { code, out: stdout, words: stderr };
  }

  it('lists the post, and each comment below what it answers; from the ninth step on it says how deep', async () => {
    const { code, out } = await thread('https://www.reddit.com/r/energy/comments/p1/');
    assert.equal(code, 0);
    const lines = out.split('\n');
    assert.deepEqual(lines.slice(0, 7), [
      'A title',
      '    /r/energy  2008-01-01, 00:00:00  1 score',
      '    https://www.reddit.com/r/energy/comments/p1/',
      '    the text',
      '13 comments',
      '1970-01-01, 00:00:00  1 score  a',
      '    first line two',
    ]);
    const deep = lines.indexOf(`${'  '.repeat(8)}1970-01-01, 00:00:17  1 score  d7`);
    assert.deepEqual(lines.slice(deep + 2, deep + 4), [
      `${'  '.repeat(8)}1970-01-01, 00:00:18  1 score  d8  level 9, answers d7`,
      `${'  '.repeat(8)}    deep 8`,
    ]);
    assert.deepEqual(lines.slice(-5), [
      '1970-01-01, 00:00:01  -3 score  lost  answers gone, not here',
      '    lost, "quoted"',
      '1970-01-01, 00:00:02  1 score  odd  answers something unknown',
      '    odd',
      '',
    ]);
  });

  it('--csv is a table of all comments, the oldest first', async () => {
    const { out } = await thread('p1', '--csv', '--around', 'a', '--fields', 'id,parent_id,depth,body');
    assert.equal(out, 'id,parent_id,depth,body\na,p1,0,"first\nline two"\nd0,a,1,deep 0\n');
    const whole = await thread('p1', '--csv');
    assert.match(whole.out, /^type,id,subreddit\.id,.*,score,parent_id,depth\ncomment,a,/);
    assert.match(whole.out, /"lost, ""quoted""",,-3,gone,\n/);
  });

  it('--json is the answer of the API, in both shapes', async () => {
    const page = JSON.parse((await thread('p1', '--json', '--limit', '2')).out);
    assert.deepEqual([page.type, page.comments.length, page.next], ['thread', 2, 1000]);
    const rest = JSON.parse((await thread('p1', '--json', '--after', '1000', '--fields', 'id')).out);
    assert.deepEqual([rest.comments.length, rest.comments[0]], [11, { id: 'odd' }]);
    const tree = JSON.parse((await thread('p1', '--json', '--shape', 'tree')).out);
    assert.equal(tree.comments[0].replies[0].replies[0].id, 'd1');
  });

  for (const [line, message] of [
    ['nope', /expected something of the post `nope`, found nothing/],
    ['t1_a', /parameter `post`: expected the id or permalink of a post/],
    ['p1 --limit 3', /`--limit`: expected `--json` with it/],
    ['p1 --fields id', /`--fields`: expected `--json` or `--csv` with it/],
    ['p1 --json --csv', /`--csv`: expected it without `--json`/],
    ['p1 --csv --fields title', /`fields`: expected fields of a comment/],
  ] as const) {
    it(`thread ${line}: exit code 2 and one line`, async () => {
      const { code, out, words } = await thread(...line.split(' '));
      assert.deepEqual([code, out], [2, '']);
      assert.match(words, message);
      assert.equal(words.split('\n').length, 2, words);
    });
  }
});
