// `import --where`: what it takes in, counts, keeps of how far it came, and says.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { UsageError } from '../../src/errors.ts';
import type { ImportOptions } from '../../src/ingest/importer.ts';
import type { ImportReport } from '../../src/ingest/report.ts';
import type { Where } from '../../src/ingest/selection/selection.ts';
import { conditionsOf, matches } from '../../src/model/query.ts';
import { KINDS, type StoredRecord } from '../../src/model/record.ts';
import { interpretWithoutWindow } from '../../src/search/language/interpret.ts';
import { printQuery } from '../../src/search/language/print-query.ts';
import { queryArbitrary } from '../generators/queries.ts';
import { textArbitrary, VOCABULARY } from '../generators/records.ts';
import { colloquy } from '../one-process.ts';
import { commentLine, type ImportPlace, importPlace, postLine } from './import-helpers.ts';

function where(text: string): Where {
  const { query, echo } = interpretWithoutWindow(text);
  return { query, text: echo };
}

async function recordsIn({ engine }: ImportPlace): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for (const kind of KINDS) {
    for await (const batch of engine.scan(kind, { items: [] }, 'oldest')) all.push(...batch);
  }
  return all;
}

const total = (tally: Readonly<Record<string, number>>) =>
  Object.values(tally).reduce((sum, n) => sum + n, 0);

function expectSum({ read, added, replaced, unchanged, communities, skipped, rejected }: ImportReport): void {
  assert.equal(read, added + replaced + unchanged + communities + total(skipped) + total(rejected));
}

interface Row {
  readonly subreddit: string;
  readonly created_utc: number;
  readonly score: number;
  readonly text: string;
  readonly isPost: boolean;
  readonly domain: string;
}

