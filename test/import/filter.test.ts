// `colloquy filter`: what it writes, in which form, counts and leaves behind.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { UsageError } from '../../src/errors.ts';
import type { FilterReport } from '../../src/features/import/filter/filter.ts';
import { type FilterRequest, filterSources } from '../../src/features/import/filter/filter.ts';
import { textArbitrary, VOCABULARY } from '../generators/records.ts';
import { colloquy } from '../one-process.ts';
import { start, colloquy as startColloquy, until } from '../processes.ts';
import {
  chunks,
  commentLine,
  type ImportPlace,
  importPlace,
  postLine,
  test,
  where,
} from './import-helpers.ts';

/** Filters into `out` in the place's folder, in this thread unless told otherwise. */
function filter(
  place: ImportPlace,
  sources: readonly string[],
  query: string,
  more: Partial<FilterRequest> = {},
): Promise<FilterReport> {
  return filterSources(sources, {
    ...{ where: where(query), out: join(place.folder, 'out'), format: null, kind: null, community: null },
    ...{ permalinkBase: 'https://www.reddit.com', replaces: false, workers: 0, input: chunks() },
    ...more,
  });
}

const solar = (id: string) => commentLine(id, { body: 'solar' });
const output = (place: ImportPlace, name = 'out') => readFileSync(join(place.folder, name), 'utf8');

/** The file and its part, as far as they are there. */
const left = (place: ImportPlace) => readdirSync(place.folder).filter((name) => name.startsWith('out'));

/** With a spelling that no printer of JSON would give. */
const ODD = commentLine('b', { body: 'SOLAR caf\u00e9' })
  .replace('"body":', '"body" :')
  .replace('é', '\\u00e9');

describe('filter: lines', () => {
  test('are byte for byte those of the source, of both kinds, from several sources in their order', async (place) => {
    const post = postLine('p', { title: 'Solar' });
    const sources = [
      place.file('1.ndjson', [commentLine('a'), ODD, '', `${post}\r`].join('\n')),
      place.file('2.zst', zstdCompressSync(`${solar('c')}\n${commentLine('d')}\n`)),
    ];
    const report = await filter(place, sources, 'solar');
    assert.equal(output(place), `${ODD}\n${post}\r\n${solar('c')}\n`);
    const { read, matched, lines, skipped, rejected, bytes, format } = report;
    assert.deepEqual([read, matched, lines, format], [5, 3, 3, 'ndjson']);
    assert.deepEqual([skipped, rejected], [{ where: 2 }, {}]);
    assert.equal(bytes, Buffer.byteLength(output(place)));
  });

  test('of a file longer than a block come from worker threads too', async (place) => {
    const lines = Array.from({ length: 5000 }, (_, i) =>
      commentLine(`c${i}`, { body: `${i % 7 === 0 ? 'solar' : 'wind'} ${'y'.repeat(300)}` }),
    );
    const source = place.file('a.ndjson', lines.join('\n'));
    await filter(place, [source], 'solar', { workers: 2 });
    assert.equal(output(place), `${lines.filter((_, i) => i % 7 === 0).join('\n')}\n`);
  });

  test('with several records are written once, where one of them matches', async (place) => {
    const records = [solar('a'), solar('b'), commentLine('c')].map((line) => JSON.parse(line));
    const line = JSON.stringify({ type: 'comment', data: records });
    const report = await filter(place, [place.file('a.ndjson', line)], 'solar');
    assert.equal(output(place), `${line}\n`);
    assert.deepEqual([report.matched, report.lines, report.skipped], [2, 1, { where: 1 }]);
  });

  test('of values that go over several lines are put on one each', async (place) => {
    const records = ['a', 'b'].map((id) => JSON.parse(commentLine(id)));
    await filter(place, [place.file('a.json', JSON.stringify(records, null, 2))], 'a');
    const [line, ...rest] = output(place).trimEnd().split('\n');
    assert.deepEqual([JSON.parse(line!), rest], [records[0], []]);
  });

  test('that are rejected are told with their numbers, and not written', async (place) => {
    const lines = [solar('a'), 'solar, no JSON', commentLine('solar!'), 'no JSON'];
    const source = place.file('a.ndjson', lines.join('\n'));
    const report = await filter(place, [source], 'solar');
    assert.equal(output(place), `${lines[0]}\n`);
    assert.deepEqual(report.rejects, [
      { source, line: 2, reason: 'bad_json' },
      { source, line: 3, reason: 'bad_id' },
    ]);
    assert.deepEqual([report.read, report.rejected], [4, { bad_json: 1, bad_id: 1 }]);
  });

  test('are compressed as the name ends', async (place) => {
    const source = place.file('a.ndjson', commentLine('a'));
    for (const [ending, unpack] of Object.entries({ gz: gunzipSync, zst: zstdDecompressSync })) {
      const out = join(place.folder, `a.${ending}`);
      const { bytes } = await filter(place, [source], 'a', { out });
      assert.equal(unpack(readFileSync(out)).toString(), `${commentLine('a')}\n`);
      assert.equal(bytes, readFileSync(out).length);
    }
  });
});

