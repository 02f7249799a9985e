// The documentation as people use it: its navigation, the language of examples, running a request, searching.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { REFERENCE_PATH, runAddress } from '../../src/http/addresses.ts';
import { browserOfTests, NO_BROWSER, PHONE } from './browser.ts';
import { decode, eachIn, hrefs, inBrowser, readable, SIGNED_IN, siteOfTests } from './site.ts';

const run = promisify(execFile);

const { followed, get, inject, at, key } = siteOfTests();

const pageOf = (url: string, headers = {}) => get(url, headers);

const navigation = (body: string) => /<nav class="contents"[\s\S]*?<\/nav>/.exec(body)![0];

async function endpoints(): Promise<string[]> {
  return Object.keys((await inject('/api/v1/openapi.json')).json().paths);
}

describe('navigation of the documentation', () => {
  it('leads from every page to every other one, and marks the present one alone', async () => {
    const pages = hrefs(navigation(await pageOf('/docs'))).filter((address) => address.startsWith('/'));
    assert.equal(new Set(pages).size, pages.length);
    assert.ok(pages.length >= 11 + (await endpoints()).length, String(pages.length));
    for (const path of pages) {
      const body = await pageOf(path);
      const own = navigation(body);
      const local = hrefs(own).filter((address) => address.startsWith('/'));
      assert.deepEqual(local, pages, path);
      assert.deepEqual(eachIn(own, /<a href="([^"]*)"[^>]* aria-current="page"/g), [path]);
      for (const id of hrefs(own).filter((address) => address.startsWith('#'))) {
        assert.ok(body.includes(` id="${id.slice(1)}"`), `${path} ${id}`);
      }
    }
  });

  it('every page has the words of its file before the code that follows them', async () => {
    const body = await pageOf('/docs/analysis');
    const pair =
      /<div class="pair whole"><div class="words">.*?Timelines.*?<div class="code"><div class="block">/s;
    assert.match(body, pair);
  });
});

describe('search in the documentation', () => {
  it('finds sections and endpoints with all the words, titles first', async () => {
    const body = await pageOf('/docs/search?query=records+ids');
    const found = hrefs(/<ol class="places">[\s\S]*<\/ol>/.exec(body)![0]);
    assert.equal(found[0], '/docs#records-by-their-ids');
    assert.ok(found.includes('/docs/reference/records-posts'));
    for (const address of found) {
      const [path, id] = address.split('#');
      assert.ok(id === undefined || (await pageOf(path!)).includes(` id="${id}"`), address);
    }
  });

  it('says so where nothing has them, and shows the words as text', async () => {
    const body = await pageOf('/docs/search?query=%3Cb%3Ezzz');
    assert.match(readable(body), /No page has all of these words/);
    assert.ok(body.includes('value="&lt;b&gt;zzz"') && !body.includes('<b>zzz'));
  });
});

describe('running a request from the documentation', () => {
  const address = `${runAddress('/api/v1/search/posts')}?query=solar&order_by=&after=&limit=2`;

  it('answers whoever is signed in as the API answers a key; an empty field is none', async () => {
    const ours = await followed({ url: address, headers: SIGNED_IN });
    const asked = '/api/v1/search/posts?query=solar&limit=2';
    const theirs = await inject({ url: asked, headers: { authorization: `Bearer ${key()}` } });
    assert.equal(ours.statusCode, 200);
    assert.equal(ours.body, theirs.body);
    assert.equal(ours.headers.vary, 'Cookie, Accept-Encoding');
    assert.equal(ours.headers['access-control-allow-origin'], undefined);
    assert.match(String(ours.headers['content-security-policy']), /default-src 'none'/);
  });

  it('fills parts of the path from the form', async () => {
    const url = `${runAddress('/api/v1/thread/:post')}?post=p00&limit=1`;
    const answer = await followed({ url, headers: SIGNED_IN });
    assert.deepEqual([answer.statusCode, answer.json().type], [200, 'thread']);
  });

  it('leads visitors to the page to sign in, which is what the page of the endpoint offers them', async () => {
    const { statusCode, headers } = await inject(address);
    assert.deepEqual([statusCode, headers.location?.split('?')[0]], [303, '/sign-in']);
    const body = await pageOf(`${REFERENCE_PATH}/search-posts`);
    assert.ok(body.includes('/sign-in?return=%2Fdocs%2Freference%2Fsearch-posts'));
    assert.ok(!body.includes('data-run'));
  });

  it('tells errors as the API does; files and unknown names are 404', async () => {
    const ask = (name: string, search: string) =>
      followed({ url: `/docs/run/${name}?${search}`, headers: SIGNED_IN });
    const wrong = await ask('search-posts', 'query=cats&limit=x');
    assert.deepEqual([wrong.statusCode, wrong.json().code], [400, 'bad_limit']);
    assert.match(String(wrong.headers['content-type']), /^application\/problem\+json/);
    assert.equal((await ask('export-posts', 'query=')).statusCode, 404);
    assert.equal((await ask('nope', '')).statusCode, 404);
  });

  it('its form asks what the page shows: every endpoint that answers in JSON to a key', async () => {
    for (const path of await endpoints()) {
      const body = await pageOf(`${REFERENCE_PATH}/${runAddress(path).split('/').at(-1)}`, SIGNED_IN);
      const isTold = (await inject(path.replace(/\{\w+\}/g, 'x'))).statusCode === 401;
      const isFile = /export\/(?:posts|comments)$|\{file\}/.test(path);
      const [form] = /<form class="run"[\s\S]*?<\/form>/.exec(body) ?? [];
      assert.equal(form !== undefined, isTold && !isFile, path);
      if (form === undefined) continue;
      const given = [...form.matchAll(/<input[^>]* name="([^"]*)" value="([^"]*)"/g)]
        .map(([, name, value]) => [name!, decode(value!)] as [string, string])
        .filter(([, value]) => value !== '');
      const url = `${runAddress(path)}?${new URLSearchParams(given)}`;
      const answer = await followed({ url, headers: SIGNED_IN });
      assert.ok([200, 404].includes(answer.statusCode), `${url} ${answer.body}`);
      assert.equal(answer.statusCode === 404, path.includes('{'), url);
    }
  });
});

