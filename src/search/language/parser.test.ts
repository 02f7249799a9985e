import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QueryItem } from '../../model/query.ts';
import { parse } from './parser.ts';

const term = (typed: string, token = typed) => ({ kind: 'term', token, typed }) as const;
const phrase = (typed: string, ...tokens: string[]) => ({ kind: 'phrase', tokens, typed }) as const;

/** Texts of one item. What is echoed, and every error, is in test/queries.txt. */
const MEANINGS: readonly (readonly [text: string, ...meaning: QueryItem[]])[] = [
  ['Solar', { kind: 'words', words: [term('Solar', 'solar')], negated: false }],
  ['-"Solar"', { kind: 'words', words: [term('Solar', 'solar')], negated: true }],
  ['“a, b”', { kind: 'words', words: [phrase('a, b', 'a', 'b')], negated: false }],
  ["don't", { kind: 'words', words: [phrase("don't", 'don', 't')], negated: false }],
  ['Él**', { kind: 'words', words: [{ kind: 'prefix', prefix: 'el', typed: 'Él' }], negated: false }],
  ['a*b', { kind: 'words', words: [phrase('a*b', 'a', 'b')], negated: false }],
  ['-|a|&|"b c"|', { kind: 'words', words: [term('a'), phrase('b c', 'b', 'c')], negated: true }],
  [
    '-R/A+b/',
    { kind: 'community', name: 'a', negated: true },
    { kind: 'community', name: 'b', negated: true },
  ],
  ['site:www.Example.org/x', { kind: 'site', domain: 'example.org', negated: false }],
  ['post:t3_Ab', { kind: 'post', id: 'Ab', negated: false }],
  ['id:t1_Ab', { kind: 'id', record: { id: 'Ab', of: 'comment' }, negated: false }],
  ['id:Ab', { kind: 'id', record: { id: 'Ab', of: null }, negated: false }],
  ['-redd.it/ab', { kind: 'post', id: 'ab', negated: true }],
  ['score:5', { kind: 'score', min: 5, max: null }],
  ['score:>5', { kind: 'score', min: 6, max: null }],
  ['score:>=5', { kind: 'score', min: 5, max: null }],
  ['score:<5', { kind: 'score', min: null, max: 4 }],
  ['score:<=5', { kind: 'score', min: null, max: 5 }],
  ['score:-5..5', { kind: 'score', min: -5, max: 5 }],
  ['score:5..', { kind: 'score', min: 5, max: null }],
  ['score:..5', { kind: 'score', min: null, max: 5 }],
  ['score:<-0', { kind: 'score', min: null, max: -1 }],
  ['score:-0..0', { kind: 'score', min: 0, max: 0 }],
  ['before:1970-01-02', { kind: 'before', time: 86_400 }],
  ['after:2024-02-29', { kind: 'after', time: 1_709_164_800 }],
  ['after:1970-01-01T00:01', { kind: 'after', time: 60 }],
  ['before:9999-12-31T23:59:59Z', { kind: 'before', time: 253_402_300_799 }],
  ['after:9999-12-31', { kind: 'after', time: 253_402_214_400 }],
];

describe('parse', () => {
  for (const [text, ...meaning] of MEANINGS) {
    it(`${text} means`, () => {
      const tree = parse(text);
      assert.deepEqual(tree.faults, []);
      assert.deepEqual(tree.items, [
        { kind: 'understood', position: { offset: 0, length: text.length }, meaning },
      ]);
    });
  }

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

  it('nothing, and separators alone, have no items', () => {
    for (const text of ['', ' ', ',', '\u3000,\n']) assert.deepEqual(parse(text), { items: [], faults: [] });
  });
});