const CSV = 'id,subreddit,created_utc,more,body\r\n';
const ROWS = ['a,Energy,1,x,"solar, ""so""\r\nto say"\r\n', 'b,Energy,2,,wind\r\n', 'c,Cats,3,"x",SOLAR'];

describe('filter: CSV', () => {
  test('rows of sources with one header stand as they are, under it', async (place) => {
    const sources = [place.file('1.csv', `\ufeff${CSV}${ROWS.join('')}`), place.file('2.csv', CSV + ROWS[0])];
    const { format, lines } = await filter(place, sources, 'solar');
    assert.equal(output(place), `${CSV}${ROWS[0]}${ROWS[2]}\n${ROWS[0]}`);
    assert.deepEqual([format, lines], ['csv', 3]);
  });

  test('of standard input too', async (place) => {
    await filter(place, ['-'], '/r/cats', { input: chunks(CSV + ROWS.join('')) });
    assert.equal(output(place), `${CSV}${ROWS[2]}\n`);
  });

  test('rows beside lines of JSON become lines of JSON', async (place) => {
    const sources = [place.file('1.csv', CSV + ROWS.join('')), place.file('2.ndjson', commentLine('z'))];
    const { format } = await filter(place, sources, '/r/cats');
    assert.equal(format, 'ndjson');
    const { id, subreddit, body, created_utc } = JSON.parse(output(place));
    assert.deepEqual([id, subreddit.name, body, created_utc], ['c', 'cats', 'SOLAR', 3]);
  });

  test('a broken row costs only itself', async (place) => {
    const source = place.file('1.csv', `${CSV}x,y,1,2,3,4,solar\r\n${ROWS[0]}`);
    const report = await filter(place, [source], 'solar');
    assert.equal(output(place), CSV + ROWS[0]);
    assert.deepEqual(report.rejects, [{ source, line: 2, reason: 'bad_row' }]);
  });

  const rows = fc.record({
    subreddit: fc.constantFrom(...VOCABULARY.communities, 'Energy'),
    created_utc: fc.constantFrom(...VOCABULARY.times),
    score: fc.integer({ min: -5, max: 5 }),
    text: textArbitrary(5),
    isPost: fc.boolean(),
    isSelf: fc.boolean(),
    retrieved_on: fc.constantFrom(undefined, 5),
    over_18: fc.constantFrom(null, true, false),
    subreddit_id: fc.constantFrom(undefined, 't5_2qh'),
    link_id: fc.constantFrom(undefined, 't3_p'),
    parent_id: fc.constantFrom(undefined, null, 't3_p', 't1_c9', 't3_zz', 77),
  });

  for (const format of ['csv', 'ndjson'] as const) {
    it(`an import of CSV, filtered as ${format}, holds what an import with the query does`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 12 }), async (all) => {
          const lines = all.map(({ text, isPost, isSelf, ...more }, i) => {
            if (!isPost) return commentLine(`r${i}`, { ...more, body: text });
            const own = isSelf ? { is_self: true, domain: undefined } : {};
            return postLine(`r${i}`, { ...more, ...own, title: text, selftext: isSelf ? text : '' });
          });
          await using straight = await importPlace();
          await using around = await importPlace();
          const source = straight.file('a.ndjson', lines.join('\n'));
          await straight.run([source], { where: where('solar|panel|the|日') });
          const first = join(around.folder, 'first.csv');
          await filter(around, [source], 'solar|panel|the|日', { format: 'csv', out: first });
          await filter(around, [first], 'score:-9', { format });
          // Where nothing matched, a header alone, or an empty file.
          await around.run([join(around.folder, 'out')]).then(
            ({ rejected }) => assert.deepEqual(rejected, {}),
            (error) => assert.ok(error instanceof UsageError),
          );
          assert.deepEqual(await around.records(), await straight.records());
        }),
        { numRuns: 40 },
      );
    });
  }
});

