// Account → Saved, as people use it: from the page for searching to the list, what is new, the feed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { savedOf } from '../../src/features/saved/store.ts';
import { fieldsOf, formsOf, mainOf, openSite } from '../account-pages/site.ts';
import { listen } from '../api/listening.ts';
import { comment } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { eachIn, hrefs } from '../page/site.ts';
import { readAtom } from './rules.ts';

const PUBLIC = 'http://localhost:80';

const tokenIn = (body: string) => /\/feed\/(\w{32})\.atom"/.exec(body)![1]!;

describe('saved searches on the page', async () => {
  const heard = listen({ requests: 'address' });

  const site = ofTests(await openSite({ publicUrl: PUBLIC, ...heard.deps }));
  const ann = site.browser();
  await ann.register('ann@example.org');
  const comeIn = (id: string, body: string) =>
    site.engine.index('comment', packRecords([comment({ id, body })]));
  await comeIn('s1', 'saffron');
  const saved = savedOf(site.accounts);
  const listed = async () => mainOf((await ann.get('/account/saved')).body);
  const named = (name: string) => saved.list(1).filter((one) => one.name === name);

  it('a visitor is shown no Save', async () => {
    const { body } = await site.browser().get('/search?query=saffron&kind=comments');
    assert.ok(!body.includes('/account/saved'));
  });

  it('on Saved the header underlined My API', async () => {
    const header = /<header[\s\S]*?<\/header>/.exec((await ann.get('/account/saved')).body)![0];
    assert.deepEqual(eachIn(header, /<a href="([^"]*)" aria-current="page"/g), ['/account/saved']);
  });

  it('is saved from the results, with the order and the window that they have', async () => {
    const { body } = await ann.get('/search?query=saffron+before:2010-01-01&kind=comments&order_by=top');
    const link = hrefs(body).find((href) => href.startsWith('/account/saved/new'))!;
    const sent = await ann.submit(link, '/account/saved/new', { name: 'Saffron', kind: 'comments' });
    assert.deepEqual([sent.statusCode, sent.headers.location], [303, '/account/saved']);
    const [one] = saved.list(1);
    assert.deepEqual(
      [one!.name, one!.kind, one!.query, one!.order, typeof one!.seen],
      ['Saffron', 'comment', 'saffron,before:2010-01-01,after:2009-12-31', 'top', 'number'],
    );
    saved.remove(1, one!.id);
  });

  it('what cannot be saved is told, and nothing is saved', async () => {
    const cases = [
      [{ query: 'before:2010-01-01' }, /A before: needs an after: here/],
      [{ query: '!!!' }, /has no word to look for/],
      [{ name: ' ' }, /Give the search a name/],
    ] as const;
    for (const [wrong, words] of cases) {
      const fields = { name: 'a', query: 'saffron', kind: 'posts', ...wrong };
      const refused = await ann.submit('/account/saved/new', '/account/saved/new', fields);
      assert.equal(refused.statusCode, 400);
      assert.match(mainOf(refused.body), words);
    }
    assert.deepEqual(saved.list(1), []);
  });

  it('the list tells the total and what is new; looking at it leads to what came in, and notes that', async () => {
    const fields = { name: 'Saffron', kind: 'comments' };
    await ann.submit('/account/saved/new?query=saffron&kind=comments', '/account/saved/new', fields);
    assert.match(await listed(), /Results" class="number">1<.*New" class="number">0</s);
    await comeIn('s2', 'saffron again');
    const body = await listed();
    assert.match(body, /Results" class="number">2<.*1 new</s);
    assert.match(body, /<svg class="spark"/);
    const look = formsOf(body).find(({ action }) => action.endsWith('/look'))!;
    // Comes in while the list is open: it is new the next time.
    await comeIn('s3', 'saffron, late');
    const led = await ann.post(look.action, look.fields);
    const shown = mainOf((await ann.follow(led)).body);
    assert.match(shown, /saffron<\/mark> again/);
    assert.ok(!shown.includes('/s1/'), 'what was seen before is not among them');
    assert.match(await listed(), /1 new</);
    await ann.submit('/account/saved', '/account/saved/all/seen');
    assert.match(await listed(), /New" class="number">0</);
  });

  it('one that cannot be answered takes no other with it', async () => {
    const { id } = saved.add(1, { name: 'x', kind: 'comment', query: '--a', order: 'newest' });
    const body = await listed();
    assert.match(body, /Cannot be answered at the moment/);
    assert.match(body, /Results" class="number">3</);
    saved.remove(1, id);
  });

  it('a feed takes two clicks: Save, Save with a feed; sent twice, the form makes one', async () => {
    const link = '/account/saved/new?query=saffron&kind=comments';
    const { body } = await ann.get(link);
    assert.match(body, /<button[^>]* name="feed" value="1">Save with a feed</);
    const own = { name: 'Fed', kind: 'comments', feed: '1' };
    const fields = { ...fieldsOf(body, '/account/saved/new'), ...own };
    const made = await ann.post('/account/saved/new', fields);
    const token = tokenIn(made.body);
    assert.equal((await site.browser().get(`/feed/${token}.atom`)).statusCode, 200);
    assert.equal((await ann.post('/account/saved/new', fields)).statusCode, 303);
    const [{ id } = assert.fail(), ...others] = named('Fed');
    assert.deepEqual(others, []);
    assert.ok((await listed()).includes(`href="/account/saved/${id}#feed">yes<`));
    await ann.submit(`/account/saved/${id}`, `/account/saved/${id}/remove`);
    heard.security.length = 0;
  });

  it('one of comments under posts shows those alone, in the list, the API and its feed', async () => {
    const link = '/account/saved/new?query=saffron&kind=comments&under=score%3A1000000';
    const form = fieldsOf((await ann.get(link)).body, '/account/saved/new');
    assert.equal(form.under, 'score:1000000');
    const fields = { ...form, name: 'Below', kind: 'comments', feed: '1' };
    const refused = await ann.post('/account/saved/new', { ...fields, under: 'site:' });
    assert.equal(refused.statusCode, 400);
    assert.match(mainOf(refused.body), /id="under-error"/);
    const made = await ann.post('/account/saved/new', fields);
    const token = tokenIn(made.body);
    const feed = (await site.browser().get(`/feed/${token}.atom`)).body;
    assert.doesNotMatch(feed, /<entry>/);
    assert.match(feed, /kind=comments&amp;under=score%3A1000000/);
    assert.match(feed, /Comments that match: saffron, on posts that match: score:1000000/);
    const [{ id, under } = assert.fail()] = named('Below');
    assert.equal(under, 'score:1000000');
    assert.match(await listed(), /on posts that match .*score:1000000.*Results" class="number">0</s);
    await ann.submit(`/account/saved/${id}`, `/account/saved/${id}/remove`);
    heard.security.length = 0;
  });

  it('the address of its feed is shown once, renewed and revoked, and is in no line of any log', async () => {
    const { id } = saved.list(1)[0]!;
    const page = `/account/saved/${id}`;
    const made = await ann.submit(page, `${page}/feed`, { do: 'make' });
    const token = tokenIn(made.body);
    const { 'cache-control': kept, 'referrer-policy': told } = made.headers;
    assert.deepEqual([made.statusCode, kept, told], [200, 'no-store', 'same-origin']);
    assert.ok(made.body.includes(`${PUBLIC}/feed/${token}.json`));
    for (const path of [page, '/account/saved', '/account/export'])
      assert.ok(!(await ann.get(path)).body.includes(token), path);
    const reader = site.browser();
    const [older] = readAtom((await reader.get(`/feed/${token}.atom`)).body).entries;
    assert.equal(older!.title, '3 older comments came in');
    await ann.submit(page, `${page}/feed`, { do: 'older', older: 'all' });
    assert.equal(readAtom((await reader.get(`/feed/${token}.atom`)).body).entries.length, 3);

    const renew = { ...fieldsOf((await ann.get(page)).body, `${page}/feed`), do: 'renew' };
    const renewed = tokenIn((await ann.post(`${page}/feed`, renew)).body);
    assert.equal((await ann.post(`${page}/feed`, renew)).statusCode, 303);
    assert.equal((await reader.get(`/feed/${token}.atom`)).statusCode, 404);
    assert.equal((await reader.get(`/feed/${renewed}.atom`)).statusCode, 200);
    await ann.submit(page, `${page}/feed`, { do: 'revoke' });
    assert.equal((await reader.get(`/feed/${renewed}.atom`)).statusCode, 404);
    for (let i = 0; i < 62; i++) await reader.get(`/feed/${renewed}.atom?page=2`);
    await reader.get(`/feed/${renewed}/x`);

    const log = JSON.stringify([heard.lines, heard.security]);
    assert.ok(heard.lines.some(({ route }) => route === '/feed/:name'));
    for (const secret of [token, renewed]) assert.ok(!log.includes(secret));
    const events = heard.security.filter(({ security }) => security.startsWith('feed_'));
    const lines = events.map(({ security, account, saved: of }) => `${security} ${account} ${of}`);
    assert.deepEqual(lines, [`feed_made 1 ${id}`, `feed_made 1 ${id}`, `feed_revoked 1 ${id}`]);
  });

  it('is renamed and removed', async () => {
    const { id } = saved.list(1)[0]!;
    await ann.submit(`/account/saved/${id}`, `/account/saved/${id}`, { name: 'Crocus' });
    assert.equal(saved.of(1, id)!.name, 'Crocus');
    await ann.submit(`/account/saved/${id}`, `/account/saved/${id}/remove`);
    assert.deepEqual(saved.list(1), []);
  });
});

it('the API lists those of its key’s account alone, with what they find', async () => {
  await using site = await openSite();
  const wish = { kind: 'post', query: 'cats', order: 'top' } as const;
  const key = (email: string) => site.accounts.createKey({ email, name: 'k', expiresInDays: null }).key;
  const [ann, bob] = [key('ann@example.org'), key('bob@example.org')];
  const { id } = savedOf(site.accounts).add(1, { name: 'Cats', ...wish });
  const ask = (path: string, of: string) =>
    site.server.inject({ url: `/api/v1/saved${path}`, headers: { authorization: `Bearer ${of}` } });
  const { saved } = (await ask('', ann)).json();
  assert.deepEqual(
    [saved.length, saved[0].id, saved[0].kind, saved[0].query, saved[0].search],
    [1, id, 'posts', 'cats', 'http://localhost:80/api/v1/search/posts?query=cats&order_by=top'],
  );
  assert.ok(saved[0].total_count > 0);
  assert.deepEqual([saved[0].new, saved[0].index.records > 0], [null, true]);
  savedOf(site.accounts).noteSeen(1, id, 0);
  const { new: fresh, ...one } = (await ask(`/${id}`, ann)).json();
  assert.deepEqual([fresh, one.seen], [one.total_count, 0]);
  const broken = savedOf(site.accounts).add(1, { name: 'x', ...wish, query: '--a' });
  const { total_count, index } = (await ask(`/${broken.id}`, ann)).json();
  assert.deepEqual([total_count, index], [null, null]);
  assert.deepEqual((await ask('', bob)).json().saved, []);
  for (const path of [`/${id}`, '/99', '/x', '/0'])
    assert.equal((await ask(path, bob)).statusCode, 404, path);
});
