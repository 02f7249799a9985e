import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { UsageError } from '../../src/errors.ts';
import { totalOf } from '../../src/ingest/normalise/outcome.ts';
import type { ImportReport } from '../../src/ingest/report.ts';
import { emptySources, isComplete } from '../../src/ingest/report.ts';
import { communityObject } from '../../src/model/community.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { wholeStats } from '../whole-stats.ts';
import { commentLine, importPlace, postLine } from './import-helpers.ts';

/** What scripts add up. */
function sum(report: ImportReport): number {
  const { added, replaced, unchanged, communities, skipped, rejected } = report;
  return added + replaced + unchanged + communities + totalOf(skipped) + totalOf(rejected);
}

function counts({ read, added, replaced, unchanged, skipped, rejected }: ImportReport): object {
  return { read, added, replaced, unchanged, skipped, rejected };
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
  it('takes posts and comments of one file in and counts everything', async () => {
    await using place = await importPlace();
    const report = await place.run([place.file('mixed.ndjson', MIXED)]);
    assert.deepEqual(counts(report), {
      read: 7,
      added: 2,
      replaced: 0,
      unchanged: 2,
      skipped: { promoted: 1 },
      rejected: { bad_json: 1, bad_time: 1 },
    });
    assert.equal(sum(report), report.read);
    const comment = (await Array.fromAsync(place.engine.scan('comment', { items: [] }, 'newest'))).flat()[0];
    assert.equal(comment?.score, 2);
  });

  it('run again it changes nothing', async () => {
    await using place = await importPlace();
    const path = place.file('mixed.ndjson', MIXED);
    await place.run([path]);
    const before = await place.digest();
    const report = await place.run([path]);
    assert.deepEqual([report.added, report.replaced, report.unchanged], [0, 0, 4]);
    assert.equal(await place.digest(), before);
  });

  it('lists what it rejected, with source, line, reason and the beginning of the text', async () => {
    await using place = await importPlace();
    const path = place.file('mixed.ndjson', MIXED);
    const { rejects_file } = await place.run([path]);
    const listed = readFileSync(rejects_file ?? '', 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(listed[0], { source: path, line: 5, reason: 'bad_json', text: '{"id": "cut off' });
    assert.deepEqual([listed[1].line, listed[1].reason, listed[1].text.length], [6, 'bad_time', 80]);
    assert.equal(listed.length, 2);
  });

  it('rejects nothing: no list', async () => {
    await using place = await importPlace();
    assert.equal((await place.run([place.file('a', postLine('p1'))])).rejects_file, null);
  });

  it('takes the same content in whatever container, name and layout', async () => {
    const lines = `${postLine('p1')}\n${commentLine('c1')}\n`;
    const array = `[\n${postLine('p1')},\n${commentLine('c1')}\n]`;
    const digests = new Set<string>();
    for (const content of [
      lines,
      gzipSync(lines),
      zstdCompressSync(lines),
      array,
      gzipSync(zstdCompressSync(array)),
    ]) {
      await using place = await importPlace();
      await place.run([place.file('no-name-helps.csv', content)]);
      digests.add(await place.digest());
    }
    assert.equal(digests.size, 1);
  });

  it('reads a folder with all that is in it, and passes over what is nothing it reads', async () => {
    await using place = await importPlace();
    place.file('dumps/b/posts', postLine('p1'));
    place.file('dumps/a.txt', 'Dear reader, this is no dump.');
    place.file('dumps/.hidden', postLine('p2'));
    const folder = place.file('dumps/c', commentLine('c1')).slice(0, -2);
    const report = await place.run([folder]);
    assert.equal(report.added, 2);
    assert.deepEqual(
      report.sources.map(({ state }) => state),
      ['passed_over', 'whole', 'whole'],
    );
    assert.match(report.sources[0]?.notes[0] ?? '', /found text that begins with `Dear reader/);
    assert.ok(isComplete(report));
  });

  it('reads standard input', async () => {
    await using place = await importPlace();
    const packed = gzipSync(`${postLine('p1')}\n`);
    async function* input() {
      for (const byte of packed) yield Buffer.of(byte);
    }
    assert.equal((await place.run(['-'], { input: input() })).added, 1);
  });

  it('an empty source is one without records', async () => {
    await using place = await importPlace();
    const report = await place.run([place.file('empty', '')]);
    assert.deepEqual([report.read, isComplete(report)], [0, true]);
  });

  const REFUSED: [rule: string, sources: [string, string][], message: RegExp][] = [
    [
      'a named file that is nothing it reads',
      [['letter', 'Dear reader']],
      /letter`: expected .*, found text that begins/,
    ],
    [
      'CSV without a column that is needed',
      [['a.csv', 'id,created_utc,body,score\n']],
      /a\.csv`: neither posts nor comments: expected a community/,
    ],
    [
      'several of which none is read',
      [
        ['bad', '{"a":1}'],
        ['letter', 'Dear reader'],
      ],
      /bad`: .* fields `a`; nor is the other one read$/,
    ],
  ];
  for (const [rule, sources, message] of REFUSED) {
    it(`refuses with one line: ${rule}`, async () => {
      await using place = await importPlace();
      const paths = sources.map(([name, content]) => place.file(name, content));
      await assert.rejects(place.run(paths), (error) => {
        return error instanceof UsageError && message.test(error.message) && !error.message.includes('\n');
      });
      assert.equal((await wholeStats(place.engine)).post.records, 0);
    });
  }

  it('of several sources one that is nothing it reads is told, and the others are taken in', async () => {
    await using place = await importPlace();
    async function* letter() {
      yield Buffer.from('Dear reader');
    }
    const paths = [
      place.file('bad', '{"a":1}'),
      place.file('good', postLine('p1')),
      '-',
      place.file('more', postLine('p2')),
    ];
    const report = await place.run(paths, { input: letter() });
    assert.equal(report.added, 2);
    assert.deepEqual(
      report.sources.map(({ state }) => state),
      ['refused', 'whole', 'refused', 'whole'],
    );
    assert.deepEqual(
      emptySources(report).map(({ source }) => source),
      [paths[0], '-'],
    );
    assert.match(emptySources(report)[1]?.why ?? '', /found text that begins with `Dear reader`/);
  });

  it('refuses what is not there, and folders without files', async () => {
    await using place = await importPlace();
    await assert.rejects(place.run(['/nowhere/at/all']), /found nothing at `\/nowhere\/at\/all`/);
    await assert.rejects(
      place.run([place.file('x/.hidden', 'x').slice(0, -8)]),
      /expected files to import, found none/,
    );
  });

  it('--kind forces the kind', async () => {
    await using place = await importPlace();
    const both = JSON.stringify({ id: 'x', subreddit: 'x', created_utc: 1, title: 't', body: 'b' });
    await place.run([place.file('a', both)], { kind: 'comment' });
    const stats = await wholeStats(place.engine);
    assert.deepEqual([stats.post.records, stats.comment.records], [0, 1]);
  });

  it('a dump of communities goes into the catalogue, with or without being asked for', async () => {
    await using place = await importPlace();
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
    assert.deepEqual(
      [known.get('night')?.dump, known.get('day')?.dump, known.get('dusk')?.dump ?? null],
      [true, false, null],
    );
    assert.deepEqual([known.get('night')?.id, known.get('day')?.id], ['2qh', '2qi']);
  });

  it('what datasets say of communities goes into the catalogue, the newest over the others', async () => {
    await using place = await importPlace();
    const header =
      'type,id,subreddit.id,subreddit.name,subreddit.nsfw,created_utc,permalink,body,sentiment,score';
    const row = (id: string, nsfw: string, created: number) =>
      `comment,${id},2qh,energy,${nsfw},${created},/r/energy/comments/p/_/${id}/,text,,1`;
    await place.run([place.file('new.csv', `${header}\n${row('c1', 'True', 200)}\n`)]);
    await place.run([place.file('old.csv', `${header}\n${row('c2', 'false', 100)}\n`)]);
    assert.equal(place.catalogue.knowledgeOf(['energy']).get('energy')?.record, true);
  });
});

describe('whether a community is nsfw', () => {
  it('posts, then a dump, then the newest record, then the operator; old records show it at once', async () => {
    await using place = await importPlace();
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
    const stop = new AbortController();
    const first = await place.run([path], {
      batchRecords: 1,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    assert.equal(first.sources[0]?.state, 'stopped');
    const second = await place.run([path], { batchRecords: 1 });
    assert.ok(first.read > 0 && second.read > 0);
    assert.equal(first.read + second.read, expected.read);
    assert.equal(second.sources[0]?.resumed_behind_line, first.read);
    assert.deepEqual([second.unchanged, second.rejected], [0, {}]);
    assert.equal(await place.digest(), await whole.digest());
  });

  it('broken at any commit, the next run brings it to its end', async () => {
    await using whole = await importPlace();
    await whole.run([whole.file('long', SHORT)], { batchRecords: 1, workers: 0 });
    const expected = await whole.digest();
    for (let commits = 0; ; commits++) {
      await using place = await importPlace();
      const path = place.file(`long-${commits}`, SHORT);
      const engine = breakingAfter(place.engine, commits);
      const isBroken = await place.run([path], { batchRecords: 1, workers: 0, engine }).then(
        () => false,
        (error) => /out of order/.test(error.message),
      );
      const report = await place.run([path], { batchRecords: 1, workers: 0 });
      assert.equal(await place.digest(), expected);
      if (!isBroken) {
        assert.equal(report.unchanged, report.read);
        break;
      }
      if (commits >= 2) assert.ok((report.sources[0]?.resumed_behind_line ?? 0) > 0);
    }
  });

  it('told to restart, it begins at the beginning', async () => {
    await using place = await importPlace();
    const path = place.file('long', LONG);
    const stop = new AbortController();
    await place.run([path], { batchRecords: 1, signal: stop.signal, onProgress: () => stop.abort() });
    const report = await place.run([path], { batchRecords: 1, restart: true });
    assert.equal(report.read, 3000);
    assert.equal(report.sources[0]?.resumed_behind_line, 0);
  });

  it('another file under the same name begins at its beginning', async () => {
    await using place = await importPlace();
    const stop = new AbortController();
    await place.run([place.file('long', LONG)], {
      batchRecords: 1,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    const report = await place.run([place.file('long', `${postLine('first')}\n${LONG}`)]);
    assert.equal(report.read, 3001);
  });

  it('arrays and CSV go on behind the values they gave', async () => {
    const array = `[\n${LONG.replaceAll('\n', ',\n')}\n]`;
    const csv = `id,subreddit,created_utc,body\r\n${Array.from({ length: 3000 }, (_, i) => `c${i},x,${i},"${'x\n'.repeat(800)}"`).join('\r\n')}`;
    for (const content of [array, csv]) {
      await using whole = await importPlace();
      await whole.run([whole.file('long', content)]);
      await using place = await importPlace();
      const path = place.file('long', content);
      const stop = new AbortController();
      const first = await place.run([path], {
        batchRecords: 1,
        signal: stop.signal,
        onProgress: () => stop.abort(),
      });
      const second = await place.run([path], { batchRecords: 1 });
      assert.ok(first.read > 0 && second.read > 0 && second.unchanged === 0);
      assert.equal(first.read + second.read, 3000);
      assert.equal(await place.digest(), await whole.digest());
    }
  });
});

/** The engine, until it has committed so many batches; then it fails. */
function breakingAfter(engine: SearchEngine, commits: number): SearchEngine {
  let left = commits;
  return {
    ...bound(engine),
    index: async (...batch) => {
      if (left-- <= 0) throw new Error('out of order');
      return engine.index(...batch);
    },
  };
}

function bound(engine: SearchEngine): SearchEngine {
  return {
    index: (...given) => engine.index(...given),
    hide: (...given) => engine.hide(...given),
    restore: (...given) => engine.restore(...given),
    buried: (kind) => engine.buried(kind),
    present: (...given) => engine.present(...given),
    hiddenCount: (kinds) => engine.hiddenCount(kinds),
    purge: (kinds) => engine.purge(kinds),
    maintain: () => engine.maintain(),
    refresh: () => engine.refresh(),
    ask: (...given) => engine.ask(...given),
    askAll: (...given) => engine.askAll(...given),
    records: (...given) => engine.records(...given),
    scan: (...given) => engine.scan(...given),
    export: (...given) => engine.export(...given),
    isEmpty: () => engine.isEmpty(),
    checkpoint: (...given) => engine.checkpoint(...given),
    checkpoints: (kind) => engine.checkpoints(kind),
    stats: () => engine.stats(),
    lastArrivals: () => engine.lastArrivals(),
    fingerprints: () => engine.fingerprints(),
    coverage: (...given) => engine.coverage(...given),
    damages: () => engine.damages(),
    warm: () => engine.warm(),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
