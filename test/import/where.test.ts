// `import --where`: what it takes in, counts, keeps of how far it came, and says.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Where } from '../../src/ingest/selection/selection.ts';
import { conditionsOf, matches } from '../../src/model/query.ts';
import { printQuery } from '../../src/search/language/syntax.ts';
import { queryArbitrary } from '../generators/queries.ts';
import { textArbitrary, VOCABULARY } from '../generators/records.ts';
import { colloquy, expectRefused } from '../one-process.ts';
import { commentLine, expectSum, importPlace, postLine, test, where } from './import-helpers.ts';

const row = fc.record({
  subreddit: fc.constantFrom(...VOCABULARY.communities, 'Energy'),
  created_utc: fc.constantFrom(...VOCABULARY.times),
  score: fc.constantFrom(...VOCABULARY.scores.filter((score) => Math.abs(score) < 1000)),
  text: textArbitrary(6),
  isPost: fc.boolean(),
  domain: fc.constantFrom(...VOCABULARY.domains),
});

type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never;

function lineOf({ text, isPost, domain, ...more }: Row, id: string): string {
  if (!isPost) return commentLine(id, { ...more, body: text });
  return postLine(id, { ...more, title: text, domain, url: `https://${domain}/${id}` });
}

describe('import --where', () => {
  it('takes in what an import of everything holds that matches, and nothing else', async () => {
    const corpora = fc.array(row, { minLength: 1, maxLength: 30 });
    const query = queryArbitrary(VOCABULARY, 3).filter(({ items }) => items.length > 0);
    const QUERIES = 3;
    const queries = fc.array(query, { minLength: QUERIES, maxLength: QUERIES });
    await fc.assert(
      fc.asyncProperty(corpora, queries, async (rows, asked) => {
        const lines = rows.map((fields, i) => lineOf(fields, `r${i}`)).join('\n');
        await using all = await importPlace();
        await all.run([all.file('a.ndjson', lines)]);
        const records = await all.records();
        for (const query of asked) {
          await using part = await importPlace();
          const options = { where: { query, text: printQuery(query) } };
          const report = await part.run([part.file('a.ndjson', lines)], options);
          const conditions = conditionsOf(query);
          const expected = records.filter((record) => matches(record, conditions));
          assert.deepEqual(await part.records(), expected);
          assert.deepEqual([report.read, report.added], [rows.length, expected.length]);
          assert.equal(report.skipped.where ?? 0, rows.length - expected.length);
          expectSum(report);
        }
      }),
      { numRuns: 24 / QUERIES },
    );
  });

  test('counts what it passes over, and rejects only what it reads', async (place) => {
    const lines = [
      commentLine('a', { body: 'solar power' }),
      commentLine('b', { body: 'wind' }),
      commentLine('c', { body: 'SOLAR', subreddit: 'cats' }),
      '',
      'not JSON, and without the word',
      '{"solar": "energy"',
      postLine('p', { title: 'Solar', promoted: true }),
      JSON.stringify({ id: 'x', display_name: 'solar', title: 'energy', over18: true }),
    ];
    const file = place.file('a.ndjson', lines.join('\n'));
    const report = await place.run([file], { where: where('/r/energy solar') });
    assert.deepEqual(report.skipped, { where: 4, promoted: 1 });
    assert.deepEqual(report.rejected, { bad_json: 1 });
    assert.deepEqual([report.read, report.added, report.communities], [7, 1, 0]);
    expectSum(report);
    assert.deepEqual(place.catalogue.knowledgeOf(['solar']).size, 0);
  });

  test('a query without words reads every line', async (place) => {
    const lines = [commentLine('a', { score: 7 }), commentLine('b', { score: 3 }), 'no JSON'];
    const report = await place.run([place.file('a.ndjson', lines.join('\n'))], { where: where('score:5') });
    assert.deepEqual([report.added, report.skipped, report.rejected], [1, { where: 1 }, { bad_json: 1 }]);
  });

  test('a source of which nothing matches is no empty source', async (place) => {
    const report = await place.run([place.file('a.ndjson', commentLine('a'))], { where: where('solar') });
    assert.equal(report.sources[0]?.state, 'whole');
  });

  test('a copy that matches no more is passed over, and the stored one stays', async (place) => {
    await place.run([place.file('old.ndjson', commentLine('a', { body: 'solar' }))]);
    const newer = commentLine('a', { body: 'wind', retrieved_on: 1_700_000_000 });
    const report = await place.run([place.file('new.ndjson', newer)], { where: where('solar') });
    assert.deepEqual([report.skipped, report.replaced], [{ where: 1 }, 0]);
    const [stored] = await place.records();
    assert.ok(stored?.kind === 'comment' && stored.body === 'solar');
  });

  test('reads CSV, API answers and archives of a part too', async (place) => {
    const csv = 'id,subreddit,created_utc,body\na,Energy,1,"solar, and ""more"""\nb,Energy,1,wind\n';
    const answer = JSON.stringify({ data: ['c', 'd'].map((id) => JSON.parse(commentLine(id))) }, null, 2);
    const sources = [place.file('a.csv', csv), place.file('b.json', answer)];
    const report = await place.run(sources, { where: where('solar|d') });
    assert.deepEqual([report.read, report.added, report.skipped], [4, 2, { where: 2 }]);
  });
});

