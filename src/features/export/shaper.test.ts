import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import {
  EVIDENCE,
  expectSameBehindSteps,
  exportArbitrary,
  flatNames,
  manyComments,
  presented,
  SHAPER_DEFAULTS,
  shape,
  shapeOn,
  strictCsv,
  viewWith,
} from '../../../test/export-shaping.ts';
import { comment, post, temporaryFolder } from '../../../test/helpers.ts';
import { Catalogue } from '../../catalogue/catalogue.ts';
import type { Kind } from '../../model/record.ts';
import { DEFAULT_FIELDS } from '../../search/presenter.ts';
import { COMPRESSIONS, type Compression } from './parameters.ts';
import { openShaper } from './shaper.ts';

const UNPACK: Readonly<Record<Compression, (bytes: Buffer) => Buffer>> = {
  none: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes),
  zstd: (bytes) => zstdDecompressSync(bytes),
};

/** The cells of a flat row as text, by the names of its columns. */
function flat(row: Readonly<Record<string, unknown>>, columns: readonly string[]): string[] {
  return columns.map((column) => {
    let value: unknown = row;
    for (const name of column.split('.')) value = (value as Record<string, unknown>)[name];
    return value === null ? '' : String(value);
  });
}

describe('shapes of text', () => {
  const view = viewWith(EVIDENCE);

  it('ndjson: a record a line, as answers have it', async () => {
    const property = fc.asyncProperty(exportArbitrary(), async ({ kind, records, fields }) => {
      const { bytes } = await shape(records, { kind, fields }, { view, batch: 3 });
      const expected = presented(records, fields).map((record) => `${JSON.stringify(record)}\n`);
      assert.equal(bytes.toString(), expected.join(''));
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('csv: a header and the same values, flat', async () => {
    const property = fc.asyncProperty(exportArbitrary(), async ({ kind, records, fields }) => {
      const { bytes } = await shape(records, { kind, fields, format: 'csv' }, { view, batch: 3 });
      const names = flatNames(fields ?? DEFAULT_FIELDS[kind]);
      const rows = presented(records, fields).map((record) => flat(record, names));
      assert.deepEqual(strictCsv(bytes.toString(), '\n'), [names, ...rows]);
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('csv-excel: the same cells, none of which begins a formula', async () => {
    const property = fc.asyncProperty(exportArbitrary(), async ({ kind, records, fields }) => {
      const { bytes, report } = await shape(records, { kind, fields, format: 'csv-excel' }, { view });
      assert.equal(report.cutCells, 0);
      const [mark, text] = [bytes.toString().slice(0, 1), bytes.toString().slice(1)];
      assert.equal(mark, '\ufeff');
      const [header, ...rows] = strictCsv(text, '\r\n');
      const isNumber = (name: string) => /^(?:score|sentiment|.*_utc)$/.test(name);
      const expected = presented(records, fields).map((record) =>
        flat(record, header!).map((cell, i) =>
          !isNumber(header![i]!) && /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell,
        ),
      );
      assert.deepEqual(rows, expected);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  const byField: readonly [rule: string, kind: Kind, fields: string[], csv: string][] = [
    ['null is empty', 'comment', ['id', 'sentiment', 'post_id'], 'id,sentiment,post_id\nx,,\n'],
    ['a row of one empty cell is no empty line', 'comment', ['body'], 'body\n""\n'],
    [
      'numbers and truth values as JSON has them',
      'post',
      ['score', 'subreddit'],
      'score,subreddit.id,subreddit.name,subreddit.nsfw\n1,,energy,false\n',
    ],
  ];
  for (const [rule, kind, fields, csv] of byField) {
    it(`csv: ${rule}`, async () => {
      const record = kind === 'post' ? post({ id: 'x' }) : comment({ id: 'x' });
      const { bytes } = await shape([record], { kind, fields, format: 'csv' });
      assert.equal(bytes.toString(), csv);
    });
  }

  const cells: readonly [rule: string, body: string, cell: string, cut: number][] = [
    ['32,767 characters stay', 'a'.repeat(32_767), 'a'.repeat(32_767), 0],
    ['one more is cut', 'a'.repeat(32_768), 'a'.repeat(32_767), 1],
    ['the apostrophe counts', `=${'a'.repeat(32_766)}`, `'=${'a'.repeat(32_765)}`, 1],
    ['a pair of surrogates is not divided', `${'a'.repeat(32_766)}😀`, 'a'.repeat(32_766), 1],
    ['a pair that ends there stays', `${'a'.repeat(32_765)}😀b`, `${'a'.repeat(32_765)}😀`, 1],
  ];
  for (const [rule, body, cell, cut] of cells) {
    it(`csv-excel: ${rule}`, async () => {
      const { bytes, report } = await shape([comment({ id: 'x', body })], {
        format: 'csv-excel',
        fields: ['body'],
      });
      assert.deepEqual(strictCsv(bytes.toString().slice(1), '\r\n'), [['body'], [cell]]);
      assert.equal(report.cutCells, cut);
    });
  }
});

/** Of a community whose records say nothing of it. */
const NO_EVIDENCE = { id: '', judgedPosts: 0, adultPosts: 0 };

describe('what an export knows of communities', () => {
  it('is what was known when it began, for communities that come late too', async () => {
    using folder = temporaryFolder();
    await using catalogue = Catalogue.open(folder.path);
    catalogue.setNsfw('late', true);
    const options = {
      ...SHAPER_DEFAULTS,
      catalogue: { path: catalogue.path!, isReadOnly: false },
      fields: ['subreddit'],
    };
    const shaper = await openShaper(options, { total: 2, matches: 2, arrival: 0 }, viewWith(EVIDENCE));
    try {
      catalogue.setNsfw('late', false);
      catalogue.setNsfw('energy', false);
      const rows = [comment({ id: 'a', community: 'energy' }), comment({ id: 'b', community: 'late' })];
      const bytes = (await shaper.add(rows, true, null))
        .map((piece) => Buffer.from(piece).toString())
        .join('');
      assert.deepEqual(
        bytes
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).subreddit),
        [
          { id: '2qh1', name: 'energy', nsfw: true },
          { id: '', name: 'late', nsfw: true },
        ],
      );
    } finally {
      shaper.close();
    }
  });

  it('is looked up once a name, and again after many others', async () => {
    const asked: string[] = [];
    const view = {
      evidence: async (names: Iterable<string>) => {
        const all = [...names];
        asked.push(...all);
        return new Map(all.map((name) => [name, EVIDENCE.get(name) ?? NO_EVIDENCE]));
      },
    };
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => comment({ id: 'x', community: `c${from + i}` }));
    await shape([...rows(0, 10_000), ...rows(0, 10_000)], {}, { view, batch: 1000 });
    assert.equal(asked.length, 10_000);
    asked.length = 0;
    const energy = comment({ id: 'x', community: 'energy', communityId: '' });
    const { bytes } = await shape([energy, ...rows(0, 25_000), energy], {}, { view, batch: 1000 });
    assert.equal(asked.filter((name) => name === 'energy').length, 2);
    const ids = bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).subreddit.id);
    assert.deepEqual([ids[0], ids.at(-1)], ['2qh1', '2qh1']);
  });
});

describe('bytes of an export', () => {
  const records = manyComments(9_000);
  const stepEvery = 2_000;
  const compressions = Object.keys(COMPRESSIONS) as Compression[];

  for (const compress of compressions) {
    it(`${compress}: are the plain ones, compressed as one`, async () => {
      const plain = await shape(records, {}, { stepEvery });
      const { bytes } = await shape(records, { compress }, { stepEvery });
      assert.ok(UNPACK[compress](bytes).equals(plain.bytes));
    });

    for (const format of ['ndjson', 'csv-excel'] as const) {
      it(`${compress}, ${format}: going on behind any step gives the same file`, () =>
        expectSameBehindSteps(records, { compress, format }, stepEvery));
    }
  }

  const files = [
    ...compressions.map((compress) => ({ compress, format: 'csv' }) as const),
    { compress: 'none', format: 'parquet' } as const,
  ];
  for (const file of files) {
    it(`${file.compress}, ${file.format}: do not depend on the size of batches, and their SHA-256 is told`, async () => {
      const whole = await shape(records, file, { stepEvery, batch: 9_000 });
      assert.equal(whole.report.sha256, createHash('sha256').update(whole.bytes).digest('hex'));
      for (const batch of [1, 77, 1_999]) {
        const other = await shape(records, file, { stepEvery, batch });
        assert.ok(other.bytes.equals(whole.bytes), `batches of ${batch}`);
        assert.deepEqual(other.steps, whole.steps);
      }
    });
  }

  it('a compressed file that is cut at a step does not look whole', async () => {
    for (const compress of ['gzip', 'zstd'] as const) {
      const { bytes, steps } = await shape(records, { compress }, { stepEvery });
      for (const step of steps) assert.throws(() => UNPACK[compress](bytes.subarray(0, step.bytes)));
    }
  });

  it('steps before the first record that is not withheld are gone on behind too', async () => {
    using folder = temporaryFolder();
    const part = join(folder.path, 'part');
    const head = { total: 1, matches: 1, arrival: 0 };
    for (const compress of compressions) {
      const options = { ...SHAPER_DEFAULTS, compress };
      const shaper = await openShaper(options, head, viewWith(EVIDENCE));
      const pieces = [...(await shaper.add([], true, null)), ...(await shaper.add([], true, null))];
      const state = shaper.state();
      shaper.close();
      writeFileSync(part, Buffer.concat(pieces));
      const rest = await shape(records.slice(0, 1), { compress, resume: { state, part } });
      const whole = UNPACK[compress](Buffer.concat([...pieces, rest.bytes]));
      assert.equal(whole.toString().trimEnd().split('\n').length, 1);
    }
  });

  it('cells that were cut before a break are counted behind it', async () => {
    using folder = temporaryFolder();
    const long = [
      ...records.slice(0, 10),
      comment({ id: 'x', body: 'a'.repeat(40_000) }),
      ...records.slice(10, 30),
    ];
    const options = { format: 'csv-excel' } as const;
    const whole = await shape(long, options, { stepEvery: 20 });
    assert.equal(whole.report.cutCells, 1);
    const rest = await shapeOn(whole, 0, join(folder.path, 'part'), long, options, 20);
    assert.equal(rest.report.cutCells, 1);
  });

  it('a state that is none is refused', async () => {
    for (const state of [null, 1, {}, { bytes: 1, cutCells: 0, steps: [2, 1] }]) {
      await assert.rejects(shape(records, { resume: { state, part: '/nowhere' } }), /expected the state/);
    }
  });
});
