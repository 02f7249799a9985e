// The test on raw bytes never passes over a line that has a record which matches: random records, in random
// spellings of JSON, entities and Unicode, against random queries.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson } from '../../src/ingest/formats/json.ts';
import { unwrap } from '../../src/ingest/formats/unwrap.ts';
import { Selection } from '../../src/ingest/selection/selection.ts';
import type { Query } from '../../src/model/query.ts';
import { queryArbitrary } from '../generators/queries.ts';
import { VOCABULARY } from '../generators/records.ts';

const WORDS = 'solar pan panel x2 12 deleted removed r energy kelvin strasse ann'.split(' ');
/** What may stand inside a word or beside it, most of it dropped or folded. */
const SIGNS = [
  ...['', '', '', '', ' ', '-', '_', "'", '’', '…', '\n', '"', '\\', '/', '&', '&amp;', '&gt;', '&lt;', ';'],
  ...['\u00ad', '\u200b', '\u200d', '\ufe0f', '\u0301', '\u0483', '\u20e3', '\u0000', '\ud83d', '\ufffd'],
  ...'é ſ K ﬁ ² ½ ª ß ё Ж λ 日 カ 한 א م 😂 👩‍🔬 🏴 ｓ'.split(' '),
  ...'&shy; &amp;shy; &#8203; &eacute; &foo; &#x73; &amp;#115; &amp;amp;#115; &#38;'.split(' '),
  ...['u2019', 'n', 't', '1'],
];

const cased = (text: string) =>
  fc.constantFrom(text, text, text.toUpperCase(), text[0]!.toUpperCase() + text.slice(1));

/** A character of a word as it stands, or in one of the spellings that come to the same. */
function spelled(character: string): fc.Arbitrary<string> {
  const code = character.codePointAt(0)!;
  const others = [`&#${code};`, `&#x${code.toString(16)};`, `&amp;#${code};`, `${character}\u0301`];
  return fc.oneof(
    { weight: 30, arbitrary: fc.constant(character) },
    { weight: 1, arbitrary: fc.constantFrom(...others, `${character}\u00ad`) },
    { weight: 1, arbitrary: fc.constant(fullwidth(character)) },
  );
}

function fullwidth(character: string): string {
  return character < '!' ? character : String.fromCodePoint(character.codePointAt(0)! + 0xfee0);
}

const word = fc
  .constantFrom(...WORDS)
  .chain(cased)
  .chain((text) => fc.tuple(...Array.from(text, spelled)))
  .map((characters) => characters.join(''));
const plain = fc.tuple(
  fc.constantFrom(...WORDS).chain(cased),
  fc.constantFrom(' ', '-', '\n', '’ ', '&gt;', '"'),
);
const odd = fc.tuple(word, fc.constantFrom(...SIGNS));
const texts = fc
  .oneof(fc.array(plain, { maxLength: 4 }), fc.array(odd, { maxLength: 4 }))
  .map((pieces) => pieces.flat().join(''));

/** JSON with characters of its strings escaped at random. */
function jsonOf(value: unknown, dice: readonly number[]): string {
  let at = 0;
  const roll = () => dice[at++ % dice.length]!;
  return JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, (string) =>
    string.replace(/\\.|[^"]/gs, (unit) => {
      const face = roll();
      if (unit === '\\u') return unit;
      if (unit === '/' && face < 30) return '\\/';
      if (unit.length > 1 || face > 2) return unit;
      const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
      return face === 0 ? `\\u${hex}` : face === 1 ? `\\u${hex.toUpperCase()}` : `${unit}\0`;
    }),
  );
}

const communities = fc.constantFrom(...'energy Energy r/Energy u/ann user/Ann u_ann 1337 Éa cats'.split(' '));
const withdrawn = [{ was_deleted_later: true }, { removal_type: 'moderator' }];
const metas = fc.constantFrom(undefined, undefined, undefined, ...withdrawn);
const common = { id: fc.constantFrom('a', 'b', 'c'), created_utc: fc.constant(1_200_000_000), _meta: metas };
const posts = fc.constantFrom('t3_zz', undefined);
const parents = fc.constantFrom('t3_zz', 't1_c', 35, undefined);
const named = fc.oneof(
  communities.map((subreddit) => ({ subreddit })),
  communities.map((name) => ({ subreddit: { id: '', name } })),
  communities.map((subreddit_name_prefixed) => ({ subreddit_name_prefixed })),
  fc.constantFrom({ subreddit: 1337 }, {}),
);
const rows = fc
  .tuple(
    named,
    fc.oneof(
      fc.record({ ...common, body: texts, link_id: posts, parent_id: parents }),
      fc.record({ ...common, title: texts, selftext: texts }),
    ),
  )
  .map(([community, row]) => ({ ...row, ...community }));
const values = fc.oneof(
  { weight: 6, arbitrary: rows as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: fc.array(rows, { maxLength: 3 }).map((data) => ({ type: 'comment', data })) },
);
const lines = fc
  .tuple(values, fc.array(fc.nat({ max: 4000 }), { minLength: 20, maxLength: 400 }))
  .map(([value, dice]) => jsonOf(value, dice));
