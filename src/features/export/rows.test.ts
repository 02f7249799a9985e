import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flatNames } from '../../../test/export-shaping.ts';
import { KINDS } from '../../model/record.ts';
import { DEFAULT_FIELDS, FIELD_NAMES } from '../../search/presenter.ts';
import { FORMATS, type Format } from './parameters.ts';
import { type TableSchema, tableSchema } from './rows.ts';

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
