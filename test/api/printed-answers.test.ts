// Pages whose records a thread of the engine prints: byte for byte what is made of records.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { PIECE_BYTES } from '../../src/http/answers/representation.ts';
import type { KnowledgeSource } from '../../src/model/community.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment, StoredPost } from '../../src/model/record.ts';
import { RECORD_PRINTER } from '../../src/search/presenter.ts';
import { SearchService } from '../../src/search/search-service.ts';
import { comment, post } from '../helpers.ts';
import { COMMENTS, NEW_YEAR, POSTS } from './corpus.ts';
import { openService } from './service.ts';

const HOSTILE = [
  '"subreddit":"\u007f","subreddit":{"id":""}',
  '\\"subreddit":{"id":"","name":"energy","nsfw":false}',
  '\u007f',
  '\ud800 half, 日本 😀 \u0000\u0001\u2028 </script>',
  '"data":[',
];

const at = (id: string, second: number) => ({ id, created: NEW_YEAR + second });
const posts: readonly StoredPost[] = [
  ...POSTS,
  ...HOSTILE.map((text, i) =>
    post({ ...at(`hostile${i}`, i), title: text, selftext: text, communityId: i % 2 === 0 ? '' : 'own' }),
  ),
  post({ ...at('relative', 0), url: '/r/energy/comments/1', permalink: '/r/energy/comments/2' }),
];
const comments: readonly StoredComment[] = [
  ...COMMENTS,
  ...HOSTILE.map((text, i) => comment({ ...at(`hostile${i}`, i), body: text })),
  comment({ ...at('large', 10), body: 'é'.repeat(PIECE_BYTES) }),
  ...Array.from({ length: 600 }, (_, i) =>
    comment({ ...at(`many${i}`, 20 + i), body: 'x'.repeat(700), community: `c${i % 7}`, retrieved: i }),
  ),
];

const said = { record: null, dump: null } as const;
const knowledge: KnowledgeSource = {
  knowledgeOf: (names) =>
    new Map(
      names.flatMap((name) =>
        name === 'energy' || name === 'c3' ? [[name, { ...said, operator: true, id: 'known' }] as const] : [],
      ),
    ),
};

const REQUESTS = ['posts', 'comments'].flatMap((kind) =>
  [
    ...['', '&limit=1', '&limit=0', '&limit=1000', '&limit=1000&order_by=oldest', '+nothing+at+all'],
    ...[
      ...['id,created,retrieved_utc,arrived_utc', 'score,subreddit,id&limit=1000', 'subreddit', 'permalink'],
    ].map((fields) => `&fields=${fields}`),
  ].map((rest) => `/api/v1/search/${kind}?query=after:2000-01-01${rest}`),
);

it('a page that was printed has the bytes and headers of one that was not', async () => {
  await using service = await openService(posts, comments, (folder) =>
    openEmbeddedEngine(folder, {
      ...{ rules: { keepOriginals: false }, workers: 1, printer: RECORD_PRINTER },
    }),
  );
  const { engine, keys } = service;
  let printed = 0;
  const asking = (ask: SearchEngine['ask']) => {
    const asked = { refresh: () => engine.refresh(), ask } as SearchEngine;
    const search = new SearchService(asked, knowledge, {
      ...{ impliedWindow: '1d', permalinkBase: 'https://example.org', queryTimeoutMs: 60_000 },
    });
    return service.build({ archive: { search } });
  };
  const plain = await asking(({ print: _, ...question }, signal) => engine.ask(question, signal));
  const printing = await asking(async (question, signal) => {
    const answer = await engine.ask(question, signal);
    if (answer.printed !== undefined) printed++;
    return answer;
  });
  const headers = { authorization: `Bearer ${keys.good}` };
  let longest = 0;
  for (const url of REQUESTS) {
    const [expected, found] = [await plain.inject({ url, headers }), await printing.inject({ url, headers })];
    assert.equal(found.statusCode, 200, found.body);
    assert.equal(found.body, expected.body, url);
    for (const name of ['etag', 'link', 'content-length', 'content-type', 'colloquy-page'])
      assert.equal(found.headers[name], expected.headers[name], `${url}: ${name}`);
    longest = Math.max(longest, found.rawPayload.length);
  }
  assert.ok(longest > 2 * PIECE_BYTES);
  assert.equal(printed, REQUESTS.length - 2, 'all but those without a page');
});
