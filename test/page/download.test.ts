// The download below a list: its form, and the file for whoever is signed in.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode, eachIn, readable, SIGNED_IN, siteOfTests } from './site.ts';

const { get, inject, at, key } = siteOfTests();

const fromPage = (address: string, method = 'GET') => fetch(at(address), { method, headers: SIGNED_IN });

/** The panel, and what a browser sends for the form as it stands, changed by `edits`. */
async function form(url: string, edits: Readonly<Record<string, string>> = {}) {
  const panel = /<details class="panel download">[\s\S]*?<\/form>/.exec(await get(url))![0];
  const values = new URLSearchParams();
  for (const [, name, value] of panel.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)) {
    values.append(name!, decode(value!));
  }
  for (const [, name, options] of panel.matchAll(/<select id="\w+" name="(\w+)">([\s\S]*?)<\/select>/g)) {
    values.append(name!, /value="([\w-]+)" selected/.exec(options!)![1]!);
  }
  values.append('sample', '');
  for (const field of eachIn(panel, /name="fields" value="(\w+)" checked/g)) values.append('fields', field);
  for (const [name, value] of Object.entries(edits)) values.set(name, value);
  return { panel, address: `${/action="([^"]+)"/.exec(panel)![1]}?${values}` };
}

const fromApi = (path: string, query: Readonly<Record<string, string>>) =>
  fetch(at(`/api/v1/export/${path}?${new URLSearchParams(query)}`), {
    headers: { authorization: `Bearer ${key()}` },
  });

describe('download', () => {
  it('tells how many records come, and about how many bytes', async () => {
    const { panel, address } = await form('/search?query=solar&order_by=oldest&limit=100');
    const lines = await (await fromPage(address)).text();
    const [, told, bytes] = /All ([\d,]+) posts of this search, in one file\. About ([\d,]+) bytes/.exec(
      readable(panel),
    )!;
    assert.equal(lines.trim().split('\n').length, Number(told!.replaceAll(',', '')));
    const error = Math.abs(Number(bytes!.replaceAll(',', '')) / Buffer.byteLength(lines) - 1);
    assert.ok(error < 0.2, `${error}`);
  });

  it('is the export of the API, in the order of the list, with the window of the page', async () => {
    /** What is changed in the form is asked of the API too. */
    const cases = [
      ['/search?query=solar', 'posts', { query: 'solar' }, {}],
      [
        '/search?query=solar&kind=comments&order_by=top',
        'comments',
        { query: 'solar', order_by: 'top' },
        { format: 'csv', compress: 'gzip' },
      ],
      [
        '/search?query=panel+before:2023-03-10',
        'posts',
        { query: 'panel,before:2023-03-10,after:2023-03-09' },
        { fields: 'created' },
      ],
      ['/search?query=panel', 'posts', { query: 'panel' }, { sample: '5' }],
      ['/search?query=panel', 'posts', { query: 'panel' }, { format: 'parquet' }],
    ] as const;
    for (const [url, path, query, edits] of cases) {
      const mine = await fromPage((await form(url, edits)).address);
      const api = await fromApi(path, { order_by: 'newest', ...query, ...edits });
      assert.equal(mine.status, 200, url);
      for (const name of ['content-type', 'content-disposition', 'colloquy-total-count', 'etag']) {
        assert.equal(mine.headers.get(name), api.headers.get(name), `${url} ${name}`);
      }
      assert.match(mine.headers.get('vary')!, /Cookie/);
      assert.deepEqual(await mine.bytes(), await api.bytes(), url);
    }
  });

  it('a sample has as many records as asked for, each time the same', async () => {
    const { address } = await form('/search?query=panel', { sample: '7' });
    const [one, other] = [await (await fromPage(address)).text(), await (await fromPage(address)).text()];
    assert.equal(one.trim().split('\n').length, 7);
    assert.equal(one, other);
    assert.equal((await fromPage(address, 'HEAD')).headers.get('colloquy-total-count'), '7');
  });

  it('several fields come in the order of the form', async () => {
    const file = await fromPage('/download?query=panel&fields=id&fields=title&fields=score&format=csv');
    assert.match(await file.text(), /^id,title,score\n/);
  });

  it('visitors sign in first, and nothing is sent to them', async () => {
    const { body } = await inject('/search?query=panel');
    const panel = /<details class="panel download">[\s\S]*?<\/details>/.exec(body)![0];
    assert.match(readable(panel), /Sign in or register to download all results\./);
    assert.doesNotMatch(panel, /<form/);
    const answer = await inject('/download?query=panel&format=csv');
    assert.equal(answer.statusCode, 303);
    assert.equal(answer.headers.location, '/sign-in?return=%2Fdownload%3Fquery%3Dpanel%26format%3Dcsv');
    assert.doesNotMatch(await get('/search?query=zzz'), /class="panel download"/);
  });

  it('what cannot be made is told on a page', async () => {
    const wrong = [
      ['/download?kind=posts', /There is no search in this address/],
      ['/download?query=a&format=xml', /format should be/],
      ['/download?query=a&format=parquet&compress=gzip', /compress/],
      ['/download?query=a&sample=0', /sample/],
      ['/download?query=a&fields=nope', /nope/],
      ['/download?query=score:', /score/],
    ] as const;
    for (const [address, words] of wrong) {
      const answer = await fromPage(address);
      assert.equal(answer.status, 400, address);
      assert.match(answer.headers.get('content-type')!, /^text\/html/);
      assert.match(readable(await answer.text()), words, address);
    }
  });
});
