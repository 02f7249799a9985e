// The pages of citations: making one, who sees it, what became of it, and the endpoint.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { citationsOf } from '../../src/features/citing/store.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { Browser, type Fields, fieldsOf } from '../account-pages/site.ts';
import { REACHED, serverOver } from '../archive.ts';
import { comment, START_OF_2008, temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { hostileTexts } from '../page/hostile.ts';
import { checkMarkup } from '../page/markup.ts';

interface Person {
  readonly id: number;
  readonly browser: Browser;
  /** Sends the form, with its token. */
  cite(fields: Fields): Promise<LightMyRequestResponse>;
}

describe('the pages of citations', async () => {
  const opened = ofTests(new AsyncDisposableStack());
  const folder = opened.use(temporaryFolder());
  const app = opened.use(await openApp({ ...readConfig({}), dataFolder: folder.path, threads: 0 }));
  const comeIn = (...comments: StoredComment[]) => app.engine.index('comment', packRecords(comments));
  await comeIn(
    ...[comment({ id: 'a', body: 'solar <b>' }), comment({ id: 'b', body: 'solar too' })],
    comment({ id: 'c', body: 'solar again', community: 'cats' }),
  );
  const server = await serverOver(app);
  opened.defer(() => server.close());
  const visitor = new Browser(server, {});
  const ann = await signedIn('ann@example.org');
  const { key } = app.accounts.createKeyFor(ann.id, { name: 'k', expiresInDays: null });
  let id = '';

  const get = (url: string) => ann.browser.get(url);
  /** What the API answers to a key of Ann. */
  const api = async (path: string) =>
    (await visitor.get(`/api/v1/citations/${path}`, { authorization: `Bearer ${key}` })).json();

  async function signedIn(email: string): Promise<Person> {
    const account = (await credentialsOf(app.accounts).register(email, 'a password of theirs'))!;
    const browser = new Browser(server, {});
    browser.cookies.set('colloquy_session', app.accounts.sessions.start(account, 'a browser'));
    const form = fieldsOf((await browser.get('/cite?query=solar')).body, '/cite');
    return { id: account, browser, cite: (fields) => browser.post('/cite', { ...form, ...fields }) };
  }

  it('a search has the button for who is signed in, and for nobody else', async () => {
    const { body } = await get('/search?query=solar&kind=comments');
    assert.match(body, /<a href="\/cite\?query=solar" rel="nofollow">Cite</);
    assert.doesNotMatch((await visitor.get('/search?query=solar&kind=comments')).body, />Cite</);
  });

  it('a citation is made by the form with its token, and not without', async () => {
    const wish = { query: 'solar', kinds: 'comments', note: '<i>Table</i> 2' };
    assert.equal((await ann.cite({ ...wish, token: 'x' })).statusCode, 403);
    assert.equal((await visitor.post('/cite', wish)).headers.location, '/sign-in?return=%2Fcite');
    assert.equal((await ann.cite({ ...wish, kinds: 'all' })).statusCode, 400);
    const made = await ann.cite(wish);
    assert.equal(made.statusCode, 303);
    id = /^\/cite\/(clq-c-\w{16})$/.exec(String(made.headers.location))![1]!;
    const { body } = await get(`/cite/${id}`);
    assert.match(body, /<h2 id="now" class="apart">The same<\/h2>/);
    assert.match(body, /&lt;i&gt;Table&lt;\/i&gt; 2/);
    assert.match(body, /3 comments \(fingerprint [0-9a-f]{16}\)/);
    assert.doesNotMatch(body, /name="token"/);
  });

  it('the query of a form has the window of a search, written out', async () => {
    const { body } = await get('/cite?query=before%3A2020-01-02');
    assert.match(body, /name="query" value="before:2020-01-02,after:2020-01-01"/);
  });

  it('hostile texts as queries and as notes stay text', async () => {
    let made = 0;
    let one = await signedIn('one0@example.org');
    for (const [i, text] of hostileTexts(200).entries()) {
      // One account cites 60 times an hour.
      if (i % 50 === 49) one = await signedIn(`one${i}@example.org`);
      const note = text.slice(0, 400).toWellFormed();
      const form = await get(`/cite?query=${encodeURIComponent(note)}`);
      assert.ok([200, 400].includes(form.statusCode), `${form.statusCode} ${text}`);
      checkMarkup(form.body);
      const sent = await one.cite({ query: 'solar', kinds: 'comments', note });
      assert.ok([303, 400].includes(sent.statusCode), `${sent.statusCode} ${text}`);
      if (sent.statusCode === 400) checkMarkup(sent.body);
      else {
        made++;
        checkMarkup((await get(String(sent.headers.location))).body);
      }
    }
    assert.ok(made > 100, `${made} citations with hostile notes`);
  });

  it('BibTeX and CSL-JSON are files, and anything else is not found', async () => {
    const bib = await get(`/cite/${id}.bib`);
    assert.match(String(bib.headers['content-type']), /^application\/x-bibtex/);
    assert.equal(bib.headers['content-disposition'], `attachment; filename="${id}.bib"`);
    assert.match(bib.body, new RegExp(`^@misc\\{${id},\\n[^]*\\\\url\\{http://localhost:80/cite/${id}\\}`));
    const [item] = JSON.parse((await get(`/cite/${id}.json`)).body);
    assert.deepEqual([item.id, item.type, item.title], [id, 'dataset', '3 comments: solar']);
    for (const name of [`${id}.pdf`, 'clq-c-0000000000000000', `${id}.constructor`, 'x']) {
      assert.equal((await get(`/cite/${name}`)).statusCode, 404, name);
    }
  });

  it('visitors are led to the page to sign in, unless citations are public', async () => {
    for (const url of [`/cite/${id}`, `/cite/${id}.bib`, '/cite?query=x']) {
      const led = await visitor.get(url);
      assert.equal(led.statusCode, 303);
      assert.match(String(led.headers.location), /^\/sign-in\?return=/);
    }
    const config = { ...app.config, ofFeatures: { COLLOQUY_PUBLIC_CITATIONS: 'on' } };
    const open = await serverOver({ ...app, config });
    for (const ending of ['', '.bib', '.json']) {
      assert.equal((await open.inject(`/cite/${id}${ending}`)).statusCode, 200, ending);
    }
    assert.equal((await open.inject('/cite?query=x')).statusCode, 303);
    await open.close();
  });

  it('the endpoint gives it to keys', async () => {
    assert.equal((await visitor.get(`/api/v1/citations/${id}`)).statusCode, 401);
    const answer = await api(id);
    const { total_count: total, months } = answer.kinds.comments;
    const { type, query, note } = answer;
    assert.deepEqual([type, answer.id, query, note], ['citation', id, 'solar', '<i>Table</i> 2']);
    assert.deepEqual([total, months.length, months[0].start, months[0].count], [3, 1, START_OF_2008, 3]);
    assert.equal((await api('x')).status, 404);
  });

  it('the page explains what came in and what is gone; of a removal numbers and dates alone', async () => {
    const checked = () => api(`${id}/check`);
    const kinds = { comments: { total_count: 3, now: 3, months: [] as object[] } };
    assert.deepEqual(await checked(), { type: 'citation_check', id, holds: true, kinds });
    /** The last row: then, came in, gone, now, and why. */
    const shown = async (row: string) => {
      const { body } = await get(`/cite/${id}`);
      assert.ok(body.includes(`<td>${row.split(' | ').join('</td><td>')}<`), body);
      return body;
    };
    await comeIn(comment({ id: 'd', body: 'solar, new' }));
    await shown('3 | 1 | 0 | 4 | came in, and nothing else');
    kinds.comments = { total_count: 3, now: 4, months: [{ start: START_OF_2008, count: 3, now: 4 }] };
    assert.deepEqual(await checked(), { type: 'citation_check', id, holds: false, kinds });
    await app.remover(REACHED).remove({ kind: 'communities', names: ['cats'] });
    const body = await shown('3 | 1 | 1 | 3 | removed: at most 1; came in');
    assert.match(body, /Since then one removal has taken records out \(/);
    assert.doesNotMatch(body, /cats/);
    await comeIn(comment({ id: 'a', body: 'solar changed', retrieved: 5 }));
    await shown('3 | 2 | 2 | 3 | removed: at most 1; changed: at least 1; came in');
  });

  it('one account cites 60 times an hour, and its citations can go with it', async () => {
    const { id: bob, cite: send } = await signedIn('bob@example.org');
    const cite = (query: string) => send({ query, kinds: 'posts' });
    for (let i = 0; i < 60; i++) assert.equal((await cite(`word${i}`)).statusCode, 303);
    const refused = await cite('word60');
    assert.equal(refused.statusCode, 429);
    assert.match(String(refused.headers['retry-after']), /^\d+$/);
    assert.match(refused.body, /Your account has made too many requests/);
    assert.equal(citationsOf(app.catalogue).removeOf(bob), 60);
  });

  it('stays when the account is deleted, and names nobody', async () => {
    assert.doesNotMatch((await get(`/cite/${id}.json`)).body, /ann@/);
    assert.doesNotMatch(JSON.stringify(citationsOf(app.catalogue).all()), /ann/);
    assert.notEqual(credentialsOf(app.accounts).removeAccount('ann@example.org'), null);
    assert.equal(citationsOf(app.catalogue).get(id)?.id, id);
  });
});