const row: fc.Arbitrary<Row> = fc.record({
  subreddit: fc.constantFrom(...VOCABULARY.communities, 'Energy'),
  created_utc: fc.constantFrom(...VOCABULARY.times),
  score: fc.constantFrom(...VOCABULARY.scores.filter((score) => Math.abs(score) < 1000)),
  text: textArbitrary(6),
  isPost: fc.boolean(),
  domain: fc.constantFrom(...VOCABULARY.domains),
});

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
        await all.run([all.file('a.ndjson', lines)], { workers: 0 });
        const records = await recordsIn(all);
        for (const query of asked) {
          await using part = await importPlace();
          const options = { workers: 0, where: { query, text: printQuery(query) } };
          const report = await part.run([part.file('a.ndjson', lines)], options);
          const conditions = conditionsOf(query);
          const expected = records.filter((record) => matches(record, conditions));
          assert.deepEqual(await recordsIn(part), expected);
          assert.deepEqual([report.read, report.added], [rows.length, expected.length]);
          assert.equal(report.skipped.where ?? 0, rows.length - expected.length);
          expectSum(report);
        }
      }),
      { numRuns: 24 / QUERIES },
    );
  });

  it('counts what it passes over, and rejects only what it reads', async () => {
    await using place = await importPlace();
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

  it('a query without words reads every line', async () => {
    await using place = await importPlace();
    const lines = [commentLine('a', { score: 7 }), commentLine('b', { score: 3 }), 'no JSON'];
    const report = await place.run([place.file('a.ndjson', lines.join('\n'))], { where: where('score:5') });
    assert.deepEqual([report.added, report.skipped, report.rejected], [1, { where: 1 }, { bad_json: 1 }]);
  });

  it('a source of which nothing matches is no empty source', async () => {
    await using place = await importPlace();
    const report = await place.run([place.file('a.ndjson', commentLine('a'))], { where: where('solar') });
    assert.equal(report.sources[0]?.state, 'whole');
  });

  it('a copy that matches no more is passed over, and the stored one stays', async () => {
    await using place = await importPlace();
    await place.run([place.file('old.ndjson', commentLine('a', { body: 'solar' }))]);
    const newer = commentLine('a', { body: 'wind', retrieved_on: 1_700_000_000 });
    const report = await place.run([place.file('new.ndjson', newer)], { where: where('solar') });
    assert.deepEqual([report.skipped, report.replaced], [{ where: 1 }, 0]);
    assert.deepEqual(
      (await recordsIn(place)).map((record) => record.kind === 'comment' && record.body),
      ['solar'],
    );
  });

  it('reads CSV, API answers and archives of a part too', async () => {
    await using place = await importPlace();
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

/** Stops behind the first blocks. */
function stopping(options: Partial<ImportOptions> = {}): Partial<ImportOptions> {
  const stop = new AbortController();
  return { workers: 0, ...options, signal: stop.signal, onProgress: () => stop.abort() };
}

describe('import --where, broken off', () => {
  it('goes on where it was with the same query, and holds the same in the end', async () => {
    await using whole = await importPlace();
    const content = LINES.join('\n');
    await whole.run([whole.file('a.ndjson', content)], { where: where('solar') });
    await using place = await importPlace();
    const file = place.file('a.ndjson', content);
    const first = await place.run([file], stopping({ where: where('solar') }));
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
    it(`begins anew with ${rule}, and says so`, async () => {
      await using place = await importPlace();
      const file = place.file('a.ndjson', LINES.join('\n'));
      await place.run([file], stopping({ where: first }));
      const report = await place.run([file], { where: then });
      assert.equal(report.sources[0]?.resumed_behind_line, 0);
      assert.equal(report.read, LINES.length);
      assert.match(
        report.sources[0]?.notes.join() ?? '',
        /was interrupted: this one starts from the beginning/,
      );
      const again = await place.run([file], { where: then });
      assert.deepEqual(again.sources[0]?.notes, []);
    });
  }

  it('keeps its place where nothing matches for long', async () => {
    await using place = await importPlace();
    const file = place.file('a.ndjson', LINES.join('\n'));
    let blocks = 0;
    const dying = {
      workers: 0,
      quietBytes: 1,
      where: where('absent'),
      onProgress: () => {
        if (++blocks === 2) throw new Error('out of order');
      },
    };
    await assert.rejects(place.run([file], dying), /out of order/);
    const report = await place.run([file], { workers: 0, where: where('absent') });
    assert.ok((report.sources[0]?.resumed_behind_line ?? 0) > 1000);
    assert.deepEqual(report.skipped, { where: report.read });
  });

  it('the log of imports has the query', async () => {
    await using place = await importPlace();
    const file = place.file('a.ndjson', LINES.join('\n'));
    await place.run([file], { where: where('r/Energy solar') });
    await place.run([file]);
    assert.deepEqual(
      place.catalogue.listImports().map((entry) => entry.where),
      ['/r/energy,solar', null],
    );
  });
});

describe('colloquy import --where', () => {
  const REFUSED: [rule: string, query: string, message: RegExp][] = [
    ['its place', 'solar "wind', /^colloquy: `--where`, at character 7: expected/],
    ['no window is added', 'before:2020-01-01', /at character 1: expected an `after:`/],
    ['an empty one', ' ', /expected a query after `--where`, found none/],
  ];
  for (const [rule, query, message] of REFUSED) {
    it(`a query that cannot be read is exit code 2: ${rule}`, async () => {
      await using place = await importPlace();
      const file = place.file('a.ndjson', commentLine('a'));
      const data = join(place.folder, 'made');
      const { code, stderr } = await colloquy(['import', file, '--data', data, '--where', query]);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }

  it('tells the query, counts in JSON, and `stats` says that the import was of a part', async () => {
    await using place = await importPlace();
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

it('a query with a fault is a usage error, so that nothing is made', async () => {
  const { readWhere } = await import('../../src/cli/sources.ts');
  assert.throws(() => readWhere('score:abc'), UsageError);
});