/** A thousand lines of which every 50th matches; a block has some 300 of them. */
const LINES = Array.from({ length: 4000 }, (_, i) =>
  commentLine(`c${i}`, { body: `${i % 50 === 0 ? 'solar' : 'wind'} ${'x'.repeat(800)}` }),
);

describe('import --where, broken off', () => {
  it('goes on where it was with the same query, and holds the same in the end', async () => {
    await using whole = await importPlace();
    const content = LINES.join('\n');
    await whole.run([whole.file('a.ndjson', content)], { where: where('solar') });
    await using place = await importPlace();
    const file = place.file('a.ndjson', content);
    const first = await place.runStopped([file], { where: where('solar') });
    assert.equal(first.sources[0]?.state, 'stopped');
    const second = await place.run([file], { where: where('solar') });
    assert.ok((second.sources[0]?.resumed_behind_line ?? 0) > 0);
    assert.equal(first.read + second.read, LINES.length);
    assert.equal(await place.digest(), await whole.digest());
  });

  const OTHERS: [rule: string, first: Where | null, then: Where | null][] = [
    ['another query', where('solar'), where('wind')],
    ['none', where('solar'), null],
    ['one, after an import of everything', null, where('solar')],
  ];
  for (const [rule, first, then] of OTHERS) {
    test(`begins anew with ${rule}, and says so`, async (place) => {
      const file = place.file('a.ndjson', LINES.join('\n'));
      await place.runStopped([file], { where: first });
      const report = await place.run([file], { where: then });
      assert.equal(report.sources[0]?.resumed_behind_line, 0);
      assert.equal(report.read, LINES.length);
      assert.match(`${report.sources[0]?.notes}`, /was interrupted: this one starts from the beginning/);
      const again = await place.run([file], { where: then });
      assert.deepEqual(again.sources[0]?.notes, []);
    });
  }

  test('keeps its place where nothing matches for long', async (place) => {
    const file = place.file('a.ndjson', LINES.join('\n'));
    let blocks = 0;
    const options = { where: where('absent') };
    const onProgress = () => {
      if (++blocks === 2) throw new Error('out of order');
    };
    await assert.rejects(place.run([file], { ...options, quietBytes: 1, onProgress }), /out of order/);
    const report = await place.run([file], options);
    assert.ok((report.sources[0]?.resumed_behind_line ?? 0) > 1000);
    assert.deepEqual(report.skipped, { where: report.read });
  });

  test('the log of imports has the query', async (place) => {
    const file = place.file('a.ndjson', LINES.join('\n'));
    await place.run([file], { where: where('r/Energy solar') });
    await place.run([file]);
    const [first, second] = place.catalogue.listImports();
    assert.deepEqual([first?.where, second?.where], ['/r/energy,solar', null]);
  });
});

describe('colloquy import --where', () => {
  const REFUSED: [rule: string, query: string, message: RegExp][] = [
    ['its place', 'solar "wind', /^colloquy: `--where`, at character 7: expected/],
    ['no window is added', 'before:2020-01-01', /at character 1: expected an `after:`/],
    ['an empty one', ' ', /expected a query after `--where`, found none/],
  ];
  for (const [rule, query, message] of REFUSED) {
    test(`a query that cannot be read is exit code 2: ${rule}`, async (place) => {
      const file = place.file('a.ndjson', commentLine('a'));
      const data = join(place.folder, 'made');
      expectRefused(await colloquy(['import', file, '--data', data, '--where', query]), message);
    });
  }

  test('tells the query, counts in JSON, and `stats` says that the import was of a part', async (place) => {
    const data = join(place.folder, 'cli');
    const lines = [commentLine('a', { body: 'solar' }), commentLine('b')].join('\n');
    const words = ['import', '-', '--data', data, '--where', 'r/Energy solar', '--json'];
    const { code, stdout, stderr } = await colloquy(words, lines);
    assert.equal(code, 0);
    assert.match(stderr, /^query: \/r\/energy,solar$/m);
    const { read, added, skipped } = JSON.parse(stdout);
    assert.deepEqual([read, added, skipped], [2, 1, { where: 1 }]);
    const stats = await colloquy(['stats', '--data', data]);
    assert.match(stats.stdout, /last import: - \(in part: \/r\/energy,solar\), started/);
    const json = await colloquy(['stats', '--data', data, '--json']);
    assert.equal(JSON.parse(json.stdout).last_import.where, '/r/energy,solar');
  });
});
