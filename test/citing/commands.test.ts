// `colloquy cite` as a process, as docs/citing.md has it.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { cite } from '../../src/features/citing/service.ts';
import { KINDS } from '../../src/model/record.ts';
import { temporaryFolder } from '../helpers.ts';
import { commentLine } from '../import/import-helpers.ts';
import { ofTests } from '../of-tests.ts';
import { colloquy } from '../one-process.ts';

describe('colloquy cite', () => {
  const folder = ofTests(temporaryFolder());
  const path = (name: string) => join(folder.path, name);
  const [one, other, changed] = [path('one'), path('other'), path('changed')];
  const late = commentLine('d', { body: 'cats', created_utc: 1_580_000_000 });
  const dumps = {
    a: `${commentLine('a', { body: 'cats here' })}\n${commentLine('b', { body: 'dogs' })}`,
    b: `${commentLine('c', { body: 'more cats' })}\n${late}`,
  };
  const cited = path('cats.json');
  const verify = (file: string, data: string) => colloquy(['cite', '--verify', file, '--data', data]);

  before(async () => {
    for (const [data, order, text] of [
      [one, ['a', 'b'], dumps],
      [other, ['b', 'a'], dumps],
      [changed, ['a', 'b'], { ...dumps, b: dumps.b.replace('more cats', 'more cats.') }],
    ] as const) {
      const files = order.map((name) => {
        const file = path(`RC_${name}`);
        writeFileSync(file, text[name]);
        return file;
      });
      const { code, stderr } = await colloquy(['import', ...files, '--data', data]);
      assert.equal(code, 0, stderr);
    }
  });

  it('two folders with the same dumps in another order give one id, a byte more gives another', async () => {
    const ids: string[] = [];
    for (const data of [one, other, changed]) {
      const { code, stdout, stderr } = await colloquy(['cite', 'comments', 'cats', '--json', '--data', data]);
      assert.equal(code, 0, stderr);
      const { id, kinds, sources } = JSON.parse(stdout);
      assert.deepEqual([kinds.comments.total_count, kinds.comments.months.length], [3, 2]);
      assert.deepEqual(sources.map(({ name }: { name: string }) => name).sort(), ['RC_a', 'RC_b']);
      ids.push(id);
      if (data === one) writeFileSync(cited, stdout);
    }
    assert.equal(ids[1], ids[0]);
    assert.notEqual(ids[2], ids[0]);
  });

  it('--verify: 0 the same, 1 with the months that differ, 2 where it is no citation', async () => {
    const same = await verify(cited, other);
    assert.deepEqual([same.code, same.stderr], [0, '']);
    assert.match(same.stdout, /^clq-c-\w{16}: the same, 3 comments\n$/);
    const differs = await verify(cited, changed);
    assert.equal(differs.code, 1, differs.stderr);
    assert.match(
      differs.stdout,
      /: differs\ncomments: then 3, now 3\n {2}2020-09: then 2, now 2, with another fingerprint\n$/,
    );
    writeFileSync(
      path('broken.json'),
      readFileSync(cited, 'utf8').replace('"total_count": 3', '"total_count": 4'),
    );
    const broken = await verify(path('broken.json'), one);
    assert.equal(broken.code, 2);
    assert.match(
      broken.stderr,
      /broken\.json`: `comments\.total_count`: expected 3, the sum of its months, found `4`/,
    );
    assert.equal((await verify(path('no'), one)).code, 2);
  });

  it('explains here what came in since, by import', async () => {
    const file = path('RC_c');
    writeFileSync(file, [commentLine('e', { body: 'cats, late' }), commentLine('f')].join('\n'));
    assert.equal((await colloquy(['import', file, '--data', other])).code, 0);
    const { code, stdout } = await verify(cited, other);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /: differs\ncomments: then 3, now 4\n {2}2020-09: then 2 \+ came in 1 - gone 0 = now 3\n {2}came in: 1 from RC_c\n$/,
    );
  });

  it('prints a sentence, lists and forgets', async () => {
    const query = 'before:2020-09-14 after:2020-09-13';
    const made = await colloquy(['cite', 'both', query, '--note', ' Table\n2 ', '--data', one]);
    assert.match(
      made.stdout,
      /^Colloquy \S+, query `before:2020-09-14,after:2020-09-13`, 0 posts \(fingerprint 0{16}\), 3 comments \(fingerprint \w{16}\), from RC_a \(sha256 \w{4}…\) and 1 more, \d{4}-\d\d-\d\d, http:\/\/127\.0\.0\.1:8080\/cite\/clq-c-\w{16}\n$/,
    );
    const id = /clq-c-\w{16}/.exec(made.stdout)![0];
    const { stdout } = await colloquy(['cite', '--list', '--data', one]);
    assert.match(stdout, new RegExp(`^${id} .* before:2020-09-14,after:2020-09-13 +Table 2$`, 'm'));
    assert.equal((await colloquy(['cite', '--remove', id, '--data', one])).code, 0);
    assert.equal((await colloquy(['cite', '--remove', id, '--data', one])).code, 2);
  });

  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['comments'], /expected `posts`, `comments` or `both`, and a query/],
    [['comments', 'cats', '--note', 'x'.repeat(501)], /note: expected at most 500 characters, found 501/],
    [['comments', 'before:2020-09-14'], /expected an `after:` beside `before:`, found none/],
    [['--list', '--remove', 'x'], /expected one of `--list` and `--remove`/],
  ];
  for (const [given, expected] of wrong) {
    it(`is refused: ${given.join(' ').slice(0, 40)}`, async () => {
      const { code, stderr } = await colloquy(['cite', ...given, '--data', one]);
      assert.equal(code, 2);
      assert.match(stderr, expected);
    });
  }

  it('cited none of the 14 comments that a search of the sample showed', async () => {
    using empty = temporaryFolder();
    const config = { ...readConfig(), dataFolder: empty.path };
    await using sample = await openApp(config, { sample: true });
    assert.ok(sample.isSample());
    const wish = { query: 'battery', kinds: KINDS, note: null };
    await assert.rejects(cite(sample, wish), /nothing has been imported yet/);
    for (const words of [
      ['cite', 'comments', 'battery'],
      ['datasets', 'publish', 'x', 'comments', 'battery'],
    ]) {
      const { code, stderr } = await colloquy([...words, '--data', empty.path]);
      assert.equal(code, 2);
      assert.match(stderr, /^colloquy: .*nothing has been imported yet\n$/);
    }
  });
});
