import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { colloquy } from '../one-process.ts';
import { colloquy as startColloquy } from '../processes.ts';
import { commentLine, postLine } from './import-helpers.ts';

describe('colloquy import', () => {
  it('prints the report, and with --json one JSON value alone on standard output', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'dump');
    writeFileSync(file, `${postLine('p1')}\n${commentLine('c1')}\n{"cut\n`);
    const data = join(folder.path, 'data');
    const json = await startColloquy(['import', file, '--data', data, '--json']);
    assert.equal(json.code, 0);
    const report = JSON.parse(json.stdout);
    assert.deepEqual([report.read, report.added, report.rejected], [3, 2, { bad_json: 1 }]);
    for (const field of ['replaced', 'unchanged', 'skipped', 'seconds', 'records_per_second'])
      assert.ok(field in report);
    const table = await colloquy(['import', file, '--data', data]);
    const TABLE = /^read +3 .*\nadded +0\nreplaced +0\nunchanged +2\nrejected +1 {2}bad_json: not JSON/;
    assert.match(table.stdout, TABLE);
    assert.ok(table.stderr.includes(`serve --data ${data}, or `), table.stderr);
    assert.ok(table.stderr.includes(`search posts '' --data ${data}\n`), table.stderr);
  });

  it('takes what the API answers, and finds nothing new in it', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const elsewhere = join(folder.path, 'elsewhere');
    const take = async (at: string, text: string) =>
      JSON.parse((await colloquy(['import', '-', '--json', '--data', at], text)).stdout);
    const search = async (at: string) =>
      (await colloquy(['search', 'comments', '--json', '--data', at])).stdout;
    const rated = commentLine('c1', { retrieved_on: 1, body: 'A good and lovely day, I think.' });
    await take(data, `${rated}\n${commentLine('c2', { retrieved_on: 1 })}`);
    const answer = await search(data);
    const again = await take(data, answer);
    assert.deepEqual([again.read, again.added, again.rejected], [2, 0, {}]);
    assert.equal(await search(data), answer);
    assert.equal((await take(elsewhere, answer)).added, 2);
    assert.deepEqual(JSON.parse(await search(elsewhere)).data, JSON.parse(answer).data);
  });

  it('what is not read ends with 2 and one line', async () => {
    using folder = temporaryFolder();
    const letter = join(folder.path, 'letter');
    writeFileSync(letter, 'Dear reader,');
    for (const words of [[letter], [join(folder.path, 'nowhere')], ['--kind', 'both', letter], []]) {
      const data = join(folder.path, 'data');
      const { code, stdout, stderr } = await colloquy(['import', ...words, '--data', data]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.ok(stderr.trim().split('\n').length <= 2, stderr);
    }
  });

  it('an import of nothing ends with 2 and one line', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const file = (name: string, content: string) => {
      writeFileSync(join(folder.path, name), content);
      return join(folder.path, name);
    };
    const answer = '{"type":"post","total_count":0,"data":[],"sort_key":[]}';
    const cases: [text: string, why: RegExp][] = [
      ['', /nothing could be imported: it contains no records\n$/],
      [answer, /it contains no records\n$/],
      ['{"title":"t"}\n{"title":"t"}\n', /everything in it was rejected, 2 in all, no_id: /],
    ];
    const sources = cases.map(([text], i) => file(`source${i}`, text));
    for (const [i, [, why]] of cases.entries()) {
      const source = sources[i]!;
      const { code, stderr } = await colloquy(['import', source, '--data', data]);
      assert.equal(code, 2);
      assert.match(stderr, why);
      assert.equal(stderr.trim().split('\n').length, 1);
    }
    const good = file('good', `${postLine('p1')}\n{"cut`);
    const all = await colloquy(['import', ...sources, good, '--json', '--data', data]);
    assert.equal(all.code, 2);
    assert.equal(JSON.parse(all.stdout).added, 1);
    assert.equal(all.stderr.match(/nothing could be imported/g)?.length, 3);
    assert.equal((await colloquy(['import', good, '--data', data])).code, 0);
  });

  it('--community: a name that is none is wrong usage', async () => {
    using folder = temporaryFolder();
    const words = ['import', '-', '--json', '--data', folder.path, '--community'];
    assert.equal((await colloquy([...words, 'a b'], postLine('p1'))).code, 2);
    const { code, stdout } = await colloquy([...words, 'r/Mine'], '{"id":"a","body":"b","created_utc":1}');
    assert.deepEqual([code, JSON.parse(stdout).added], [0, 1]);
  });

  it('communities import takes a dump of communities, and nothing else', async () => {
    using folder = temporaryFolder();
    const words = ['communities', 'import', '-', '--json', '--data', folder.path];
    const { stdout } = await colloquy(words, '{"display_name":"Night","id":"2qh","over18":true}');
    assert.equal(JSON.parse(stdout).communities, 1);
    const { code, stderr } = await colloquy(words, postLine('p1'));
    assert.equal(code, 2);
    assert.match(stderr, /expected a dump of communities .*, found 1 objects without `display_name`/);
  });
});
