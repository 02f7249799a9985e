import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KINDS } from '../../model/record.ts';
import { columnsOf } from '../../operation/text-forms.ts';
import { FIELD_NAMES } from '../../search/presenter.ts';
import {
  canCompress,
  checkRecords,
  compressionsOf,
  FORMATS,
  type Format,
  fileName,
  formatOfName,
  mediaTypeOf,
} from './parameters.ts';

describe('formats of an export', () => {
  it('csv-excel holds 1,048,575 records, others any number', () => {
    checkRecords('csv-excel', 1_048_575);
    checkRecords('csv', 1e12);
    assert.throws(() => checkRecords('csv-excel', 1_048_576), {
      code: 'too_many_rows',
      status: 400,
      message:
        '`csv-excel`: expected at most 1,048,575 records, found 1,048,576; ' +
        'a `limit`, a narrower query or another format will do',
    });
  });

  it('every format is offered plain first', () => {
    for (const format of Object.keys(FORMATS) as Format[]) assert.equal(compressionsOf(format)[0], 'none');
    assert.equal(canCompress('csv-excel', 'gzip'), true);
    assert.deepEqual(compressionsOf('parquet'), ['none']);
    assert.equal(canCompress('parquet', 'zstd'), false);
  });

  it('the type of the bytes is that of the compression where there is one', () => {
    assert.equal(mediaTypeOf('ndjson', 'none'), 'application/x-ndjson');
    assert.equal(mediaTypeOf('ndjson', 'zstd'), 'application/zstd');
    assert.equal(mediaTypeOf('csv', 'gzip'), 'application/gzip');
    assert.equal(mediaTypeOf('parquet', 'none'), 'application/vnd.apache.parquet');
  });

  // 2026-11-22, 04:00 UTC.
  const time = 1_795_320_000;
  const names: readonly [query: string, name: string][] = [
    ['solar panel', 'colloquy-comments-solar-panel-2026-11-22.ndjson.zst'],
    ['', 'colloquy-comments-2026-11-22.ndjson.zst'],
    [
      '"Solar Panel",/r/Energy,score:5',
      'colloquy-comments-solar-panel-r-energy-score-5-2026-11-22.ndjson.zst',
    ],
    ['naïve Straße', 'colloquy-comments-naive-stra-e-2026-11-22.ndjson.zst'],
    ['日本', 'colloquy-comments-2026-11-22.ndjson.zst'],
    ['../../etc/passwd', 'colloquy-comments-etc-passwd-2026-11-22.ndjson.zst'],
    [`${'a'.repeat(30)} ${'b'.repeat(30)}`, `colloquy-comments-${'a'.repeat(30)}-2026-11-22.ndjson.zst`],
  ];
  for (const [query, name] of names) {
    it(`file name: ${query}`, () => {
      assert.equal(fileName('comment', { query, format: 'ndjson', compress: 'zstd', time }), name);
    });
  }

  it('file names end as the formats do', () => {
    const endings = (['csv', 'csv-excel', 'parquet'] as const).map((format) =>
      fileName('post', { query: 'x', format, compress: 'none', time }),
    );
    assert.deepEqual(endings, [
      'colloquy-posts-x-2026-11-22.csv',
      'colloquy-posts-x-2026-11-22.csv',
      'colloquy-posts-x-2026-11-22.parquet',
    ]);
  });

  it('the name of a file says its format, in whatever case, or that it is of none here', () => {
    const names: readonly [name: string, says: ReturnType<typeof formatOfName>][] = [
      ['q.ndjson', { format: 'ndjson' }],
      ['q.NDJSON.ZST', { format: 'ndjson', compress: 'zstd' }],
      ['q.Csv.gz', { format: 'csv', compress: 'gzip' }],
      ['q.jsonl.gz', { format: 'ndjson', compress: 'gzip' }],
      ['q.2024.parquet', { format: 'parquet' }],
      ['.csv', { format: 'csv' }],
      ['q.zst', { compress: 'zstd' }],
      ['q', {}],
      ['.hidden', {}],
      ['some.folder/q', {}],
      ['q.XLSX', { foreign: '.XLSX' }],
      ['q.ndjson.xz', { foreign: '.xz' }],
      ['q.json.gz', { foreign: '.json', compress: 'gzip' }],
      ['q.2024', { foreign: '.2024' }],
    ];
    for (const [name, says] of names) assert.deepEqual(formatOfName(name), says, name);
  });

  it('every field that can be chosen has its columns', () => {
    for (const kind of KINDS) {
      const names = columnsOf(kind, FIELD_NAMES[kind]).map((column) => column.name);
      assert.equal(new Set(names).size, FIELD_NAMES[kind].length + 2);
    }
  });
});
