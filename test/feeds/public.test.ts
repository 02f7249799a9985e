// Feeds of any search for visitors, where the operator allows them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { openSite, type TestSite } from '../account-pages/site.ts';
import { stopClock } from '../clock.ts';
import { comment } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { readAtom, readJsonFeed } from './rules.ts';

const PUBLIC = 'https://search.example.org';
const NOW = stopClock(1_800_000_000).seconds;

function comeIn({ engine }: TestSite, name: string, count: number, created = NOW - 86_400): Promise<unknown> {
  const records = Array.from({ length: count }, (_, i) =>
    comment({ id: `${name}${i}`, body: 'nimbus & <more>', created: created + i }),
  );
  return engine.index('comment', packRecords(records));
}

describe('a feed for visitors', async () => {
  const get = (url: string, headers: Record<string, string> = {}) =>
    site.server.inject({ url, headers: { host: 'localhost', ...headers } });

  const site = ofTests(await openSite({ publicUrl: PUBLIC, ofFeatures: { COLLOQUY_PUBLIC_FEEDS: 'on' } }));
  await comeIn(site, 'n', 30);

  it('has as many entries as a visitor sees results, in both forms, and no next page', async () => {
    const atom = await get('/search.atom?query=nimbus++R/Energy&kind=comments&page=2');
    assert.equal(atom.statusCode, 200, atom.body);
    assert.equal(atom.headers['content-type'], 'application/atom+xml; charset=utf-8');
    assert.equal(atom.headers['x-robots-tag'], 'noindex');
    const read = readAtom(atom.body);
    const ids = Array.from({ length: 10 }, (_, i) => `tag:search.example.org,2026:comment:n${29 - i}`);
    const readIds = read.entries.map(({ id }) => id);
    assert.deepEqual(readIds, ids);
    const query = 'query=nimbus%2C%2Fr%2Fenergy&kind=comments';
    assert.deepEqual(
      [read.title, read.next, read.self, read.home],
      ['nimbus,/r/energy', null, `${PUBLIC}/search.atom?${query}`, `${PUBLIC}/search?${query}`],
    );
    assert.equal(read.entries[0]!.text, 'nimbus & <more>');
    const json = await get('/search.json?query=nimbus,/r/energy&kind=comments');
    assert.equal(json.headers['content-type'], 'application/feed+json; charset=utf-8');
    assert.deepEqual(readJsonFeed(json.body).entries, read.entries);
  });

  it('has one entry for older records too, among as many', async () => {
    await comeIn(site, 'old', 40, NOW - 400 * 86_400);
    const { entries } = readAtom((await get('/search.atom?query=nimbus&kind=comments')).body);
    assert.equal(entries.length, 10);
    assert.equal(entries[0]!.title, '40 older comments came in');
    assert.match(entries[0]!.id, /^tag:search\.example\.org,2026:search:[0-9a-f]{32}:arrived:/);
  });

  it('is of comments under the posts that the search is of', async () => {
    const url = '/search.atom?query=nimbus&kind=comments&under=score%3A1000000';
    const read = readAtom((await get(url)).body);
    assert.deepEqual([read.entries, read.self], [[], `${PUBLIC}${url}`]);
    assert.equal((await get('/search.atom?query=&kind=comments&under=site%3A')).statusCode, 400);
  });

  it('is valid where nothing is found, and for everything', async () => {
    assert.deepEqual(readAtom((await get('/search.atom?query=nothinghere')).body).entries, []);
    assert.deepEqual(readJsonFeed((await get('/search.json?query=nothinghere')).body).entries, []);
    assert.equal(readAtom((await get('/search.atom?query=')).body).title, 'All posts');
  });

  it('says what is wrong with a query, as a problem', async () => {
    const wrong = [
      ['/search.atom', 'missing_query'],
      ['/search.atom?query=author:x', 'reserved_operator'],
      ['/search.json?query=before:2020-01-01', 'open_window'],
      ['/search.json?query=a&kind=x', 'malformed_request'],
    ] as const;
    for (const [url, code] of wrong) {
      const answer = await get(url);
      assert.equal(answer.statusCode, 400, url);
      assert.equal(answer.headers['content-type'], 'application/problem+json');
      assert.equal(answer.json().code, code, url);
    }
  });

  it('is named by the page of the search, with the window written out', async () => {
    const { body } = await get('/search?query=rain+before:2023-06-01&kind=comments');
    const links = [...body.matchAll(/<link rel="alternate" type="([^"]+)" href="([^"]+)">/g)];
    const query = 'query=rain%2Cbefore%3A2023-06-01%2Cafter%3A2023-05-31&amp;kind=comments';
    assert.deepEqual(
      links.map(([, type, href]) => [type, href]),
      [
        ['application/atom+xml', `/search.atom?${query}`],
        ['application/feed+json', `/search.json?${query}`],
      ],
    );
    for (const [, , href = ''] of links)
      assert.equal((await get(href.replaceAll('&amp;', '&'))).statusCode, 200, href);
    assert.doesNotMatch((await get('/')).body, /rel="alternate"/);
  });
});

it('feeds for visitors count among the searches of their network', async () => {
  await using site = await openSite({ publicUrl: PUBLIC, ofFeatures: { COLLOQUY_PUBLIC_FEEDS: 'on' } });
  const get = (url: string) => site.server.inject({ url });
  for (let i = 0; i < 15; i++) {
    assert.equal((await get('/search.atom?query=a')).statusCode, 200);
    assert.equal((await get('/search?query=a')).statusCode, 200);
  }
  const refused = await get('/search.json?query=a');
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.headers['content-type'], 'application/problem+json');
  assert.ok(Number(refused.headers['retry-after']) > 0);
});

it('there are no feeds for visitors unless the operator switches them on, with a public address', async () => {
  for (const options of [{ publicUrl: PUBLIC }, { ofFeatures: { COLLOQUY_PUBLIC_FEEDS: 'on' } }] as const) {
    await using site = await openSite(options);
    for (const path of ['/search.atom', '/search.json']) {
      assert.equal((await site.server.inject({ url: `${path}?query=a` })).statusCode, 404);
    }
    assert.doesNotMatch((await site.server.inject({ url: '/search?query=a' })).body, /rel="alternate"/);
  }
});
