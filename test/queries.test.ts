// Runs the table of the query language (queries.txt) and holds it to be whole: every row of the table of items, every
// rule, limit and error of the contract has a case inside and one just outside.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ServiceError } from '../src/errors.ts';
import type { QueryItem } from '../src/model/query.ts';
import { interpretQuery, interpretWithoutWindow } from '../src/search/language/interpret.ts';

interface Case {
  readonly line: number;
  readonly tags: readonly string[];
  readonly text: string;
  /** The canonical form, or `! code offset+length`. */
  readonly expected: string;
}

const ESCAPES: Record<string, string> = { s: ' ', n: '\n', t: '\t', e: '', '\\': '\\' };

const cases = readCases(readFileSync(new URL('queries.txt', import.meta.url), 'utf8'));

/** The rows of the table of items that each kind of item makes. */
const ROWS: Readonly<Record<QueryItem['kind'], readonly string[]>> = {
  words: ['term', 'phrase', 'prefix', 'any-of'],
  community: ['community'],
  site: ['site'],
  score: ['score'],
  before: ['before-after'],
  after: ['before-after'],
  post: ['post'],
  id: ['id'],
};

/** What sections 2 and 3 of the contract list. The engine knows the limit on prefixes, HTTP a missing query. */
const SUBJECTS = [
  ...Object.values(ROWS).flatMap((rows) => rows.map((row) => `row-${row}`)),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((rule) => `rule-${rule}`),
  ...['characters', 'canonical', 'items', 'phrase', 'score-digits'].map((limit) => `limit-${limit}`),
  'separators',
];

const ERRORS = [
  ...['nothing_to_search', 'bad_prefix', 'bad_date', 'bad_score', 'bad_community', 'bad_site', 'bad_post'],
  'bad_id',
  ...['open_quote', 'double_negation', 'cannot_negate', 'reserved_operator', 'query_too_long'],
  'too_many_items',
  ...['phrase_too_long', 'open_window'],
];

const MODES = ['window-off', 'refuse'];

describe('queries.txt', () => {
  for (const { line, tags, text, expected } of cases) {
    it(`line ${line}, ${tags.join(' ')}: ${shown(text)}`, () => assert.equal(answer(text, tags), expected));
  }

  it('every row, rule, limit and error has a case inside and one just outside', () => {
    const known = [...SUBJECTS, ...ERRORS.map((code) => `error-${code}`)].flatMap((tag) => [
      `${tag}+`,
      `${tag}-`,
    ]);
    const used = new Set(cases.flatMap(({ tags }) => tags));
    const unknown = [...used].filter((tag) => !known.includes(tag) && !MODES.includes(tag));
    assert.deepEqual(unknown, []);
    const unused = known.filter((tag) => !used.has(tag));
    assert.deepEqual(unused, []);
  });

  it('a case outside of an error has that error, one inside has none', () => {
    for (const code of ERRORS) {
      for (const { tags, expected, line } of cases) {
        if (tags.includes(`error-${code}+`)) assert.ok(!expected.startsWith('! '), `line ${line}`);
        if (tags.includes(`error-${code}-`)) assert.ok(expected.startsWith(`! ${code} `), `line ${line}`);
      }
    }
  });

  it('every error that is answered is in the list', () => {
    const answered = cases.flatMap(({ expected }) => /^! (\w+)/.exec(expected)?.[1] ?? []);
    assert.deepEqual([...new Set(answered)].sort(), [...ERRORS].sort());
  });

  it('every canonical form is its own canonical form', () => {
    for (const { tags, expected } of cases) {
      if (!expected.startsWith('! ')) assert.equal(answer(expected, tags), expected);
    }
  });
});

function answer(text: string, tags: readonly string[]): string {
  try {
    if (tags.includes('refuse')) return interpretWithoutWindow(text).echo;
    return interpretQuery(text, { impliedWindow: tags.includes('window-off') ? 'off' : '1d' }).echo;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `! ${error.code} ${error.position?.offset}+${error.position?.length}`;
  }
}

function readCases(table: string): Case[] {
  return table.split('\n').flatMap((row, i) => {
    if (row === '' || row.startsWith('#')) return [];
    const parts = /^([\w+ -]+): (.*) => (.*)$/.exec(row);
    assert.ok(parts, `line ${i + 1} is no case`);
    const [, tags, text, expected] = parts;
    return [
      {
        line: i + 1,
        tags: tags!.split(' '),
        text: unescaped(text!.trim()),
        expected: unescaped(expected!.trim()),
      },
    ];
  });
}

function unescaped(text: string): string {
  return text
    .replace(/\\\{(\d+) ((?:[^\\}]|\\u\{\w+\}|\\[a-z])*)\}/g, (_, times: string, part: string) =>
      part.repeat(Number(times)),
    )
    .replace(/\\u\{(\w+)\}/g, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
    .replace(/\\([snte\\])/g, (_, letter: string) => ESCAPES[letter]!);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
