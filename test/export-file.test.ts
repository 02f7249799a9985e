// Exports into files that are broken off and gone on with: whatever happened between two runs, the file is
// the one that the index of the second run gives, or the run says what has changed.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { type App, openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { type ExportWish, exportPlan } from '../src/features/export/export-service.ts';
import {
  exportToFile,
  type FileProgress,
  type FileRequest,
  keptRecords,
} from '../src/features/export/file/file-export.ts';
import { EXPORT_STEP } from '../src/model/export.ts';
import { EXACT_FOR } from '../src/model/time.ts';
import { comment, post, START_OF_2008, temporaryFolder } from './helpers.ts';
import { ofTests } from './of-tests.ts';

/** One step, and something behind it. */
const RECORDS = EXPORT_STEP + 500;

const WISH: ExportWish = {
  kind: 'comment',
  query: '',
  under: null,
  order: 'oldest',
  after: null,
  limit: null,
  fields: 'id,subreddit,score',
  format: 'ndjson',
  compress: 'none',
};

const corpus = ofTests(temporaryFolder());

before(async () => {
  await using app = await openData(join(corpus.path, 'data'));
  const records = Array.from({ length: RECORDS }, (_, i) => {
    const community = i % 2 === 0 ? 'energy' : 'cats';
    return comment({ id: `c${i}`, created: START_OF_2008 + i, body: 'x', community });
  });
  await app.engine.index('comment', packRecords(records));
});

function addComment(app: App, fields: Parameters<typeof comment>[0]) {
  return app.engine.index('comment', packRecords([comment(fields)]));
}

function openData(folder: string, permalinkBase = 'https://site.example'): Promise<App> {
  return openApp({ ...readConfig({}), dataFolder: folder, threads: 0, permalinkBase });
}

/** A test with a copy of the corpus, and a place for files. */
function test(
  rule: string,
  body: (place: ReturnType<typeof workplace> & { readonly app: App }) => Promise<void>,
) {
  it(rule, async () => {
    using place = workplace();
    await using app = await openData(place.data);
    await body({ ...place, app });
  });
}