describe('filter: the file', () => {
  test('one that is there, or a part of one, is in the way; nothing is changed', async (place) => {
    const source = place.file('a.ndjson', commentLine('a'));
    for (const name of ['out', 'out.part']) {
      writeFileSync(join(place.folder, name), 'mine');
      await assert.rejects(filter(place, [source], 'a'), UsageError);
      assert.equal(output(place, name), 'mine');
    }
    await filter(place, [source], 'a', { replaces: true });
    assert.equal(output(place), `${commentLine('a')}\n`);
    assert.ok(!existsSync(join(place.folder, 'out.part')));
  });

  test('begun anew beside a run that writes it is whole: the unfinished one was published under its name', async (place) => {
    const isBegun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    async function* first() {
      yield Buffer.from(`${solar('a')}\n`);
      isBegun.resolve();
      await mayEnd.promise;
    }
    async function* second() {
      yield Buffer.from(`${solar('b')}\n`);
      mayEnd.resolve();
      await assert.rejects(running, { name: 'UsageError', message: /another run/ });
      assert.deepEqual([existsSync(join(place.folder, 'out')), left(place)], [false, ['out.part']]);
      yield Buffer.from(`${solar('c')}\n`);
    }
    const running = filter(place, ['-'], 'solar', { input: first() });
    running.catch(() => undefined);
    await isBegun.promise;
    await filter(place, ['-'], 'solar', { input: second(), replaces: true });
    assert.equal(output(place), `${solar('b')}\n${solar('c')}\n`);
    assert.deepEqual(left(place), ['out']);
  });

  test('in a folder that is a source is not read: `--restart` doubled its records', async (place) => {
    const line = solar('a');
    const folder = dirname(place.file('a.ndjson', line));
    const out = join(folder, 'x.ndjson');
    // What a killed run left.
    place.file('x.ndjson.part', line);
    for (let run = 0; run < 2; run++) {
      const { matched } = await filter(place, [folder], 'solar', { out, replaces: true });
      assert.deepEqual([matched, readFileSync(out, 'utf8')], [1, `${line}\n`]);
    }
    assert.deepEqual(readdirSync(folder).sort(), ['a.ndjson', 'x.ndjson']);
  });

  test('that is a source is refused: `--restart` replaced the source', async (place) => {
    const line = solar('a');
    const source = place.file('a.ndjson', line);
    const link = join(place.folder, 'link');
    symlinkSync(source, link);
    for (const named of [source, link, join(place.folder, 'sources/../sources/a.ndjson')]) {
      const refused = filter(place, [named], 'wind', { out: source, replaces: true });
      await assert.rejects(refused, { name: 'UsageError', message: /found `.*` as both/ });
    }
    assert.equal(readFileSync(source, 'utf8'), line);
  });

  test('that is a folder is refused before anything is read: all was filtered, then EISDIR left a part', async (place) => {
    mkdirSync(join(place.folder, 'out'));
    const onProgress = () => assert.fail('a block was read');
    const source = place.file('a.ndjson', commentLine('a'));
    for (const replaces of [false, true]) {
      const refused = filter(place, [source], 'a', { replaces, onProgress });
      await assert.rejects(refused, { name: 'UsageError', message: /found a folder at/ });
    }
    assert.deepEqual(left(place), ['out']);
  });

  test('that cannot be given its name leaves no part: one stayed', async (place) => {
    const source = place.file('a.ndjson', commentLine('a'));
    const onProgress = () => mkdirSync(join(place.folder, 'out'));
    await assert.rejects(filter(place, [source], 'a', { onProgress }), UsageError);
    assert.deepEqual(left(place), ['out']);
  });

  test('is not there where a source is none, and nor is a part of it', async (place) => {
    await assert.rejects(filter(place, [place.file('a.txt', 'just text')], 'a'), UsageError);
    await assert.rejects(filter(place, [join(place.folder, 'absent')], 'a'), UsageError);
    const report = await filter(place, [place.file('b.ndjson', commentLine('solar!'))], 'solar');
    assert.deepEqual([report.file, report.bytes, left(place)], [null, null, []]);
  });

  test('is not there where reading breaks off with an error that is ours', async (place) => {
    const source = place.file('a.ndjson', commentLine('a'));
    const onProgress = () => {
      throw new Error('out of order');
    };
    await assert.rejects(filter(place, [source], 'a', { onProgress }), /out of order/);
    assert.ok(!existsSync(join(place.folder, 'out')) && !existsSync(join(place.folder, 'out.part')));
  });

  test('has what checksums vouch for of a source that is damaged', async (place) => {
    const whole = gzipSync(`${Array.from({ length: 2000 }, (_, i) => commentLine(`c${i}`)).join('\n')}\n`);
    const source = place.file('a.gz', Buffer.concat([whole, whole.subarray(0, whole.length / 2)]));
    const report = await filter(place, [source], 'comment');
    assert.equal(report.sources[0]?.state, 'broken');
    assert.equal(report.lines, 2000);
    assert.equal(output(place).split('\n').length - 1, report.lines);
  });
});