describe('requests of the reference', () => {
  const programOf = (body: string, language: string) =>
    decode(
      new RegExp(`<div class="program ${language}">[\\s\\S]*?<code>([\\s\\S]*?)</code>`).exec(body)![1]!,
    );

  it('every one in curl asks for something that the server knows', async () => {
    for (const path of await endpoints()) {
      const body = await pageOf(`${REFERENCE_PATH}/${runAddress(path).split('/').at(-1)}`);
      const [, address = ''] = /'http:\/\/[^/]+(\/[^']*)'/.exec(programOf(body, 'curl'))!;
      const answer = await inject({ url: address, headers: { authorization: `Bearer ${key()}` } });
      const expected = path.includes('{') ? 404 : 200;
      assert.equal(answer.statusCode, expected, `${address} ${answer.body.slice(0, 200)}`);
    }
  });

  for (const [name, printed] of [
    ['counts-posts', /total_count/],
    ['readyz', /ok/],
    ['export-comments', /^$/],
  ] as const) {
    it(`${name}: the programs in Python and JavaScript run`, async () => {
      const page = await (await fetch(at(`${REFERENCE_PATH}/${name}`))).text();
      const options = { env: { ...process.env, COLLOQUY_KEY: key() }, cwd: '/tmp' };
      const python = await run('python3', ['-c', programOf(page, 'python')], options);
      assert.match(python.stdout, printed);
      const script = ['--input-type=module', '--eval', programOf(page, 'javascript')];
      assert.match((await run(process.execPath, script, options)).stdout, printed);
    });
  }
});

describe('the documentation in a browser', { skip: NO_BROWSER }, () => {
  const open = browserOfTests();

  it('the language chosen on one page holds on all, on those of searching too', async () => {
    const { page, errors } = await open();
    await page.goto(at('/docs'));
    await page.getByRole('radio', { name: 'Python' }).check();
    const shown = page.locator('.program:visible');
    const classes = await shown.evaluateAll((all) => all.map((one) => one.className));
    assert.deepEqual(classes, ['program python', 'program python']);
    await page.goto(at(`${REFERENCE_PATH}/counts-posts`));
    assert.equal(await shown.getAttribute('class'), 'program python');
    await page.goto(at('/search?query=solar'));
    assert.equal(await page.locator('details[name="language"][open] > summary').textContent(), 'Python');
    assert.deepEqual(errors, []);
  });

  it('without script the same radio buttons choose, and a phone opens the contents', async () => {
    const { page } = await open({ javaScriptEnabled: false, viewport: PHONE });
    await page.goto(at(`${REFERENCE_PATH}/counts-posts`));
    await page.getByRole('radio', { name: 'R', exact: true }).check();
    assert.equal(await page.locator('.program:visible').getAttribute('class'), 'program r');
    const link = page.getByRole('link', { name: 'Query language' });
    assert.equal(await link.isVisible(), false);
    await page.locator('.contents summary').click();
    await link.click();
    assert.equal(new URL(page.url()).pathname, '/docs/query-language');
  });

  it('on a wide screen the contents are open without a click', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await page.goto(at('/docs'));
    await page.locator('.contents').getByRole('link', { name: 'Search posts' }).click();
    assert.equal(new URL(page.url()).pathname, `${REFERENCE_PATH}/search-posts`);
  });

  it('an answer stands below its form; without script it opens', async () => {
    const path = at(`${REFERENCE_PATH}/search-posts`);
    const { page, errors } = await open({ storageState: inBrowser(SIGNED_IN) });
    await page.goto(path);
    await page.getByRole('textbox', { name: 'query', exact: true }).fill('solar');
    await page.getByRole('button', { name: 'Run it' }).click();
    await page.getByText(/^200, \d+ ms, [\d,]+ characters$/).waitFor();
    assert.equal(JSON.parse((await page.getByLabel('Answer of this run').textContent())!).type, 'post');
    assert.equal(page.url(), path);
    assert.deepEqual(errors, []);
    const plain = await open({ storageState: inBrowser(SIGNED_IN), javaScriptEnabled: false });
    await plain.page.goto(path);
    await plain.page.getByRole('button', { name: 'Run it' }).click();
    assert.match((await plain.page.textContent('body'))!, /"total_count"/);
  });
});
