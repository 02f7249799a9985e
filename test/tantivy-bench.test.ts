// What the benchmark asks tantivy, without tantivy: queries and pages as its program knows them, in the lines that its
// program reads, and answers of both sides side by side.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { randomNumbers, syntheticComments } from '../bench/corpus.ts';
import { difference } from '../bench/peer-comparison.ts';
import { phraseClasses } from '../bench/phrase-classes.ts';
import { WHOLE_ANSWER } from '../bench/questions.ts';
import { comparedAnswer, peerConditions, peerLine, peerTask } from '../bench/tantivy-questions.ts';
import type { Answer } from '../src/model/engine.ts';
import { pageRequest } from '../src/model/pages.ts';
import type { Query, QueryItem } from '../src/model/query.ts';
import { tokens } from '../src/text/tokenizer.ts';

const protocol = readFileSync(new URL('../bench/tantivy/src/protocol.rs', import.meta.url), 'utf8');
const NOTHING = {
  words: [],
  excludedWords: [],
  communities: null,
  excludedCommunities: [],
  sites: null,
  excludedSites: [],
  minScore: null,
  maxScore: null,
  from: null,
  to: null,
};
const [comments] = [...syntheticComments(500, { batch: 500, communities: 20 })];

describe('what tantivy is asked', () => {
  const term = (token: string) => ({ kind: 'term', token, typed: token }) as const;
  const phrase = { kind: 'phrase', tokens: ['as', 'well'], typed: 'as well' } as const;
  const prefix = { kind: 'prefix', prefix: 'wel', typed: 'wel' } as const;
  const cases: readonly (readonly [name: string, items: readonly QueryItem[], part: object])[] = [
    ['everything', [], {}],
    [
      'any of some words',
      [{ kind: 'words', words: [term('a'), phrase, prefix], negated: false }],
      {
        words: [
          [
            { kind: 'term', token: 'a' },
            { kind: 'phrase', tokens: ['as', 'well'] },
            { kind: 'prefix', prefix: 'wel' },
          ],
        ],
      },
    ],
    [
      'a word without another',
      [
        { kind: 'words', words: [term('a')], negated: false },
        { kind: 'words', words: [term('b')], negated: true },
      ],
      { words: [[{ kind: 'term', token: 'a' }]], excludedWords: [{ kind: 'term', token: 'b' }] },
    ],
    [
      'communities and domains',
      [
        { kind: 'community', name: 'one', negated: false },
        { kind: 'community', name: 'two', negated: true },
        { kind: 'site', domain: 'com', negated: false },
        { kind: 'site', domain: 'a.com', negated: true },
      ],
      { communities: ['one'], excludedCommunities: ['two'], sites: ['com'], excludedSites: ['a.com'] },
    ],
    [
      'open ends are null',
      [
        { kind: 'score', min: 5, max: null },
        { kind: 'after', time: 100 },
      ],
      { minScore: 5, from: 100 },
    ],
    ['before', [{ kind: 'before', time: 200 }], { to: 200 }],
  ];
  for (const [name, items, part] of cases) {
    it(name, () => assert.deepEqual(peerConditions({ items }), { ...NOTHING, ...part }));
  }

  it('refuses conditions that it is not asked for', () => {
    const query: Query = { items: [{ kind: 'post', id: 'abc', negated: false }] };
    assert.throws(() => peerConditions(query), TypeError);
  });

  it('each page behind the same place', () => {
    const place = { second: 77, given: 'all' } as const;
    assert.deepEqual(peerTask({}), { kind: 'count' });
    assert.deepEqual(peerTask({ page: pageRequest('newest', place, { limit: 25 }) }), {
      kind: 'newest',
      limit: 25,
      after: 77,
    });
    assert.deepEqual(peerTask({ page: pageRequest('top', { score: 2, second: 77 }, { limit: 25 }) }), {
      kind: 'top',
      limit: 25,
      after: { score: 2, second: 77 },
    });
    assert.deepEqual(peerTask(WHOLE_ANSWER.question), { kind: 'whole', limit: 25, size: 10 });
    const inside = { second: 77, given: 3 } as const;
    assert.throws(() => peerTask({ page: pageRequest('oldest', inside, { limit: 25 }) }), TypeError);
  });

  it('a comment is one line of the fields that its program splits', () => {
    const building = readFileSync(new URL('../bench/tantivy/src/building.rs', import.meta.url), 'utf8');
    const fields = /let \[([\w, ]+)\] = parts/.exec(building)![1]!.split(', ');
    for (const comment of comments!) {
      const line = peerLine({ ...comment, body: `${comment.body}\n\tmore` });
      assert.ok(!line.includes('\n'));
      const parts = line.split('\t');
      assert.equal(parts.length, fields.length);
      assert.equal(parts[fields.indexOf('tokens')], tokens(`${comment.body} more`).join(' '));
      assert.equal(JSON.parse(parts[fields.indexOf('record')]!).id, comment.id);
    }
  });

  it('an id that its program would write in another way is refused', () => {
    assert.throws(() => peerLine({ ...comments![0]!, id: '00abc' }), TypeError);
  });
});