describe('colloquy filter', () => {
  test('works without a data folder, tells counts, and ends with exit code 0', async (place) => {
    const out = join(place.folder, 'o.ndjson');
    const lines = [solar('a'), commentLine('b'), 'solar'].join('\n');
    const words = ['filter', '-', '--where', 'Solar', '--out', out];
    const { code, stdout, stderr } = await startColloquy(words, lines);
    assert.equal(code, 0);
    assert.match(stderr, /^query: Solar$/m);
    assert.match(stdout, /^matched +1$/m);
    assert.match(stdout, /^passed over +1 /m);
    assert.match(stdout, /^-:3: bad_json$/m);
    assert.match(stdout, /o\.ndjson: 1 line, \d+ bytes$/m);
    assert.equal(output(place, 'o.ndjson'), `${solar('a')}\n`);
  });

  const CODES: [rule: string, words: string[], input: string, code: number, stderr: RegExp][] = [
    ['no query', [], 'x', 2, /required option '--where/],
    ['a query that cannot be read', ['--where', '"a'], 'x', 2, /`--where`, at character 1/],
    ['nothing that is read', ['--where', 'a'], 'just text', 2, /^colloquy: `-`: expected posts or comments/m],
    ['all rejected', ['--where', 'a'], commentLine('a!'), 2, /nothing could be read: .*bad_id/],
    ['nothing that matches', ['--where', 'absent'], commentLine('a'), 0, /query: absent/],
  ];
  for (const [rule, words, input, expected, message] of CODES) {
    test(`exit code ${expected}: ${rule}`, async (place) => {
      const out = join(place.folder, 'o.zst');
      const { code, stderr } = await colloquy(['filter', '-', '--out', out, ...words], input);
      assert.equal(code, expected);
      assert.match(stderr, message);
      assert.deepEqual(existsSync(out), expected === 0);
      assert.ok(!existsSync(`${out}.part`));
    });
  }

  test('--column says what a column is', async (place) => {
    const rows = 'number,subreddit,when,body\nc1,energy,1612117815,solar\nc2,energy,1612117816,wind\n';
    const [table, out] = [place.file('table.csv', rows), join(place.folder, 'part.csv')];
    const names = ['--column', 'id=number', '--column', 'created_utc=when'];
    const { code } = await colloquy(['filter', table, '--where', 'solar', '--out', out, ...names]);
    assert.deepEqual([code, readFileSync(out, 'utf8')], [0, rows.replace(/c2.*\n/, '')]);
    const other = await colloquy(['filter', table, '--where', 'solar', '--out', out, '--column', 'x=y']);
    assert.deepEqual([other.code, other.stderr.split('\n').length], [2, 2]);
  });

  test('stopped by a signal, it leaves nothing and ends with exit code 1', async (place) => {
    const out = join(place.folder, 'o.ndjson');
    await using running = start(['filter', '-', '--where', 'solar', '--out', out, '--json']);
    running.process.stdin?.write(`${solar('a')}\n`.repeat(5000));
    await until(async () => existsSync(`${out}.part`) || null);
    running.process.kill('SIGTERM');
    assert.equal(await running.ended, 1);
    assert.deepEqual([existsSync(out), existsSync(`${out}.part`)], [false, false]);
    const { file, sources } = JSON.parse(running.output.stdout);
    assert.deepEqual([file, sources[0].state], [null, 'stopped']);
  });

  test('killed, it leaves a part that is in the way until `--restart`', async (place) => {
    const out = join(place.folder, 'o.ndjson');
    const words = ['--where', 'solar', '--out', out];
    await using running = start(['filter', '-', ...words]);
    running.process.stdin?.write(`${solar('a')}\n`);
    await until(async () => existsSync(`${out}.part`) || null);
    running.process.kill('SIGKILL');
    await running.ended;
    assert.ok(!existsSync(out));
    const line = solar('a');
    const refused = await colloquy(['filter', '-', ...words], line);
    assert.deepEqual([refused.code, /`--restart` starts again/.test(refused.stderr)], [2, true]);
    assert.equal((await colloquy(['filter', '-', ...words, '--restart'], line)).code, 0);
    assert.equal(output(place, 'o.ndjson'), `${line}\n`);
  });
});
