import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { comment as madeComment, post as madePost } from '../../test/helpers.ts';
import { breakdownDomains, conditionsOf, type QueryItem, siteKeys } from './query.ts';
import type { StoredPost, StoredRecord } from './record.ts';

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
        ...[ITEMS.score, { ...ITEMS.score, min: 3, max: 9 }, ITEMS.after, { ...ITEMS.after, time: 20 }],
        ...[ITEMS.before, { ...ITEMS.before, time: 200 }],
        ...[ITEMS.community, { ...ITEMS.community, name: 'dogs' }],
      ],
    });
    assert.deepEqual([minScore, maxScore, from, to, communities], [5, 9, 50, 100, ['cats', 'dogs']]);
  });
});

function post(domain: string, url: string | null): StoredPost {
  const texts = { title: 'see www.title.com', selftext: 'http://text.com' };
  return madePost({ id: 'a1', community: 'askmen', domain, url, ...texts });
}

const comment = (body: string) => madeComment({ id: 'a1', community: 'askmen', body });

const CASES: readonly (readonly [rule: string, record: StoredRecord, keys: string, rows: string])[] = [
  [
    'a link: its domain and what that is a subdomain of',
    post('m.YouTube.com', 'https://m.youtube.com/'),
    'm.youtube.com youtube.com com',
    'm.youtube.com',
  ],
  ['a text post: self and its community', post('self.AskMen', null), 'self self.askmen', 'self.askmen'],
  ['a community with dots', post('self.reddit.com', null), 'self self.reddit.com', 'self.reddit.com'],
  ['a link whose domain reads self.x', post('self.AskMen', 'https://x.com/'), 'self.askmen', 'self.askmen'],
  ['a link whose address is lost keeps its domain', post('a.com', null), 'a.com com', 'a.com'],
  ['the stored www. counts in its row', post('www.a.com', 'http://www.a.com'), 'a.com com', 'www.a.com'],
  ['no domain', post('', 'mailto:x'), '', ''],
  ['a domain that is none is a row and no site:', post('a+b', 'http://a+b'), '', 'a+b'],
  [
    'a comment: each domain it links to, each key once',
    comment('http://m.a.com www.b.com http://a.com/2'),
    'm.a.com a.com com b.com',
    'm.a.com b.com a.com',
  ],
  ['a comment that links to one domain', comment('[x](http://a.b.c/)'), 'a.b.c b.c c', 'a.b.c'],
  ['a comment without links', comment('see /r/askmen'), '', ''],
];

for (const [rule, record, keys, rows] of CASES) {
  test(`sites: ${rule}`, () => {
    assert.equal(siteKeys(record).join(' '), keys);
    assert.equal(breakdownDomains(record).join(' '), rows);
  });
}
