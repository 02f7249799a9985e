// What is published: the records of the export in every format, with sums and descriptions; and what is left when it is
// broken off.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { UsageError } from '../../src/errors.ts';
import { shelfOf } from '../../src/features/export/datasets/shelf.ts';
import { exportPlan, openExport } from '../../src/features/export/export-service.ts';
import { EXPORT_STEP } from '../../src/model/export.ts';
import { comment, post, START_OF_2008 } from '../helpers.ts';
import { csvOf, define, filesBelow, House, linesOf, make, sha256Of } from './house.ts';

describe('an edition', () => {
  const house = new House(async (app) => {
    const posts = Array.from({ length: 12 }, (_, i) =>
      post({ id: `p${i}`, created: START_OF_2008 + i, title: `title "${i}",\nsolar`, score: i }),
    );
    const comments = Array.from({ length: 25 }, (_, i) =>
      comment({ id: `c${i}`, created: START_OF_2008 + i, body: i % 5 === 0 ? 'wind' : 'solar', post: 'p1' }),
    );
    await app.engine.index('post', packRecords(posts));
    await app.engine.index('comment', packRecords(comments));
  });

  it('has the records that an export has, in every format, and no field more', async () => {
    define(house.app, { name: 'solar', query: 'solar' });
    const edition = await make(house.app, 'solar');
    const at = house.folderOf('solar');
    for (const kind of ['post', 'comment'] as const) {
      const text = async (format: 'ndjson' | 'csv') => {
        const plan = exportPlan({
          ...{ kind, query: 'solar', under: null, order: 'oldest', after: null, limit: null, fields: null },
          ...{ format, compress: 'none' },
        });
        await using run = await openExport(house.app, plan);
        const pieces: Uint8Array[] = [];
        for await (const { bytes } of run.blocks) pieces.push(...bytes);
        return Buffer.concat(pieces).toString();
      };
      const name = `solar-${kind}s`;
      const exported = await text('ndjson');
      const lines = exported.trim().split('\n');
      const made = linesOf(at, `${name}.ndjson.zst`).map((line) => JSON.stringify(line));
      assert.deepEqual(made, lines);
      assert.equal(csvOf(at, `${name}.csv.gz`), await text('csv'));
      const table = edition.tables.find((each) => each.kind === kind)!;
      assert.equal(table.records, lines.length);
      assert.equal(table.rows.length, Math.min(10, lines.length));
      assert.deepEqual(table.index, (await house.app.engine.fingerprints())[kind]);
    }
  });

  it('has the sums of its files, and every file is told of', async () => {
    const at = house.folderOf('solar');
    const sums = readFileSync(join(at, 'SHA256SUMS'), 'utf8').trim().split('\n');
    const listed = sums.map((line) => line.split('  '));
    for (const [sum, name] of listed) assert.equal(sha256Of(readFileSync(join(at, name!))), sum);
    const told = shelfOf(house.app)
      .get('solar')
      .edition!.files.map(({ name }) => name);
    assert.deepEqual([...listed.map(([, name]) => name), 'SHA256SUMS'], told);
    assert.deepEqual(readdirSync(at).sort(), [...told, 'edition.json', 'members.db'].sort());
  });

  it('is split where that is wanted, and the parts together are the whole', async () => {
    const lines = { kinds: ['comment'], formats: ['ndjson.zst'], splitEvery: 7 } as const;
    define(house.app, { name: 'parts', query: 'solar', ...lines });
    const edition = await make(house.app, 'parts');
    const parts = edition.files.filter(({ content }) => content !== null);
    const told = parts.map(({ name, content }) => [name, content?.records]);
    assert.deepEqual(told, [
      ['parts-comments-00001.ndjson.zst', 7],
      ['parts-comments-00002.ndjson.zst', 7],
      ['parts-comments-00003.ndjson.zst', 6],
    ]);
    const all = parts.flatMap(({ name }) => linesOf(house.folderOf('parts'), name));
    assert.deepEqual(all, linesOf(house.folderOf('solar'), 'solar-comments.ndjson.zst'));
  });

  it('of a number of records that the parts divide has no empty part', async () => {
    const tens = { kinds: ['comment'], formats: ['csv.gz'], splitEvery: 10 } as const;
    define(house.app, { name: 'even', query: 'solar', ...tens });
    const { files } = await make(house.app, 'even');
    const parts = files.flatMap(({ content }) => content?.records ?? []);
    assert.deepEqual(parts, [10, 10]);
  });

  it('tells its licence, and that none is given where none is', async () => {
    const terms = { title: 'Free # things', licence: 'CC-BY-4.0' };
    define(house.app, { name: 'free', query: 'solar', formats: ['csv.gz'], ...terms });
    await make(house.app, 'free');
    const card = (name: string) => readFileSync(join(house.folderOf(name), 'README.md'), 'utf8');
    const json = (name: string, file: string) =>
      JSON.parse(readFileSync(join(house.folderOf(name), file), 'utf8'));
    assert.match(card('free'), /^---\npretty_name: "Free # things"\nlicense: cc-by-4\.0\n/);
    assert.deepEqual(json('free', 'datapackage.json').licenses, [{ name: 'CC-BY-4.0' }]);
    assert.equal(json('free', 'croissant.json').license, 'CC-BY-4.0');
    assert.match(card('solar'), /\nlicense: unknown\n[\s\S]*\nNo licence is given\./);
    assert.ok(!('licenses' in json('solar', 'datapackage.json')));
    assert.ok(!('license' in json('solar', 'croissant.json')));
  });

  it('takes the place of the one before, which is served until then', async () => {
    const was = house.folderOf('solar');
    await house.app.engine.index('post', packRecords([post({ id: 'new', title: 'solar' })]));
    let wasServed = false;
    await make(house.app, 'solar', { onProgress: () => (wasServed ||= existsSync(join(was, 'README.md'))) });
    assert.ok(wasServed);
    assert.ok(!existsSync(was));
    assert.ok(linesOf(house.folderOf('solar'), 'solar-posts.ndjson.zst').some(({ id }) => id === 'new'));
    assert.deepEqual(readdirSync(join(house.folderOf('solar'), '..')), ['2']);
  });

  it('is made by one process at a time, and not while it is removed', async () => {
    await make(house.app, 'even', {
      onProgress: () => assert.throws(() => shelfOf(house.app).remove('even'), UsageError),
    });
    shelfOf(house.app).remove('even');
    assert.ok(!existsSync(join(house.data, 'datasets', 'even')));
    await assert.rejects(make(house.app, 'even'), /expected a data set `even`, found none/);
  });
});

