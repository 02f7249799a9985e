// Rules of the contract (docs/contract.md) that no other test holds: types of fields, absolute permalinks, the default
// page size, the version in the path.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, linkPost, post } from './helpers.ts';
import { ofTests } from './of-tests.ts';
import { openSite, readable, SIGNED_IN } from './page/site.ts';

const POSTS = [
  linkPost({ id: 'link', communityId: '2qh', score: -7, title: 'Words apart', domain: 'hidden.example.org' }),
  post({ id: 'text', community: 'reddit.com', score: 0, title: 'Text', selftext: 'two\nlines' }),
  post({ id: 'moved', permalink: 'http://old.reddit.com/r/energy/comments/moved/', title: 'Moved' }),
];
const COMMENTS = [
  comment({ id: 'rated', body: 'two\n\n**lines**', sentiment: -0.1027 }),
  ...Array.from({ length: 150 }, (_, i) => comment({ id: `c${i}`, body: 'unrated' })),
];

interface Row {
  readonly [field: string]: unknown;
  readonly subreddit: object;
}

describe('contract', async () => {
  const site = ofTests(await openSite(POSTS, COMMENTS));
  const server = await site.build();
  const ask = async (url: string) => {
    const headers = { authorization: `Bearer ${site.key}`, ...SIGNED_IN };
    const { statusCode, body } = await server.inject({ url, headers });
    return { status: statusCode, body };
  };

  async function rows(kind: 'posts' | 'comments', parameters: string): Promise<Row[]> {
    const { status, body } = await ask(`/api/v1/search/${kind}?${parameters}`);
    assert.equal(status, 200, body);
    return JSON.parse(body).data;
  }

  /** The type of each field; of the community too. */
  function types(row: Row): Record<string, string> {
    const named = Object.entries({ ...row, ...row.subreddit });
    return Object.fromEntries(
      named.map(([name, value]) => [name, Number.isInteger(value) ? 'integer' : typeof value]),
    );
  }

  const COMMON = {
    ...{ type: 'string', id: 'string', subreddit: 'object', created_utc: 'integer', permalink: 'string' },
    ...{ score: 'integer', name: 'string', nsfw: 'boolean' },
  };

  it('a post has the types of the interface; `url` is null for a text post, a score may be negative', async () => {
    const post = { ...COMMON, domain: 'string', title: 'string', selftext: 'string', url: 'string' };
    const [link] = await rows('posts', 'query=Words');
    const [text] = await rows('posts', 'query=Text');
    assert.deepEqual(types(link!), post);
    assert.deepEqual(types(text!), { ...post, url: 'object' });
    assert.deepEqual([link!.type, link!.score, text!.url, text!.selftext], ['post', -7, null, 'two\nlines']);
    assert.equal(text!.domain, 'self.reddit.com');
  });

  it('a comment has the types of the interface; `sentiment` is null where it is unrated', async () => {
    const comment = { ...COMMON, body: 'string', sentiment: 'number' };
    const [rated] = await rows('comments', 'query=lines');
    const [unrated] = await rows('comments', 'query=unrated&limit=1');
    assert.deepEqual(types(rated!), comment);
    assert.deepEqual([rated!.type, rated!.sentiment], ['comment', -0.1027]);
    assert.equal(unrated!.sentiment, null);
  });

  it('`permalink` is absolute: a stored path gets the base, a stored address stays', async () => {
    const permalinks = (await rows('posts', 'query=')).map(({ permalink }) => permalink);
    assert.deepEqual(permalinks.sort(), [
      'http://old.reddit.com/r/energy/comments/moved/',
      'https://www.reddit.com/r/energy/comments/link/',
      'https://www.reddit.com/r/reddit.com/comments/text/',
    ]);
  });

  it('a word of the address of a post is no word of the post', async () => {
    assert.equal((await rows('posts', 'query=hidden')).length, 0);
    assert.equal((await rows('posts', 'query=site:hidden.example.org')).length, 1);
  });

  it('without `limit` a page has 100 records', async () => {
    assert.equal((await rows('comments', 'query=unrated')).length, 100);
    assert.equal((await rows('comments', 'query=unrated&limit=120')).length, 120);
  });

  it('both endpoints live under /api/v1/ and nowhere else', async () => {
    for (const kind of ['posts', 'comments']) {
      assert.equal((await ask(`/api/v1/search/${kind}?query=`)).status, 200);
      for (const path of ['/api/search/', '/api/v2/search/', '/v1/search/']) {
        assert.equal((await ask(`${path}${kind}?query=`)).status, 404, path);
      }
    }
  });

  it('the page has both totals of one query, whichever list is shown', async () => {
    for (const list of ['posts', 'comments']) {
      const { body } = await ask(`/search?query=lines&kind=${list}`);
      const tabs = readable(/<nav class="tabs"[\s\S]*?<\/nav>/.exec(body)![0]);
      assert.match(tabs, /^1 post\s*1 comment$/);
    }
  });
});
