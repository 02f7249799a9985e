import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flatNames } from '../../../test/export-shaping.ts';
import { KINDS } from '../../model/record.ts';
import { columnsOf } from '../../operation/text-forms.ts';
import { DEFAULT_FIELDS, FIELD_NAMES } from '../../search/presenter.ts';
import {
  checkRecords,
  compressionsOf,
  FORMATS,
  type Format,
  fileName,
  formatOfName,
  mediaTypeOf,
  type TableSchema,
  tableSchema,
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
    assert.deepEqual(compressionsOf('parquet'), ['none']);
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
      assert.equal(fileName('comment', query, { format: 'ndjson', compress: 'zstd' }, time), name);
    });
  }

  it('file names end as the formats do', () => {
    const endings = (['csv', 'csv-excel', 'parquet'] as const).map((format) =>
      fileName('post', 'x', { format, compress: 'none' }, time),
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

const formats = Object.keys(FORMATS) as Format[];

/** `name type`, with `!` where it is never null. */
function fieldsIn({ fields }: TableSchema): string[] {
  return fields.map(({ name, type, constraints }) => `${name} ${type}${constraints?.required ? '!' : ''}`);
}

describe('table schema of an export', () => {
  const byFormat: readonly [format: Format, fields: string[], missing: string[]][] = [
    ['ndjson', ['id string!', 'subreddit object!', 'body string!', 'sentiment number', 'score integer!'], []],
    [
      'parquet',
      [
        ...['id string!', 'subreddit.id string!', 'subreddit.name string!', 'subreddit.nsfw boolean!'],
        ...['body string!', 'sentiment number', 'score integer!'],
      ],
      [],
    ],
    [
      'csv',
      [
        ...['id string', 'subreddit.id string', 'subreddit.name string', 'subreddit.nsfw boolean!'],
        ...['body string', 'sentiment number', 'score integer!'],
      ],
      [''],
    ],
  ];
  for (const [format, fields, missing] of byFormat) {
    it(`${format}: types, and what may be null`, () => {
      const schema = tableSchema('comment', format, ['id', 'subreddit', 'body', 'sentiment', 'score']);
      assert.deepEqual(fieldsIn(schema), fields);
      assert.deepEqual(schema.missingValues, missing);
    });
  }

  it('has the columns of the file, in their order, each described', () => {
    for (const kind of KINDS) {
      for (const format of formats) {
        for (const fields of [null, [...FIELD_NAMES[kind]].reverse()]) {
          const schema = tableSchema(kind, format, fields);
          const chosen = fields ?? DEFAULT_FIELDS[kind];
          const names = format === 'ndjson' ? chosen : flatNames(chosen);
          const described = schema.fields.map(({ name }) => name);
          assert.deepEqual(described, names);
          assert.ok(schema.fields.every(({ description }) => description.length > 0));
        }
      }
    }
  });

  it('the id is the key where it was chosen', () => {
    assert.deepEqual(tableSchema('post', 'csv', null).primaryKey, ['id']);
    assert.equal('primaryKey' in tableSchema('post', 'csv', ['title']), false);
  });
});
