import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionsOf, type Query, type QueryItem, type Word } from '../../../model/query.ts';
import { MAX_TOKEN_UNITS } from '../../../text/tokenizer.ts';
import { indexBody } from '../cluster/indices.ts';
import type { View } from '../state/views.ts';
import { allIn, queryIn, tokensIn } from './queries.ts';

const VIEW: View = { kind: 'comment', generation: 7, pit: 'pit', hides: 0, overlays: [], sum: null };

const term = (token: string): Word => ({ kind: 'term', token, typed: token });
const phrase = (...tokens: string[]): Word => ({ kind: 'phrase', tokens, typed: tokens.join(' ') });
const prefix = (typed: string): Word => ({ kind: 'prefix', prefix: typed, typed });
const words = (...anyOf: Word[]): QueryItem => ({ kind: 'words', words: anyOf, negated: false });
const without = (...anyOf: Word[]): QueryItem => ({ kind: 'words', words: anyOf, negated: true });
const of = (...items: QueryItem[]): Query => ({ items });

const filter = (...clauses: object[]) => ({ bool: { filter: clauses } });
const mustNot = (...clauses: object[]) => ({ bool: { must_not: clauses } });

const CASES: readonly (readonly [what: string, query: Query, expected: object])[] = [
  ['nothing asked', of(), { match_all: {} }],
  ['a term', of(words(term('cat'))), filter({ term: { t: 'cat' } })],
  ['a phrase', of(words(phrase('a', 'cat'))), filter({ match_phrase: { t: 'a cat' } })],
  ['a prefix', of(words(prefix('ca'))), filter({ prefix: { t: 'ca' } })],
  ['two words', of(words(term('a')), words(term('b'))), filter({ term: { t: 'a' } }, { term: { t: 'b' } })],
  ['any of two terms: one clause', of(words(term('a'), term('b'))), filter({ terms: { t: ['a', 'b'] } })],
  [
    'any of a term and a phrase',
    of(words(phrase('a', 'b'), term('c'))),
    filter({
      bool: { should: [{ term: { t: 'c' } }, { match_phrase: { t: 'a b' } }], minimum_should_match: 1 },
    }),
  ],
  [
    'exclusions alone',
    of(without(term('a')), without(prefix('bc'))),
    mustNot({ bool: { should: [{ term: { t: 'a' } }, { prefix: { t: 'bc' } }], minimum_should_match: 1 } }),
  ],
  [
    'communities, sites, posts',
    of(
      { kind: 'community', name: 'a', negated: false },
      { kind: 'community', name: 'b', negated: false },
      { kind: 'site', domain: 'x.org', negated: false },
      { kind: 'post', id: 'p', negated: false },
    ),
    filter({ terms: { community: ['a', 'b'] } }, { terms: { sites: ['x.org'] } }, { terms: { post: ['p'] } }),
  ],
  [
    'the same, excluded',
    of(
      { kind: 'community', name: 'a', negated: true },
      { kind: 'site', domain: 'x.org', negated: true },
      { kind: 'post', id: 'p', negated: true },
    ),
    mustNot({ terms: { community: ['a'] } }, { terms: { sites: ['x.org'] } }, { terms: { post: ['p'] } }),
  ],
  [
    'ids of either kind and of this one; those of the other are none',
    of(
      { kind: 'id', record: { id: '1', of: null }, negated: false },
      { kind: 'id', record: { id: '2', of: 'comment' }, negated: false },
      { kind: 'id', record: { id: '3', of: 'post' }, negated: false },
    ),
    filter({ ids: { values: ['1', '2'] } }),
  ],
  [
    'an id of the other kind finds nothing',
    of({ kind: 'id', record: { id: '3', of: 'post' }, negated: false }),
    filter({ ids: { values: [] } }),
  ],
  [
    'an id of the other kind is excluded anyway',
    of({ kind: 'id', record: { id: '3', of: 'post' }, negated: true }),
    { match_all: {} },
  ],
  ['a score from', of({ kind: 'score', min: 5, max: null }), filter({ range: { score: { gte: 5 } } })],
  [
    'a score between',
    of({ kind: 'score', min: -3, max: 0 }),
    filter({ range: { score: { gte: -3, lte: 0 } } }),
  ],
  ['a score that none has', of({ kind: 'score', min: 5, max: 3 }), filter({ match_none: {} })],
  [
    'a time',
    of({ kind: 'after', time: 100 }, { kind: 'before', time: 200 }),
    filter({ range: { created: { gte: 100, lt: 200 } } }),
  ],
  [
    'a time that none has',
    of({ kind: 'after', time: 200 }, { kind: 'before', time: 200 }),
    filter({ match_none: {} }),
  ],
];

describe('queries', () => {
  for (const [what, query, expected] of CASES) {
    it(what, () => assert.deepEqual(queryIn(VIEW, conditionsOf(query)), expected));
  }

  it('comments of these posts alone; of none, nothing', () => {
    const ofPosts = (posts: readonly string[]) => queryIn(VIEW, conditionsOf(of()), { posts });
    assert.deepEqual(ofPosts(['p', 'q']), filter({ terms: { post: ['p', 'q'] } }));
    assert.deepEqual(ofPosts([]), filter({ terms: { post: [] } }));
  });

  it('what came in behind an arrival, up to that of the view; behind that one, nothing', () => {
    const since = (arrival: number) => queryIn(VIEW, conditionsOf(of()), { since: arrival });
    assert.deepEqual(since(0), { match_all: {} });
    assert.deepEqual(since(3), filter({ range: { n: { gt: 3, lte: 8 } } }));
    assert.deepEqual(since(8), filter({ match_none: {} }));
  });

  it('a view leaves out what was removed', () => {
    const overlay = { number: 1, removal: 1, time: 5 };
    const view: View = {
      ...VIEW,
      overlays: [
        { ...overlay, what: { community: 'cats' } },
        { ...overlay, what: { ids: ['1', '2'] } },
        { ...overlay, what: { threads: ['', 'p'] } },
      ],
    };
    const hidden = [
      { term: { community: 'cats' } },
      { ids: { values: ['1', '2'] } },
      { terms: { post: ['p'] } },
    ];
    assert.deepEqual(allIn(view), { bool: { must_not: hidden } });
    const only = { term: { post: 'p' } };
    assert.deepEqual(allIn(view, only), { bool: { filter: [only], must_not: hidden } });
    const asked = queryIn(view, conditionsOf(of(words(term('a')), without(term('b')))));
    assert.deepEqual(asked, {
      bool: { filter: [{ term: { t: 'a' } }], must_not: [{ term: { t: 'b' } }, ...hidden] },
    });
  });
});

/** Longer tokens are cut in pieces by the analyzer `whitespace` of OpenSearch, in UTF-16 units. */
const MAX_WHITESPACE_TOKEN = 255;

it('no token of ours is cut in pieces by the analyzer of the mapping', () => {
  const settings = { nodes: [], prefix: 'test', shards: 1, replicas: 0, signIn: null };
  const { t } = indexBody(settings, 'post').mappings.properties!;
  assert.equal((t as { readonly analyzer: string }).analyzer, 'whitespace');
  assert.ok(MAX_TOKEN_UNITS < MAX_WHITESPACE_TOKEN);
});

it('tokens behind a prefix are those of all shards, each once; a shard without any names the prefix itself', () => {
  const found = tokensIn(['t:pan t:panel', 't:pan*', 't:panel t:pants']);
  assert.deepEqual([...found], ['t:pan', 't:panel', 't:pants']);
  assert.equal(tokensIn(['t:pan*', 't:pan*']).size, 0);
});