const queries = queryArbitrary(
  {
    ...VOCABULARY,
    words: [...WORDS, 'panel x2', 'Solar-Panel', 'é', 'straße', 'café', '日本', 'a é solar'],
    communities: ['energy', 'u_ann', 'ann', 'cats', '1337', 'éa'],
  },
  3,
);

/** Lines with a record that matches. */
function matchingLines(texts: readonly string[], query: Query, community: string | null): boolean[] {
  const selection = new Selection(query, community);
  return texts.map((line) => {
    let found = false;
    unwrap(parseJson(Buffer.from(line)), { kind: null, permalinkBase: '', community }, (outcome) => {
      found ||= outcome.kind === 'record' && selection.takes(outcome.record);
    });
    return found;
  });
}

/** For each line, in one block: false where it is passed over. */
function mayMatch(texts: readonly string[], query: Query, community: string | null): boolean[] {
  const block = Buffer.from(`${texts.join('\n')}\n`);
  const test = new Selection(query, community).testOf(block);
  let start = 0;
  return texts.map((line) => {
    const end = start + Buffer.byteLength(line);
    const may = test?.(start, end) ?? true;
    start = end + 1;
    return may;
  });
}

function expectMatch(line: string, query: Query, community: string | null = null): void {
  assert.deepEqual(matchingLines([line], query, community), [true], line);
  assert.deepEqual(mayMatch([line], query, community), [true], line);
}

test('a line with a record that matches is never passed over', () => {
  const seen = { matching: 0, passedOver: 0, uselesslyRead: 0 };
  const community = fc.constantFrom(null, null, 'Energy');
  fc.assert(
    fc.property(fc.array(lines, { minLength: 1, maxLength: 8 }), queries, community, (texts, query, name) => {
      const matching = matchingLines(texts, query, name);
      const may = mayMatch(texts, query, name);
      for (const [i, matches] of matching.entries()) {
        assert.ok(may[i] || !matches, `${JSON.stringify(query)} passes over ${texts[i]}`);
        seen[matches ? 'matching' : may[i] ? 'uselesslyRead' : 'passedOver']++;
      }
    }),
    { numRuns: 4000 },
  );
  // Else it would say nothing.
  assert.ok(seen.matching > 1000 && seen.passedOver > 1000, JSON.stringify(seen));
});

/** A character of a word in JSON, in each way that comes to the same token. */
const WAYS: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => character.toUpperCase(),
  (character) => `\\u${hex(character)}`,
  (character) => `\\u${hex(character).toUpperCase()}`,
  (character) => `${character}\0`,
  (character) => `&#${character.codePointAt(0)};`,
  (character) => `&amp;#x${hex(character)};`,
  (character) => `&\\u0023${character.codePointAt(0)};`,
  (character) => `${character}&shy;`,
  (character) => `${character}&amp;shy;`,
  (character) => `${character}\u200b`,
  (character) => `${character}\\u200d`,
  (character) => (/[a-z]/.test(character) ? `${character}\u0301` : character),
  fullwidth,
];

const SIMPLE = { id: 'q', created_utc: 1_200_000_000, subreddit: 'cats' };

/** A line that has the word in its text once, in a spelling of JSON, and the query for it. */
const directed = fc
  .tuple(fc.constantFrom('solar', 'panel', 'x2', 'kelvin'), fc.nat({ max: 5 }), fc.constantFrom(...WAYS))
  .map(([token, at, way]) => {
    const letters = Array.from(token);
    letters[at % token.length] = way(letters[at % token.length]!);
    const line = JSON.stringify({ ...SIMPLE, body: '(WORD)' }).replace('WORD', () => letters.join(''));
    return { line, token };
  });

test('a word is found in each of its spellings', () => {
  fc.assert(
    fc.property(directed, ({ line, token }) => {
      expectMatch(line, termQuery(token));
    }),
    { numRuns: 3000 },
  );
});

const COMMUNITIES: [rule: string, row: object, name: string][] = [
  ['in capitals', { subreddit: 'ENERGY' }, 'energy'],
  ['of an account', { subreddit: 'u/Ann' }, 'u_ann'],
  ['in an object', { subreddit: { id: '', name: 'Energy' } }, 'energy'],
  ['that the operator says, of records that name none', {}, 'energy'],
  ['that is a number', { subreddit: 1.337e3 }, '1337'],
  ['with a letter that has another lower case', { subreddit: 'Kelvin' }, 'kelvin'],
];

for (const [rule, named, name] of COMMUNITIES) {
  test(`a community is found: ${rule}`, () => {
    const line = JSON.stringify({ id: 'q', created_utc: 1, body: 'x', ...named }).replace('1337', '1.337e3');
    expectMatch(line, { items: [{ kind: 'community', name, negated: false }] }, 'Energy');
  });
}

test('a withdrawn text takes the place of what the line has', () => {
  const line = JSON.stringify({ ...SIMPLE, body: 'gone', _meta: { removal_type: 'moderator' } });
  expectMatch(line, termQuery('removed'));
});

function termQuery(token: string): Query {
  return { items: [{ kind: 'words', words: [{ kind: 'term', token, typed: token }], negated: false }] };
}

function hex(character: string): string {
  return character.codePointAt(0)!.toString(16).padStart(4, '0');
}