describe('the lines of its program', () => {
  it('have the names that are written here', () => {
    assert.deepEqual(rustFields('Conditions'), Object.keys(NOTHING));
    assert.deepEqual(rustFields('Request'), ['task', 'rounds', 'queries']);
    assert.deepEqual(rustFields('TopPosition'), ['score', 'second']);
    assert.deepEqual(rustVariants('Task'), ['count', 'newest', 'oldest', 'top', 'breakdown', 'whole']);
    assert.deepEqual(rustVariants('Word'), ['term', 'phrase', 'prefix']);
    assert.deepEqual(rustFields('Answer'), ['total', 'page', 'breakdowns', 'timeline']);
    assert.deepEqual(rustFields('Page'), ['ids', 'bytes']);
    assert.deepEqual(rustFields('Breakdown'), ['rows', 'distinct']);
    assert.deepEqual(rustFields('Timeline'), ['step', 'buckets']);
  });
});

describe('answers side by side', () => {
  const answer: Answer = {
    total: 3,
    arrival: 0,
    page: { records: comments!.slice(0, 3), next: null, hasMore: false, isShort: false },
    breakdowns: [{ field: 'community', rows: [{ name: 'one', count: 3 }], distinct: 1 }],
    timeline: { step: 'month', buckets: [{ start: 0, count: 3 }] },
  };
  const ours = comparedAnswer(answer);

  it('are equal where all is equal', () => {
    assert.equal(difference(ours, JSON.parse(JSON.stringify(ours))), null);
  });

  it('a page that goes on to the end of a tie is compared up to its limit', () => {
    assert.deepEqual(comparedAnswer(answer, 2).page!.ids, ours.page!.ids.slice(0, 2));
  });

  const others = {
    total: { ...ours, total: 4 },
    page: { ...ours, page: { ...ours.page!, ids: [...ours.page!.ids].reverse() } },
    breakdowns: { ...ours, breakdowns: [{ rows: [['one', 3] as const], distinct: 2 }] },
    timeline: { ...ours, timeline: { step: 'month', buckets: [[0, 2] as const] } },
  };
  for (const [part, other] of Object.entries(others)) {
    it(`a different ${part} is told`, () =>
      assert.match(difference(ours, other)!, new RegExp(`^${part} is`)));
  }
});

describe('phrases of real text', () => {
  it('stand in the text, and have the number of words that the class says', () => {
    const random = randomNumbers(3);
    const words = ['i', 'think', 'that', 'one', 'of', 'the', 'most'];
    const texts = comments!.map((comment) => ({
      ...comment,
      body: Array.from({ length: 12 }, () => words[Math.floor(random() * words.length)]!).join(' '),
    }));
    const held = texts.map(({ body }) => ` ${body} `);
    const classes = phraseClasses(texts);
    assert.equal(classes.length, 12);
    for (const { name, queries } of classes) {
      assert.ok(queries.length > 0, name);
      for (const { items } of queries) {
        assert.ok(items[0]!.kind === 'words' && items[0]!.words[0]!.kind === 'phrase');
        const phrase = items[0]!.words[0]!.tokens;
        assert.equal(phrase.length, Number(name[0]));
        assert.ok(held.some((body) => body.includes(` ${phrase.join(' ')} `)));
      }
    }
  });
});

/** Names of a struct's fields, as they are in JSON. */
function rustFields(struct: string): string[] {
  const body = new RegExp(`pub struct ${struct} \\{([^}]*)\\}`).exec(protocol)![1]!;
  return [...body.matchAll(/^ {4}pub (\w+):/gm)].map(([, name]) => camelCase(name!));
}

function rustVariants(type: string): string[] {
  const body = new RegExp(`pub enum ${type} \\{\\n([\\s\\S]*?)\\n\\}`).exec(protocol)![1]!;
  return [...body.matchAll(/^ {4}([A-Z]\w*)/gm)].map(([, name]) => camelCase(name!));
}

function camelCase(name: string): string {
  const [first, ...rest] = name.split('_').map((part) => part.toLowerCase());
  return [first, ...rest.map((part) => part[0]!.toUpperCase() + part.slice(1))].join('');
}
