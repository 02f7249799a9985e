import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { UsageError } from '../../src/errors.ts';
import type { ImportReport } from '../../src/ingest/report.ts';
import { emptySources, isComplete } from '../../src/ingest/report.ts';
import { communityObject } from '../../src/model/community.ts';
import { chunked, jsonLines } from '../helpers.ts';
import { wholeStats } from '../whole-stats.ts';
import {
  breaking,
  chunks,
  commentLine,
  expectSum,
  type ImportPlace,
  importPlace,
  manyFiles,
  postLine,
  test,
} from './import-helpers.ts';

function statesOf({ sources }: ImportReport): string {
  return sources.map(({ state }) => state).join(' ');
}

const MIXED = [
  postLine('p1'),
  commentLine('c1'),
  '',
  postLine('ad', { promoted: true }),
  '{"id": "cut off',
  commentLine('c2', { created_utc: 'yesterday' }),
  commentLine('c1', { score: 2 }),
  postLine('p1'),
].join('\n');

describe('import', () => {
  test('takes posts and comments of one file in and counts everything', async (place) => {
    const report = await place.run([place.file('mixed.ndjson', MIXED)]);
    assert.deepEqual([report.read, report.added, report.replaced, report.unchanged], [7, 2, 0, 2]);
    assert.deepEqual([report.skipped, report.rejected], [{ promoted: 1 }, { bad_json: 1, bad_time: 1 }]);
    expectSum(report);
    assert.equal((await place.records()).at(-1)?.score, 2);
  });

  test('lists what it rejected, with source, line, reason and the beginning of the text', async (place) => {
    const path = place.file('mixed.ndjson', MIXED);
    const { rejects_file } = await place.run([path]);
    const [first, second, ...others] = jsonLines(readFileSync(rejects_file ?? '', 'utf8'));
    assert.deepEqual(first, { source: path, line: 5, reason: 'bad_json', text: '{"id": "cut off' });
    assert.deepEqual([second.line, second.reason, second.text.length, others], [6, 'bad_time', 80, []]);
  });

  it('takes the same content in whatever container, name and layout', async () => {
    const lines = `${postLine('p1')}\n${commentLine('c1')}\n`;
    const array = `[\n${postLine('p1')},\n${commentLine('c1')}\n]`;
    const digests = new Set<string>();
    const packed = [gzipSync(lines), zstdCompressSync(lines), gzipSync(zstdCompressSync(array))];
    for (const content of [lines, array, ...packed]) {
      await using place = await importPlace();
      const { rejects_file } = await place.run([place.file('no-name-helps.csv', content)]);
      assert.equal(rejects_file, null);
      digests.add(await place.digest());
    }
    assert.equal(digests.size, 1);
  });

  test('reads a folder with all that is in it, and passes over what is nothing it reads', async (place) => {
    place.file('dumps/b/posts', postLine('p1'));
    place.file('dumps/a.txt', 'Dear reader, this is no dump.');
    place.file('dumps/.hidden', postLine('p2'));
    const folder = place.file('dumps/c', commentLine('c1')).slice(0, -2);
    const report = await place.run([folder]);
    assert.equal(report.added, 2);
    assert.equal(statesOf(report), 'passed_over whole whole');
    assert.match(report.sources[0]?.notes[0] ?? '', /found text that begins with `Dear reader/);
    assert.ok(isComplete(report));
  });

  test('reads standard input', async (place) => {
    const packed = gzipSync(`${postLine('p1')}\n`);
    assert.equal((await place.run(['-'], { input: chunked(packed, 1) })).added, 1);
  });

  const REFUSED: [rule: string, sources: Record<string, string>, message: RegExp][] = [
    ['a file that is nothing it reads', { l: 'Dear reader' }, /l`: expected .*, found text that begins/],
    ['CSV without a column', { a: 'id,created_utc,body\n' }, /a`: neither posts nor comments: expected a /],
    ['several unreadable ones', { bad: '{"a":1}', l: 'Dear' }, /bad`: .* `a`; nor is the other one read$/],
  ];
  for (const [rule, sources, message] of REFUSED) {
    test(`refuses with one line: ${rule}`, async (place) => {
      const paths = Object.entries(sources).map(([name, content]) => place.file(name, content));
      await assert.rejects(place.run(paths), (error) => {
        return error instanceof UsageError && message.test(error.message) && !error.message.includes('\n');
      });
      assert.equal((await wholeStats(place.engine)).post.records, 0);
    });
  }

  test('of several sources one that is nothing it reads is told, and the others are taken in', async (place) => {
    const [bad, good] = [place.file('bad', '{"a":1}'), place.file('good', postLine('p1'))];
    const paths = [bad, good, '-', place.file('more', postLine('p2'))];
    const report = await place.run(paths, { input: chunks('Dear reader') });
    assert.equal(report.added, 2);
    assert.equal(statesOf(report), 'refused whole refused whole');
    const [first, second, ...others] = emptySources(report);
    assert.deepEqual([first?.source, second?.source, others], [bad, '-', []]);
    assert.match(second?.why ?? '', /found text that begins with `Dear reader`/);
  });

  test('refuses what is not there, and folders without files', async (place) => {
    await assert.rejects(place.run(['/nowhere/at/all']), /found nothing at `\/nowhere\/at\/all`/);
    const folder = place.file('x/.hidden', 'x').slice(0, -8);
    await assert.rejects(place.run([folder]), /expected files to import, found none/);
  });

  test('--kind forces the kind', async (place) => {
    const both = JSON.stringify({ id: 'x', subreddit: 'x', created_utc: 1, title: 't', body: 'b' });
    await place.run([place.file('a', both)], { kind: 'comment' });
    const stats = await wholeStats(place.engine);
    assert.deepEqual([stats.post.records, stats.comment.records], [0, 1]);
  });

  test('a dump of communities goes into the catalogue, with or without being asked for', async (place) => {
    const dump = [
      { display_name: 'Night', id: '2qh', over18: true },
      { display_name: 'Day', name: 't5_2qi', over18: false },
      { display_name: 'Dusk', id: '2qj', over18: null },
    ];
    const path = place.file('subreddits', dump.map((row) => JSON.stringify(row)).join('\n'));
    for (const kind of [null, 'community'] as const) {
      const report = await place.run([path], { kind });
      assert.deepEqual([report.communities, report.read], [3, 3]);
    }
    const known = place.catalogue.knowledgeOf(['night', 'day', 'dusk']);
    const said = [...known.values()].map(({ dump, id }) => `${dump} ${id}`);
    assert.deepEqual(said, ['true 2qh', 'false 2qi', 'null 2qj']);
  });

  test('what datasets say of communities goes into the catalogue, the newest over the others', async (place) => {
    const header = 'type,id,subreddit.id,subreddit.name,subreddit.nsfw,created_utc,body';
    await place.run([place.file('new.csv', `${header}\ncomment,c1,2qh,energy,True,200,text\n`)]);
    await place.run([place.file('old.csv', `${header}\ncomment,c2,2qh,energy,false,100,text\n`)]);
    assert.equal(place.catalogue.knowledgeOf(['energy']).get('energy')?.record, true);
  });
});

test('whether a community is nsfw: posts, then a dump, then the newest record, then the operator; old records show it at once', async (place) => {
  const isNsfw = async () => {
    const page = { order: 'newest', limit: 1, after: null } as const;
    const question = { kind: 'post', query: { items: [] }, page, evidence: true } as const;
    const { evidence } = await place.engine.ask(question);
    const known = place.catalogue.knowledgeOf(['night']);
    return communityObject('night', known.get('night'), evidence?.get('night')).nsfw;
  };
  const take = async (...lines: string[]) => place.run([place.file('x', lines.join('\n'))]);
  const posts = Array.from({ length: 10 }, (_, i) =>
    postLine(`p${i}`, { subreddit: 'Night', over_18: i > 0 }),
  );
  await take(...posts.slice(0, 9));
  assert.equal(await isNsfw(), false);
  await take(...posts);
  assert.equal(await isNsfw(), true);
  await take('{"display_name":"Night","id":"2qh","over18":false}');
  assert.equal(await isNsfw(), false);
  const record = (id: string, nsfw: boolean, created_utc: number) =>
    postLine(id, { subreddit: { id: '2qh', name: 'night', nsfw }, created_utc });
  await take(record('q1', true, 300));
  assert.equal(await isNsfw(), true);
  await take(record('q2', false, 200));
  assert.equal(await isNsfw(), true);
  place.catalogue.setNsfw('night', false);
  assert.equal(await isNsfw(), false);
});

/** 3,000 records, a seventh of them posts, each of so many bytes. */
function longFile(bytes: number): string {
  return Array.from({ length: 3000 }, (_, i) => {
    const created_utc = 1_600_000_000 + i;
    const text = `${i} ${'x'.repeat(bytes)}`;
    return i % 7 === 0
      ? postLine(`p${i}`, { created_utc, selftext: text, is_self: true })
      : commentLine(`c${i}`, { created_utc, body: text });
  }).join('\n');
}

/** Enough for several blocks and batches. */
const SHORT = longFile(300);
/** More than is on its way through the import at once. */
const LONG = longFile(1500);

describe('an import that is broken off', () => {
  it('stopped by the user, it goes on where it was', async () => {
    await using whole = await importPlace();
    const expected = await whole.run([whole.file('long', LONG)], { batchRecords: 1 });
    await using place = await importPlace();
    const path = place.file('long', LONG);
    const byThread = { workers: 1, batchRecords: 1 };
    const first = await place.runStopped([path], byThread);
    assert.equal(first.sources[0]?.state, 'stopped');
    const second = await place.run([path], byThread);
    assert.ok(first.read > 0 && second.read > 0);
    assert.equal(first.read + second.read, expected.read);
    assert.equal(second.sources[0]?.resumed_behind_line, first.read);
    assert.deepEqual([second.unchanged, second.rejected], [0, {}]);
    assert.equal(await place.digest(), await whole.digest());
  });

  const WAYS: [what: string, batchRecords: number, (place: ImportPlace) => string][] = [
    ['one file', 1, (place) => place.file('long', SHORT)],
    ['small files, some of which share a batch', 4, (place) => manyFiles(place, 5)],
    ['small files, all of which do', 100, (place) => manyFiles(place, 5)],
  ];
  for (const [what, batchRecords, make] of WAYS) {
    it(`broken at any commit, the next run brings it to its end: ${what}`, async () => {
      await using whole = await importPlace();
      await whole.run([make(whole)], { batchRecords });
      const expected = await whole.digest();
      for (let commits = 0, isBroken = true; isBroken; commits++) {
        await using place = await importPlace();
        const source = make(place);
        const engine = breaking(place.engine, (call) => call >= commits);
        isBroken = await place.run([source], { batchRecords, engine }).then(
          () => false,
          (error) => /out of order/.test(error.message),
        );
        const report = await place.run([source], { batchRecords });
        assert.equal(await place.digest(), expected);
        if (!isBroken) assert.equal(report.unchanged, report.read);
        else if (what === 'one file' && commits >= 2) assert.ok(report.sources[0]!.resumed_behind_line > 0);
      }
    });
  }

  test('told to restart, it begins at the beginning', async (place) => {
    const path = place.file('long', LONG);
    await place.runStopped([path], { batchRecords: 1 });
    const report = await place.run([path], { batchRecords: 1, restart: true });
    assert.equal(report.read, 3000);
    assert.equal(report.sources[0]?.resumed_behind_line, 0);
  });

  test('another file under the same name begins at its beginning', async (place) => {
    await place.runStopped([place.file('long', LONG)], { batchRecords: 1 });
    const report = await place.run([place.file('long', `${postLine('first')}\n${LONG}`)]);
    assert.equal(report.read, 3001);
  });

  it('arrays and CSV go on behind the values they gave', async () => {
    const array = `[\n${LONG.replaceAll('\n', ',\n')}\n]`;
    const rows = Array.from({ length: 3000 }, (_, i) => `c${i},x,${i},"${'x\n'.repeat(800)}"`);
    const csv = `id,subreddit,created_utc,body\r\n${rows.join('\r\n')}`;
    for (const content of [array, csv]) {
      await using whole = await importPlace();
      await whole.run([whole.file('long', content)]);
      await using place = await importPlace();
      const path = place.file('long', content);
      const first = await place.runStopped([path], { batchRecords: 1 });
      const second = await place.run([path], { batchRecords: 1 });
      assert.ok(first.read > 0 && second.read > 0 && second.unchanged === 0);
      assert.equal(first.read + second.read, 3000);
      assert.equal(await place.digest(), await whole.digest());
    }
  });
});
