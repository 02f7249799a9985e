// Feeds over HTTP: what is in them, when they are not sent again, what a removal does, and who gets how many.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import {
  feedFingerprint,
  MAX_FEED_ANSWERS,
  MAX_FEED_UNCHANGED,
} from '../../src/features/saved/feed-routes.ts';
import { savedOf } from '../../src/features/saved/store.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { openSite, type TestSite } from '../account-pages/site.ts';
import { comment } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { readAtom, readJsonFeed } from './rules.ts';

const PUBLIC = 'https://search.example.org';
const DAY = 86_400;
const HOST = 'localhost';

function accountOf({ accounts }: TestSite): number {
  credentialsOf(accounts).createAccount('ann@example.org');
  return accounts.idOf('ann@example.org')!;
}

/** A saved search with its feed. */
function feedOf({ accounts }: TestSite, account: number, query: string) {
  const saved = savedOf(accounts);
  const { id } = saved.add(account, { name: `about ${query}`, kind: 'comment', query, order: 'newest' });
  return { id, token: saved.makeFeed(account, id)! };
}

describe('a feed', async () => {
  const site = ofTests(await openSite({ publicUrl: PUBLIC }));
  const account = accountOf(site);

  /** Now, by the clock of the machine: arrivals are told by it. */
  const now = () => Math.floor(Date.now() / 1000);

  /** Comes in now, or at the times given, one a record. */
  async function comeIn(records: readonly StoredComment[], at?: number): Promise<void> {
    const arrived = at === undefined ? undefined : records.map(() => at);
    await site.engine.index('comment', packRecords(records), undefined, arrived);
  }

  const save = (query: string) => feedOf(site, account, query);

  const get = (token: string, ending = 'atom', headers: Record<string, string> = {}) =>
    site.server.inject({ url: `/feed/${token}.${ending}`, headers: { host: HOST, ...headers } });

  const idsOf = (answer: LightMyRequestResponse) =>
    readAtom(answer.body).entries.map(({ id }) => id.replace(/^tag:search\.example\.org,2026:/, ''));

  it('has what came in last, by arrival down, in both forms, with the same ids', async () => {
    const created = now() - DAY;
    const n2 = comment({ id: 'n2', body: 'nimbus', created: created + 5 });
    await comeIn([comment({ id: 'n1', body: 'nimbus one', created }), n2]);
    const n3 = { id: 'n3', body: 'nimbus three &amp; more', created: created - 9, community: 'sky' };
    await comeIn([comment(n3)]);
    const { id, token } = save('nimbus');
    const atom = await get(token);
    assert.equal(atom.statusCode, 200, atom.body);
    assert.equal(atom.headers['content-type'], 'application/atom+xml; charset=utf-8');
    const read = readAtom(atom.body);
    assert.deepEqual(idsOf(atom), ['comment:n3', 'comment:n2', 'comment:n1']);
    assert.deepEqual([read.title, read.next], ['about nimbus', null]);
    assert.equal(read.self, `${PUBLIC}/feed/${token}.atom`);
    assert.equal(read.home, `${PUBLIC}/search?query=nimbus&kind=comments`);
    const [{ title, text } = assert.fail()] = read.entries;
    assert.deepEqual([title, text], ['/r/sky: nimbus three & more', 'nimbus three & more']);
    const json = await get(token, 'json');
    assert.equal(json.headers['content-type'], 'application/feed+json; charset=utf-8');
    assert.deepEqual(readJsonFeed(json.body).entries, read.entries);
    assert.equal(savedOf(site.accounts).of(account, id)!.seen, null);
  });

  it('gives a changed text again under its id, and a new score not', async () => {
    const created = now() - DAY;
    const before = ['o1', 'o2'].map((id) => comment({ id, body: 'ocelot', created }));
    await comeIn(before, now() - 100);
    const { token } = save('ocelot');
    assert.deepEqual(idsOf(await get(token)), ['comment:o2', 'comment:o1']);
    await comeIn([{ ...before[1]!, score: 99, retrieved: 9 }], now() - 50);
    assert.deepEqual(idsOf(await get(token)), ['comment:o2', 'comment:o1']);
    await comeIn([{ ...before[0]!, body: 'ocelot, edited', retrieved: 10 }], now() - 20);
    const edited = readAtom((await get(token)).body).entries;
    const ids = edited.map(({ id }) => id.slice(-2));
    assert.deepEqual(ids, ['o1', 'o2']);
    assert.ok(edited[0]!.updated > edited[1]!.updated);
  });

  it('is not sent again while nothing came in; a removal changes its tag, and takes the entry out at once', async () => {
    const created = now() - DAY;
    await comeIn(['p1', 'p2'].map((id) => comment({ id, body: 'pangolin', created })));
    const { id, token } = save('pangolin');
    const first = await get(token);
    const etag = String(first.headers.etag);
    const again = await get(token, 'atom', { 'if-none-match': etag });
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag]);
    const modified = String(first.headers['last-modified']);
    assert.equal((await get(token, 'atom', { 'if-modified-since': modified })).statusCode, 304);
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
    assert.equal((await get(token, 'atom', { 'if-modified-since': earlier })).statusCode, 200);
    assert.equal((await get(token, 'json', { 'if-none-match': etag })).statusCode, 200);

    await site.engine.hide(1, 'comment', { kind: 'ids', ids: ['p1'] } as never);
    const removed = await get(token, 'atom', { 'if-none-match': etag, 'if-modified-since': modified });
    assert.equal(removed.statusCode, 200);
    assert.deepEqual(idsOf(removed), ['comment:p2']);
    assert.notEqual(removed.headers.etag, etag);
    // In the same second as before: a caller without the tag must not be told that nothing changed.
    assert.equal((await get(token, 'atom', { 'if-modified-since': modified })).statusCode, 200);

    const renamed = String(removed.headers.etag);
    savedOf(site.accounts).rename(account, id, 'another name');
    assert.equal(
      readAtom((await get(token, 'atom', { 'if-none-match': renamed })).body).title,
      'another name',
    );
  });

  it('a text that was changed and changed back was not sent again: the tag was that of before', async () => {
    const created = now() - DAY;
    const before = comment({ id: 's1', body: 'salamander', created });
    await comeIn([before], now() - 100);
    const { token } = save('salamander');
    const first = await get(token);
    await comeIn([{ ...before, body: 'salamander, edited', retrieved: 9 }], now() - 50);
    await comeIn([{ ...before, retrieved: 10 }], now() - 20);
    const back = await get(token, 'atom', { 'if-none-match': String(first.headers.etag) });
    assert.equal(back.statusCode, 200);
    const [entry] = readAtom(back.body).entries;
    assert.ok(entry!.updated > readAtom(first.body).entries[0]!.updated);
  });

  it('a cluster that hung held whoever asked whether a feed had changed', async () => {
    const { engine: real } = site;
    const engine = {
      refresh: () => real.refresh(),
      fingerprints: () => new Promise<never>(() => undefined),
      lastArrivals: () => real.lastArrivals(),
      ask: real.ask.bind(real),
    };
    const catalogue = { importsSince: () => [] };
    const archive = { engine, catalogue, config: { queryTimeoutMs: 1, permalinkBase: '' } };
    await assert.rejects(feedFingerprint(archive, 'comment'), /took longer than 1 ms/);
  });

  it('tells of records over 30 days old when they came in by one entry, by each, or not at all', async () => {
    const [recent, old] = [now() - DAY, now() - 400 * DAY];
    const dump = Array.from({ length: 1200 }, (_, i) =>
      comment({ id: `q${i}`, body: 'quokka', created: old + i }),
    );
    await comeIn(dump.slice(0, 700));
    await comeIn([...dump.slice(700), comment({ id: 'fresh', body: 'quokka', created: recent })]);
    const { id, token } = save('quokka');
    const read = readAtom((await get(token)).body);
    const [older, ...fresh] = read.entries;
    assert.equal(older!.title, '1,200 older comments came in');
    assert.equal(fresh.map(({ title }) => title).join(), '/r/energy: quokka');
    assert.match(older!.id.replace(/\d{4}-\d\d-\d\d$/, 'DAY'), RegExp(`,2026:saved:${id}:arrived:DAY$`));
    const since = Number(new URL(older!.link).searchParams.get('since'));
    const { total } = await site.engine.ask({ kind: 'comment', since, query: { items: [] } });
    assert.equal(total, 1201);

    savedOf(site.accounts).setOlder(account, id, 'none');
    assert.deepEqual(idsOf(await get(token)), ['comment:fresh']);
    savedOf(site.accounts).setOlder(account, id, 'all');
    assert.equal(readAtom((await get(token)).body).entries.length, 50);
  });

  it('has 50 entries a page, which lead to 1,000, each once', async () => {
    const created = now() - DAY;
    const many = Array.from({ length: 1100 }, (_, i) =>
      comment({ id: `r${i}`, body: 'raccoon', created: created + (i % 7) }),
    );
    for (let i = 0; i < many.length; i += 100) await comeIn(many.slice(i, i + 100));
    const { token } = save('raccoon');
    const all: string[] = [];
    let address: string | null = `${PUBLIC}/feed/${token}.atom`;
    let pages = 0;
    while (address !== null) {
      const answer: LightMyRequestResponse = await get(token, `atom${new URL(address).search}`);
      assert.equal(answer.statusCode, 200, answer.body);
      const read = readAtom(answer.body);
      assert.equal(read.self, address);
      assert.equal(read.entries.length, 50);
      all.push(...read.entries.map(({ id }) => id));
      address = read.next;
      pages++;
    }
    assert.deepEqual([pages, all.length, new Set(all).size], [20, 1000, 1000]);
    assert.equal(all[0], 'tag:search.example.org,2026:comment:r1098');
    for (const page of ['21', '0', 'x', '1.5'])
      assert.equal((await get(token, `atom?page=${page}`)).statusCode, 400, page);
  });

  it('says so in one entry once its query is refused', async () => {
    const { id, token } = save('before:2020-01-01');
    const answer = await get(token);
    assert.equal(answer.statusCode, 200);
    const [entry, ...others] = readAtom(answer.body).entries;
    assert.deepEqual(others, []);
    assert.equal(entry!.id, `tag:search.example.org,2026:saved:${id}:refused`);
    assert.match(entry!.text, /before:2020-01-01.*expected an `after:` beside `before:`/);
    assert.deepEqual(readJsonFeed((await get(token, 'json')).body).entries, [entry]);
  });

  it('opens for its token alone, and is not for search engines', async () => {
    const { id, token } = save('raccoon');
    const answer = await get(token);
    const told = ['x-robots-tag', 'referrer-policy', 'cache-control'].map((name) => answer.headers[name]);
    assert.deepEqual(told, ['noindex', 'no-referrer', 'private, no-cache']);
    const renewed = savedOf(site.accounts).makeFeed(account, id)!;
    for (const [wrong, ending] of [
      [token, 'atom'],
      [renewed, 'xml'],
      [renewed, 'atom.json'],
      ['', 'atom'],
      ['a'.repeat(32), 'json'],
    ] as const) {
      const refused = await get(wrong, ending);
      assert.equal(refused.statusCode, 404, `${wrong} ${ending}`);
      assert.equal(refused.headers['content-type'], 'application/problem+json');
      assert.equal(refused.headers['x-robots-tag'], 'noindex');
      if (wrong !== '') assert.ok(!refused.body.includes(wrong));
    }
    assert.equal((await get(renewed)).statusCode, 200);
    savedOf(site.accounts).revokeFeed(account, id);
    assert.equal((await get(renewed)).statusCode, 404);
  });
});