describe('an edition that is broken off', () => {
  const house = new House(async (app) => {
    const records = Array.from({ length: EXPORT_STEP + 300 }, (_, i) =>
      comment({ id: `c${i}`, created: START_OF_2008 + 1 + i, body: 'x' }),
    );
    await app.engine.index('comment', packRecords(records));
  });

  async function breakOff(name: string, step: string, at: number): Promise<void> {
    const stop = new AbortController();
    const onProgress = (now: { step: string; done: number }) => {
      if (now.step === step && now.done >= at) stop.abort();
    };
    await assert.rejects(make(house.app, name, { signal: stop.signal, onProgress }), { name: 'AbortError' });
  }

  it('goes on behind what was read, and has the files of an unbroken run', async () => {
    for (const name of ['broken', 'whole'])
      define(house.app, { name, kinds: ['comment'], formats: ['ndjson.zst', 'parquet'] });
    await breakOff('broken', 'reading', EXPORT_STEP);
    await breakOff('broken', 'writing', 1);
    const steps: string[] = [];
    const edition = await make(house.app, 'broken', { onProgress: ({ step }) => steps.push(step) });
    assert.ok(!steps.includes('reading'), 'all had been read');
    await make(house.app, 'whole');
    const [broken, whole] = ['broken', 'whole'].map((name) =>
      readFileSync(join(house.folderOf(name), `${name}-comments.ndjson.zst`)),
    );
    assert.equal(edition.tables[0]!.records, EXPORT_STEP + 300);
    assert.deepEqual(broken, whole);
    const left = filesBelow(join(house.data, 'datasets')).filter((path) =>
      /base|making/.test(basename(path)),
    );
    assert.deepEqual(left, []);
  });

  it('begins anew where the index has changed since', async () => {
    define(house.app, { name: 'all', kinds: ['comment'], formats: ['ndjson.zst'] });
    await breakOff('all', 'reading', EXPORT_STEP);
    await house.app.engine.index('comment', packRecords([comment({ id: 'first', created: START_OF_2008 })]));
    const { tables } = await make(house.app, 'all');
    assert.deepEqual([tables[0]!.records, tables[0]!.rows[0]!.id], [EXPORT_STEP + 301, 'first']);
  });
});
