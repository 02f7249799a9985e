import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conditionsOf } from './conditions.ts';
import type { QueryItem } from './query.ts';

/** One of each kind. */
const ITEMS: { readonly [Item in QueryItem as Item['kind']]: Item } = {
  words: { kind: 'words', words: [{ kind: 'term', token: 'cat', typed: 'cat' }], negated: false },
  community: { kind: 'community', name: 'cats', negated: false },
  site: { kind: 'site', domain: 'example.org', negated: false },
  post: { kind: 'post', id: 'p1', negated: false },
  id: { kind: 'id', record: { id: 'c1', of: null }, negated: false },
  score: { kind: 'score', min: 5, max: null },
  before: { kind: 'before', time: 100 },
  after: { kind: 'after', time: 50 },
};

describe('conditions', () => {
  const none = conditionsOf({ items: [] });

  for (const item of Object.values<QueryItem>(ITEMS)) {
    it(`an item \`${item.kind}\` asks for something`, () => {
      assert.notDeepEqual(conditionsOf({ items: [item] }), none);
    });

    if (!('negated' in item)) continue;
    it(`an item \`${item.kind}\` that is excluded asks for something else`, () => {
      const excluded = conditionsOf({ items: [{ ...item, negated: true }] });
      assert.notDeepEqual(excluded, none);
      assert.notDeepEqual(excluded, conditionsOf({ items: [item] }));
    });
  }

  it('bounds of one kind meet in the narrowest, names of one kind are any-of', () => {
    const { minScore, maxScore, from, to, communities } = conditionsOf({
      items: [
        { kind: 'score', min: 5, max: null },
        { kind: 'score', min: 3, max: 9 },
        { kind: 'after', time: 50 },
        { kind: 'after', time: 20 },
        { kind: 'before', time: 100 },
        { kind: 'before', time: 200 },
        { kind: 'community', name: 'cats', negated: false },
        { kind: 'community', name: 'dogs', negated: false },
      ],
    });
    assert.deepEqual(
      { minScore, maxScore, from, to, communities },
      { minScore: 5, maxScore: 9, from: 50, to: 100, communities: ['cats', 'dogs'] },
    );
  });
});
