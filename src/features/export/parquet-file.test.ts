import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import {
  EVIDENCE,
  expectSameBehindSteps,
  exportArbitrary,
  flatNames,
  manyComments,
  parquetRows,
  presented,
  SHAPER_DEFAULTS,
  shape,
  viewWith,
} from '../../../test/export-shaping.ts';
import { comment, post } from '../../../test/helpers.ts';
import type { RecordShaper } from '../../model/export.ts';
import type { Kind } from '../../model/record.ts';
import { DEFAULT_FIELDS, FIELD_NAMES } from '../../search/presenter.ts';
import { openShaper } from './shaper.ts';

const PARQUET = { format: 'parquet' } as const;

function fileOf(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function groupSizes(bytes: Buffer): number[] {
  return parquetMetadata(fileOf(bytes)).row_groups.map((group) => Number(group.num_rows));
}

/** A record as a flat row of a Parquet file. */
function flatRow(record: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const cell = (name: string) => {
    let value: unknown = record;
    for (const part of name.split('.')) value = (value as Record<string, unknown>)[part];
    return name.endsWith('_utc') && value !== null ? BigInt(value as number) : value;
  };
  return Object.fromEntries(names.map((name) => [name, cell(name)]));
}

describe('parquet', () => {
  it('a row a record, with the same values, flat', async () => {
    const view = viewWith(EVIDENCE);
    const property = fc.asyncProperty(exportArbitrary(), async ({ kind, records, fields }) => {
      const { bytes } = await shape(records, { kind, fields, ...PARQUET }, { view, stepEvery: 7, batch: 3 });
      const names = flatNames(fields ?? DEFAULT_FIELDS[kind]);
      const expected = presented(records, fields).map((record) => flatRow(record, names));
      assert.deepEqual(records.length === 0 ? [] : await parquetRows(bytes), expected);
    });
    await fc.assert(property, { numRuns: 40 });
  });

  const schemas: readonly [kind: Kind, types: Record<string, string>][] = [
    [
      'comment',
      {
        sentiment: 'DOUBLE OPTIONAL',
        post_id: 'BYTE_ARRAY UTF8 OPTIONAL',
        parent_id: 'BYTE_ARRAY UTF8 OPTIONAL',
      },
    ],
    ['post', { url: 'BYTE_ARRAY UTF8 OPTIONAL' }],
  ];
  const shared: Record<string, string> = {
    'subreddit.nsfw': 'BOOLEAN REQUIRED',
    created_utc: 'INT64 REQUIRED',
    score: 'INT32 REQUIRED',
    retrieved_utc: 'INT64 OPTIONAL',
    arrived_utc: 'INT64 OPTIONAL',
  };
  for (const [kind, types] of schemas) {
    it(`${kind}s: all columns, typed, with or without records`, async () => {
      const fields = [...FIELD_NAMES[kind]];
      for (const records of [[], [kind === 'post' ? post({ id: 'x' }) : comment({ id: 'x' })]]) {
        const { bytes } = await shape(records, { kind, fields, ...PARQUET });
        const { schema, num_rows } = parquetMetadata(fileOf(bytes));
        const found = schema.slice(1).map((column) => {
          const words = [column.type, column.converted_type, column.repetition_type];
          return [column.name, words.filter((word) => word !== undefined).join(' ')];
        });
        const text = 'BYTE_ARRAY UTF8 REQUIRED';
        const expected = flatNames(fields).map((name) => [name, types[name] ?? shared[name] ?? text]);
        assert.deepEqual(found, expected);
        assert.equal(Number(num_rows), records.length);
      }
    });
  }

  it('scores of 32 bits', async () => {
    const scores = [-2_147_483_647, 2_147_483_647, 0];
    const records = scores.map((score, i) => comment({ id: `${i}`, score }));
    const { bytes } = await shape(records, { fields: ['score'], ...PARQUET });
    const given = (await parquetRows(bytes)).map(({ score }) => score);
    assert.deepEqual(given, scores);
  });

  it('what it says of itself stands at its end', async () => {
    const about = { query: 'solar,panel', order: 'oldest', 'made by': 'Köln' };
    const { bytes } = await shape([comment({ id: 'x' })], { about, ...PARQUET });
    const { key_value_metadata, created_by } = parquetMetadata(fileOf(bytes));
    assert.deepEqual(
      key_value_metadata,
      Object.entries({ ...about, total_count: '1', matches: '1' }).map(([key, value]) => ({
        key: `colloquy.${key}`,
        value,
      })),
    );
    assert.equal(created_by, 'colloquy');
  });

  it('a step ends a row group, and so do 50,000 records', async () => {
    const records = manyComments(50_010);
    const fields = ['id'];
    const stepless = await shape(records, { fields, ...PARQUET });
    assert.deepEqual(groupSizes(stepless.bytes), [50_000, 10]);
    const steps = await shape(records.slice(0, 500), { fields, ...PARQUET }, { stepEvery: 200 });
    assert.deepEqual(groupSizes(steps.bytes), [200, 200, 100]);
  });

  it('rows of a group that has not ended can be forgotten: as if they had never come', async () => {
    const long = comment({ id: 'long', body: 'wind '.repeat(300_000) });
    const records = [...manyComments(500), long, ...manyComments(20)];
    const left = [...records.slice(300, 400), ...records.slice(410)];
    const written = async (midway: (shaper: RecordShaper) => Promise<void>) => {
      const options = { ...SHAPER_DEFAULTS, ...PARQUET };
      const shaper = await openShaper(options, { total: 521, matches: 521, arrival: 0 }, viewWith(EVIDENCE));
      const pieces = [...(await shaper.add(records.slice(0, 300), true, null))];
      await midway(shaper);
      pieces.push(...(await shaper.add(left, true, null)), ...(await shaper.end()).bytes);
      shaper.close();
      return Buffer.concat(pieces);
    };
    const forgetful = await written(async (shaper) => {
      assert.equal(shaper.held!.count, 0);
      assert.deepEqual(await shaper.add(records.slice(300), false, null), []);
      assert.equal(shaper.held!.count, records.length - 300);
      shaper.held!.forget();
      assert.equal(shaper.held!.count, 0);
    });
    const plain = await written(async () => {});
    assert.ok(forgetful.equals(plain));
    assert.deepEqual(groupSizes(plain), [300, left.length]);
  });

  it('long texts end a row group early', async () => {
    const body = 'x'.repeat(1_048_576);
    const records = Array.from({ length: 80 }, (_, i) => comment({ id: `${i}`, body }));
    const { bytes } = await shape(records, { fields: ['id', 'body'], ...PARQUET });
    assert.deepEqual(groupSizes(bytes), [64, 16]);
    const rows = await parquetRows(bytes);
    assert.ok(rows.every((row, i) => row.id === `${i}` && row.body === body));
  });

  for (const [kinds, records] of [
    ['comments', manyComments(9_000)],
    ['posts', manyComments(9_000).map(({ id, created }) => post({ id, created, title: `t ${id}` }))],
  ] as const) {
    it(`${kinds}: going on behind any step gives the same file`, () => {
      const kind = records[0]!.kind;
      const options = { kind, fields: [...FIELD_NAMES[kind]], about: { query: 'x' }, ...PARQUET };
      return expectSameBehindSteps(records, options, 2_000);
    });
  }

  it('a file that is cut at a step does not look whole', async () => {
    const { bytes, steps } = await shape(manyComments(2_000), PARQUET, { stepEvery: 1_000 });
    for (const step of steps) assert.throws(() => parquetMetadata(fileOf(bytes.subarray(0, step.bytes))));
  });

  it('a state that is none is refused', async () => {
    const records = manyComments(2_000);
    const [step] = (await shape(records, PARQUET, { stepEvery: 1_000 })).steps;
    const state = step!.state as object;
    for (const none of [null, {}, { ...state, groups: [] }, { ...state, groups: 'x' }]) {
      const resumed = shape(records, { ...PARQUET, resume: { state: none, part: '/dev/null' } });
      await assert.rejects(resumed, /expected the state of an export/);
    }
  });
});