function workplace() {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const outs = join(folder.path, 'out');
  cpSync(join(corpus.path, 'data'), data, { recursive: true });
  mkdirSync(outs);
  return { data, outs, out: join(outs, 'file'), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

type Changes = Partial<ExportWish> & Partial<Pick<FileRequest, 'restart' | 'version'>> & { to?: string };

async function write(app: App, out: string, { restart = false, version = 'this', ...wish }: Changes = {}) {
  const plan = exportPlan({ ...WISH, ...wish });
  let hasCompared = false;
  const onProgress = ({ isCompared }: FileProgress) => {
    hasCompared ||= isCompared;
  };
  const report = await exportToFile(app, { plan, out, restart, version, onProgress });
  return { ...report, hasCompared };
}

/** Breaks off behind the step. */
async function breakOff(app: App, out: string, { restart = false, ...wish }: Changes = {}): Promise<void> {
  const stop = new AbortController();
  const request = {
    plan: exportPlan({ ...WISH, ...wish }),
    ...{ out, restart, version: 'this', signal: stop.signal },
    onProgress: ({ done, isCompared }: FileProgress) => {
      if (done >= EXPORT_STEP && !isCompared) stop.abort();
    },
  };
  await assert.rejects(exportToFile(app, request), { name: 'AbortError' });
  assert.equal(keptRecords(out), EXPORT_STEP);
  const beside = readdirSync(dirname(out)).filter((name) => name.startsWith(`${basename(out)}.`));
  assert.deepEqual(beside.sort(), [`${basename(out)}.part`, `${basename(out)}.state`]);
}

/** All came in at this second. */
function setArrivals(data: string, time: number): void {
  using db = new DatabaseSync(join(data, 'comments.db'));
  for (const { number } of db.prepare('SELECT number FROM arrivals').all()) {
    const sql = 'UPDATE arrivals SET time = ?, crc = ? WHERE number = ?';
    db.prepare(sql).run(time, crc32(`${number} ${time}`), number!);
  }
}

function refused(writing: Promise<unknown>, name: 'UsageError' | 'StorageError', message: RegExp) {
  return assert.rejects(writing, { name, message });
}

/** The file is the one that an unbroken run writes. */
async function expectWhole(app: App, out: string, wish: Changes = {}): Promise<void> {
  await write(app, `${out}-whole`, wish);
  assert.ok(readFileSync(out).equals(readFileSync(`${out}-whole`)));
}

describe('an export into a file', () => {
  test('broken off twice, the file is that of an unbroken run, and only the state is left beside it', async (place) => {
    const { app, outs } = place;
    for (const compress of ['none', 'gzip'] as const) {
      const whole = await write(app, join(outs, `whole-${compress}`), { compress });
      const { count, withheld, total, resumedBehind } = whole;
      assert.deepEqual([count, withheld, total, resumedBehind], [RECORDS, 0, RECORDS, 0]);
      const out = join(outs, `file-${compress}`);
      await breakOff(app, out, { compress });
      const plan = exportPlan({ ...WISH, compress });
      const request = { plan, out, restart: false, version: 'this', signal: AbortSignal.abort() };
      await assert.rejects(exportToFile(app, request), { name: 'AbortError' });
      assert.equal(keptRecords(out), EXPORT_STEP);
      const rest = await write(app, out, { compress });
      // At once: nothing has changed.
      assert.deepEqual({ ...rest, resumedBehind: 0 }, whole);
      assert.equal(rest.resumedBehind, EXPORT_STEP);
      assert.ok(readFileSync(out).equals(readFileSync(join(outs, `whole-${compress}`))));
      const beside = readdirSync(outs).filter((name) => name.startsWith(`file-${compress}.`));
      assert.deepEqual(beside, [`file-${compress}.state`]);
    }
  });

  test('a sample, and records that are named, go on as every match does: the file is that of an unbroken run', async (place) => {
    const { app, outs } = place;
    const names = Array.from({ length: RECORDS }, (_, i) => ({ id: `c${RECORDS - i}`, of: null }));
    const wishes = { sample: { sample: { size: RECORDS - 100, seed: 's' } }, names: { names } };
    for (const [name, wish] of Object.entries(wishes)) {
      const out = join(outs, name);
      await breakOff(app, out, wish);
      const other = name === 'sample' ? { sample: { size: RECORDS - 100, seed: 't' } } : {};
      await refused(write(app, out, other), 'UsageError', /left by another export: `--(seed|from-ids)`/);
      const { resumedBehind, hasCompared, sha256, total } = await write(app, out, wish);
      assert.deepEqual([resumedBehind, hasCompared], [EXPORT_STEP, false]);
      assert.equal(total, RECORDS - (name === 'sample' ? 100 : 1));
      assert.equal((await write(app, join(outs, `whole-${name}`), wish)).sha256, sha256);
    }
  });

  test('goes on where records came or went behind the place; the file is that of the index as it is now', async (place) => {
    const { app, out } = place;
    await breakOff(app, out);
    await addComment(app, { id: 'new', created: START_OF_2008 + 9 * RECORDS });
    await app.engine.hide(1, 'comment', { ids: [`c${RECORDS - 1}`, `c${RECORDS - 2}`] });
    const { total, count, resumedBehind, hasCompared } = await write(app, out);
    assert.deepEqual([total, count, resumedBehind], [RECORDS - 1, RECORDS - 1, EXPORT_STEP]);
    assert.equal(hasCompared, true);
    await expectWhole(app, out);
  });

  test('goes on where everything behind the place was removed', async ({ app, outs }) => {
    for (const compress of ['none', 'zstd'] as const) {
      const out = join(outs, compress, 'file');
      mkdirSync(join(outs, compress));
      await breakOff(app, out, { compress, order: 'newest' });
      const ids = Array.from({ length: RECORDS - EXPORT_STEP }, (_, i) => `c${i}`);
      await app.engine.hide(1, 'comment', { ids });
      const { count } = await write(app, out, { compress, order: 'newest' });
      assert.equal(count, EXPORT_STEP);
      await expectWhole(app, out, { compress, order: 'newest' });
      await app.engine.restore(1);
    }
  });

  const changes: readonly (readonly [string, (app: App) => Promise<unknown>, RegExp])[] = [
    [
      'a record came in before the place',
      (app) => addComment(app, { id: 'new', created: START_OF_2008 + 100 }),
      /file\.part`: the index has changed since this part was written \(50,500 comments then, 50,501 now\): within the first [\d,]+ records, at byte/,
    ],
    [
      'a record before the place was removed',
      (app) => app.engine.hide(1, 'comment', { ids: ['c100'] }),
      /\(50,500 comments then, 50,499 now\).*; begin again with `--restart`$/,
    ],
    [
      'something else is known of a community',
      async (app) => app.catalogue.setNsfw('cats', true),
      /within the first [\d,]+ records, at byte/,
    ],
    [
      'posts tell of another id of a community',
      (app) =>
        app.engine.index('post', packRecords([post({ id: 'p', community: 'cats', communityId: 'x9' })])),
      /within the first [\d,]+ records, at byte/,
    ],
  ];
  for (const [name, change, words] of changes) {
    test(`${name}: refused, with what changed; the part stays, and --restart begins anew`, async (place) => {
      const { app, out } = place;
      await breakOff(app, out);
      const kept = [readFileSync(`${out}.part`), readFileSync(`${out}.state`)];
      await change(app);
      await refused(write(app, out), 'StorageError', words);
      assert.ok(kept[0]!.subarray(0, 1000).equals(readFileSync(`${out}.part`).subarray(0, 1000)));
      assert.ok(kept[1]!.equals(readFileSync(`${out}.state`)));
      assert.equal(existsSync(out), false);
      await write(app, out, { restart: true });
      await expectWhole(app, out);
    });
  }

  test('tells matches beside records where not every record of the kind matches', async ({ app, out }) => {
    const wish = { query: '-/r/dogs' };
    await addComment(app, { id: 'd', community: 'dogs' });
    await breakOff(app, out, wish);
    await app.engine.hide(1, 'comment', { ids: ['c100'] });
    const words = /\(50,500 matches then, 50,499 now; 50,501 comments then, 50,500 now\): within/;
    await refused(write(app, out, wish), 'StorageError', words);
  });

  test('what another version wrote is gone on with where the bytes are the same', async ({ app, out }) => {
    await breakOff(app, out);
    const { resumedBehind, count, hasCompared } = await write(app, out, { version: 'another' });
    assert.deepEqual([resumedBehind, count, hasCompared], [EXPORT_STEP, RECORDS, true]);
  });

  test('with fields that fingerprints do not cover, the part is compared', async ({ app, out }) => {
    const fields = 'id,retrieved_utc';
    await breakOff(app, out, { fields });
    const { count, hasCompared } = await write(app, out, { fields });
    assert.deepEqual([count, hasCompared], [RECORDS, true]);
  });

  it('with arrived_utc it goes on while the same times are told, and not once they are told to the hour', async () => {
    using place = workplace();
    const fields = 'id,arrived_utc';
    {
      await using app = await openData(place.data);
      await breakOff(app, place.out, { fields });
      const { count, hasCompared } = await write(app, place.out, { fields });
      assert.deepEqual([count, hasCompared], [RECORDS, true]);
      await breakOff(app, place.out, { fields, restart: true });
    }
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600 - EXACT_FOR - 86_400;
    setArrivals(place.data, hour + 5);
    await using app = await openData(place.data);
    const words = /the index has changed since this part was written: .*at byte/;
    await refused(write(app, place.out, { fields }), 'StorageError', words);
    await write(app, place.out, { fields, restart: true });
    const last = readFileSync(place.out, 'utf8').trim().split('\n').at(-1)!;
    assert.equal(JSON.parse(last).arrived_utc, hour);
  });

  it('with other addresses of links it is refused, if links are in it', async () => {
    using place = workplace();
    const fields = 'id,permalink';
    {
      await using app = await openData(place.data);
      await breakOff(app, place.out, { fields });
    }
    await using app = await openData(place.data, 'https://other.example');
    const words = /links began with https:\/\/site\.example, now with .*at byte/;
    await refused(write(app, place.out, { fields }), 'StorageError', words);
  });

  test('what is removed while it runs is left out and counted; nothing goes on behind such a part', async (place) => {
    const { app, outs, out } = place;
    let hidden: Promise<unknown> | null = null;
    const stop = new AbortController();
    const request = {
      plan: exportPlan(WISH),
      ...{ restart: false, version: 'this' },
      onProgress: () => {
        hidden ??= app.engine.hide(1, 'comment', { ids: [`c${EXPORT_STEP - 5}`] });
      },
    };
    const whole = await exportToFile(app, { ...request, out: join(outs, 'whole') });
    assert.deepEqual([whole.count, whole.withheld, whole.total], [RECORDS - 1, 1, RECORDS]);
    assert.equal(readFileSync(join(outs, 'whole'), 'utf8').includes(`"c${EXPORT_STEP - 5}"`), false);
    await app.engine.restore(1);
    hidden = null;
    const onProgress = ({ done }: FileProgress) => {
      request.onProgress();
      if (done >= EXPORT_STEP) stop.abort();
    };
    await assert.rejects(exportToFile(app, { ...request, onProgress, out, signal: stop.signal }));
    await hidden;
    const words = /1 record was removed while this part was written.*`--restart`/;
    await refused(write(app, out), 'StorageError', words);
  });

  test('a file that is there stays until --restart has a whole one in its place, broken off or not', async (place) => {
    const { app, out } = place;
    writeFileSync(out, 'mine');
    const words = /expected no file `.*file` yet, found one; `--restart` replaces it/;
    await refused(write(app, out), 'UsageError', words);
    await breakOff(app, out, { restart: true });
    assert.equal(readFileSync(out, 'utf8'), 'mine');
    assert.equal((await write(app, out)).resumedBehind, EXPORT_STEP);
    assert.notEqual(readFileSync(out, 'utf8').slice(0, 4), 'mine');
  });

  test('a file that came to the name while the part was waiting is not overwritten', async ({ app, out }) => {
    await breakOff(app, out);
    writeFileSync(out, 'mine');
    await refused(write(app, out), 'UsageError', /expected no file/);
    assert.equal(readFileSync(out, 'utf8'), 'mine');
  });

  test('another command does not go on with the part, and is told what is different', async (place) => {
    const { app, out } = place;
    await breakOff(app, out);
    const other = { query: 'solar,/r/cats', format: 'csv', fields: null, limit: 7 } as const;
    const words =
      /file\.state` was left by another export: query everything there, `solar,\/r\/cats` here; `--limit` none there, `7` here; `--fields` `id,subreddit,score` there, none here; `--format` `ndjson` there, `csv` here\. .*`--restart`/;
    await refused(write(app, out, other), 'UsageError', words);
    assert.equal((await write(app, out, { query: '  ' })).resumedBehind, EXPORT_STEP);
  });

  test('a part that was damaged, cut or lost its state is refused', async ({ app, outs, out }) => {
    await breakOff(app, out);
    const part = readFileSync(`${out}.part`);
    const state = readFileSync(`${out}.state`);
    const damaged = Buffer.from(part);
    damaged[1000]! ^= 1;
    const cases: readonly (readonly [Buffer | null, Buffer | null, RegExp])[] = [
      [damaged, state, /expected the bytes that were written, found others; begin again with `--restart`/],
      [part.subarray(0, 1000), state, /expected \d+ bytes at least, found 1000/],
      [part, Buffer.from('{"form":1}'), /expected the state of an export of this version/],
      [part, Buffer.from('nothing'), /expected the state of an export of this version/],
    ];
    for (const [bytes, told, words] of cases) {
      writeFileSync(`${out}.part`, bytes!);
      writeFileSync(`${out}.state`, told!);
      await refused(write(app, out), 'StorageError', words);
    }
    const alone = join(outs, 'alone');
    writeFileSync(`${alone}.part`, part);
    await refused(write(app, alone), 'UsageError', /alone\.state` beside .*found none.*`--restart`/);
    assert.equal((await write(app, alone, { restart: true })).count, RECORDS);
  });

  test('two that write one file: the second is refused', async ({ app, outs, out }) => {
    const first = write(app, out);
    await refused(write(app, out), 'UsageError', /expected to be alone in writing/);
    await first;
    assert.deepEqual(readdirSync(outs).sort(), ['file', 'file.state']);
  });

  test('what fails before the first step leaves nothing', async ({ app, outs, out }) => {
    const stop = new AbortController();
    const plan = exportPlan(WISH);
    const request = { plan, out, restart: false, version: 'this', signal: stop.signal };
    await assert.rejects(exportToFile(app, { ...request, onProgress: () => stop.abort() }));
    assert.deepEqual(readdirSync(outs), []);
  });

  test('tells the index it comes from, also where an earlier run had written all of it', async (place) => {
    const { app, outs } = place;
    for (const fields of ['id', 'id,arrived_utc']) {
      const wish = { query: '/r/cats', limit: 7, fields };
      const out = join(outs, fields);
      const plan = exportPlan({ ...WISH, ...wish });
      const request = { plan, out, restart: false, version: 'this' };
      const inTheWay = { ...request, onProgress: () => writeFileSync(out, 'mine') };
      await refused(exportToFile(app, inTheWay), 'UsageError', /expected no file/);
      rmSync(out);
      const index = (await app.engine.fingerprints()).comment;
      const finished = await write(app, out, wish);
      assert.deepEqual([finished.resumedBehind, finished.index], [7, fields === 'id' ? index : null]);
      const whole = await write(app, out, { ...wish, restart: true });
      assert.deepEqual([whole.resumedBehind, whole.index], [0, index]);
    }
  });

  test('an empty result is a file too', async ({ app, out }) => {
    const { count, bytes } = await write(app, out, { query: 'nowhere' });
    assert.deepEqual([count, bytes, readFileSync(out).length], [0, 0, 0]);
  });
});
