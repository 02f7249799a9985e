import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredComment, StoredPost } from './record.ts';
import { breakdownDomains, siteKeys } from './sites.ts';

const fields = {
  id: 'a1',
  community: 'askmen',
  communityId: '',
  created: 0,
  permalink: '/r/AskMen/comments/a1/',
  score: 0,
  retrieved: 0,
  withdrawn: false,
  lent: [],
};

function post(domain: string, url: string | null): StoredPost {
  return {
    ...fields,
    kind: 'post',
    domain,
    title: 'see www.title.com',
    selftext: 'http://text.com',
    url,
    adult: null,
  };
}

function comment(body: string): StoredComment {
  return { ...fields, kind: 'comment', body, sentiment: null, post: '', parent: '', ratings: [] };
}

const CASES: readonly (readonly [
  rule: string,
  record: StoredPost | StoredComment,
  keys: readonly string[],
  rows: readonly string[],
])[] = [
  [
    'a link: its domain and what that is a subdomain of',
    post('m.YouTube.com', 'https://m.youtube.com/'),
    ['m.youtube.com', 'youtube.com', 'com'],
    ['m.YouTube.com'],
  ],
  [
    'a text post: self and its community, in one piece',
    post('self.AskMen', null),
    ['self', 'self.askmen'],
    ['self.AskMen'],
  ],
  [
    'a community with dots is one piece',
    post('self.reddit.com', null),
    ['self', 'self.reddit.com'],
    ['self.reddit.com'],
  ],
  [
    'a link whose domain reads self.x is no text post',
    post('self.AskMen', 'https://x.com/'),
    ['self.askmen'],
    ['self.AskMen'],
  ],
  ['a link whose address is lost keeps its domain', post('a.com', null), ['a.com', 'com'], ['a.com']],
  [
    'the stored www. counts in no site: but in its row',
    post('www.a.com', 'http://www.a.com'),
    ['a.com', 'com'],
    ['www.a.com'],
  ],
  ['no domain', post('', 'mailto:x'), [], []],
  ['a domain that is none is a row and no site:', post('a b', 'http://a b'), [], ['a b']],
  [
    'a comment: each domain it links to, each key once',
    comment('http://m.a.com www.b.com http://a.com/2'),
    ['m.a.com', 'a.com', 'com', 'b.com'],
    ['m.a.com', 'b.com', 'a.com'],
  ],
  ['a comment that links to one domain', comment('[x](http://a.b.c/)'), ['a.b.c', 'b.c', 'c'], ['a.b.c']],
  ['a comment without links', comment('see /r/askmen'), [], []],
];

for (const [rule, record, keys, rows] of CASES) {
  test(`sites: ${rule}`, () => {
    assert.deepEqual(siteKeys(record), keys);
    assert.deepEqual(breakdownDomains(record), rows);
  });
}
