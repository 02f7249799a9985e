import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from './parser.ts';

/** What each item means is in test/queries.txt and test/query-properties.test.ts. */
describe('parse', () => {
  it('every item has its place, dropped and faulty ones too', () => {
    const text = ' a -  /r/,😀 "b c"d,';
    const { items, faults } = parse(text);
    const places = items.map(({ kind, position }) => [
      kind,
      text.slice(position.offset, position.offset + position.length),
    ]);
    assert.deepEqual(places, [
      ['understood', 'a'],
      ['dropped', '-'],
      ['faulty', '/r/'],
      ['understood', '😀'],
      ['understood', '"b c"'],
      ['understood', 'd'],
    ]);
    assert.deepEqual(faults, [
      {
        code: 'bad_community',
        message: 'expected a name after `/r/`, as in `/r/name`, or several as in `/r/a+b`, found `/r/`',
        position: { offset: 6, length: 3 },
      },
    ]);
  });

  it('all faults are told, in the order of their place', () => {
    const codes = parse('--a site: b* -score:1 "c').faults.map(({ code }) => code);
    assert.deepEqual(codes, ['double_negation', 'bad_site', 'bad_prefix', 'cannot_negate', 'open_quote']);
  });
});