it(`a feed is answered ${MAX_FEED_ANSWERS} times an hour, and ${MAX_FEED_UNCHANGED} times that nothing changed, in both forms together`, async () => {
  await using site = await openSite({ publicUrl: PUBLIC });
  const account = accountOf(site);
  const [{ token }, { token: other }] = [feedOf(site, account, 'zebra'), feedOf(site, account, 'zebra')];
  const get = (of = '', ending = 'atom', headers: Record<string, string> = {}) =>
    site.server.inject({ url: `/feed/${of}.${ending}`, headers });

  const tags: Record<string, string> = {};
  for (let i = 0; i < MAX_FEED_ANSWERS; i++) {
    const form = i % 2 === 0 ? 'atom' : 'json';
    const answer = await get(token, form);
    assert.equal(answer.statusCode, 200);
    tags[form] = String(answer.headers.etag);
  }
  const beyond = await get(token);
  assert.equal(beyond.statusCode, 429);
  assert.ok(Number(beyond.headers['retry-after']) > 3000);
  assert.equal((await get(other)).statusCode, 200);
  for (let i = 0; i < MAX_FEED_UNCHANGED; i++) {
    const form = i % 2 === 0 ? 'atom' : 'json';
    assert.equal((await get(token, form, { 'if-none-match': tags[form]! })).statusCode, 304);
  }
  assert.equal((await get(token, 'json', { 'if-none-match': tags.json! })).statusCode, 429);
  site.clock.seconds += 3600;
  assert.equal((await get(token)).statusCode, 200);
});

it('without a public address with the name of a host there are no feeds, and none is made', async () => {
  for (const publicUrl of [null, 'http://[::1]:8080']) {
    await using site = await openSite({ publicUrl });
    const { token } = feedOf(site, accountOf(site), 'a');
    const answer = await site.server.inject({ url: `/feed/${token}.atom` });
    assert.equal(answer.statusCode, 404);
    assert.match(answer.json().detail, /COLLOQUY_PUBLIC_URL/);
  }
});
