import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NameField } from '../model/engine.ts';
import {
  allTime,
  between,
  rowItem,
  rowQueries,
  wider,
  withoutDates,
  withoutItem,
  writeQuery,
  writtenItems,
} from './edit-query.ts';
import { interpretQuery } from './language/interpret.ts';

const items = (text: string) => writtenItems(interpretQuery(text, { impliedWindow: '1d' }));
const at = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

describe('links that edit a query', () => {
  const queriesOf = (text: string, field: NameField, name: string) =>
    rowQueries(items(text), rowItem(field, name)!.kind);
  const include = (field: NameField, name: string) => (text: string) =>
    queriesOf(text, field, name).including(rowItem(field, name)!);
  const exclude = (field: NameField, name: string) => (text: string) =>
    queriesOf(text, field, name).excluding(rowItem(field, name)!);
  const rows = [
    ['a community is added', 'sun', include('community', 'a'), 'sun /r/a'],
    ['and stands in the place of others', 'sun /r/a+b', include('community', 'b'), 'sun /r/b'],
    ['exclusions stay', '-/r/c sun', include('community', 'a'), '-/r/c sun /r/a'],
    ['a site is added', 'sun', include('domain', 'M.Example.org'), 'sun site:m.example.org'],
    ['a community is excluded', 'sun', exclude('community', 'a'), 'sun -/r/a'],
    ['one of several asked for is no longer asked for', '/r/a+b', exclude('community', 'a'), '/r/b'],
    ['a text post’s domain', 'sun', exclude('domain', 'self.AskMen'), 'sun -site:self.askmen'],
    [
      'an item is taken away',
      'sun -moon score:5',
      (text: string) => writeQuery(withoutItem(items(text), 1)),
      'sun score:5',
    ],
    [
      'all time',
      'before:2020-01-01',
      (text: string) => writeQuery(allTime(items(text))),
      'before:2020-01-01 after:1970-01-01',
    ],
    ['a phrase keeps its quotes', '"a b" c', (text: string) => writeQuery(items(text)), '"a b" c'],
  ] as const;
  for (const [rule, text, edit, expected] of rows) it(rule, () => assert.equal(edit(text), expected));

  it('one that is nearly too long gets commas', () => {
    const long = Array.from({ length: 60 }, (_, i) => `${'x'.repeat(31)}${i}`);
    const made = include('community', 'y'.repeat(60))(long.join(' '));
    assert.equal(made, [...long, `/r/${'y'.repeat(60)}`].join(','));
  });

  it('the only community asked for is not excluded beside itself, which would find nothing', () => {
    const cases = [
      ['sun /r/a', 'community', 'a'],
      ['/r/a site:b.example', 'domain', 'b.example'],
    ] as const;
    for (const [text, field, name] of cases) {
      assert.equal(exclude(field, name)(text), null, text);
    }
  });

  it('a name that no query can hold has no link', () => {
    for (const name of ['a b', 'a/b', 'a+b', 'a,b', 'a|b', 'a\u0085b'])
      assert.equal(rowItem('community', name), null, name);
    assert.equal(rowItem('domain', '///'), null);
  });
});

describe('between', () => {
  const rows = [
    ['dates are set', 'sun', '2023-01-01', '2023-02-01', 'sun after:2023-01-01 before:2023-02-01'],
    [
      'narrower dates stay',
      'after:2023-01-10 sun',
      '2023-01-01',
      '2023-02-01',
      'sun after:2023-01-10 before:2023-02-01',
    ],
    [
      'on both sides',
      'after:2023-01-10 before:2023-01-20',
      '2023-01-01',
      '2023-02-01',
      'after:2023-01-10 before:2023-01-20',
    ],
    ['a week that begins before 1970', '', '1969-12-29', '1970-01-05', 'after:1970-01-01 before:1970-01-05'],
  ] as const;
  for (const [rule, text, from, to, expected] of rows) {
    it(rule, () => assert.equal(between(items(text))(at(from), at(to)), expected));
  }
});

describe('wider', () => {
  const rows = [
    ['after:2023-03-14 before:2023-03-15 sun', 'sun after:2023-03-01 before:2023-04-01'],
    ['after:2023-03-01 before:2023-04-01', 'after:2023-01-01 before:2024-01-01'],
    ['after:2023-03-27 before:2023-04-03', 'after:2023-01-01 before:2024-01-01'],
    ['after:2023-01-01 before:2024-01-01', 'after:2020-01-01 before:2030-01-01'],
    ['after:1970-01-05 before:1970-01-12', 'after:1970-01-01 before:1970-02-01'],
    ['after:2020-01-01 before:2030-01-01', null],
    ['after:2019-12-30 before:2020-01-06', null],
    ['after:2023-03-14', null],
    ['before:2023-03-14', null],
    ['after:2023-03-14 before:2023-03-14', null],
    ['sun', null],
  ] as const;
  for (const [text, expected] of rows) {
    it(`${text}: ${expected ?? 'nothing'}`, () => {
      const made = wider(items(text));
      assert.equal(made === null ? null : writeQuery(made), expected);
    });
  }

  it('all time is the query without its dates', () => {
    assert.equal(writeQuery(withoutDates(items('sun after:2023-01-01 before:2024-01-01 moon'))), 'sun moon');
  });
});

it('a query that is too long with spaces is written in canonical form', () => {
  const communities = Array.from({ length: 60 }, (_, i) => `/r/${'a'.repeat(40)}${i}`).join(',');
  const written = writeQuery(items(communities));
  assert.equal(written, communities);
});
