// The interactive reference: everything from this server, under its own content policy, and requests with a key.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { Browser } from 'playwright-core';
import { launch, NO_BROWSER, open, PHONE } from './browser.ts';
import { listening, openSite, type TestSite } from './site.ts';

const PATH = '/docs/reference';
const REFERENCE_FILES = /(?:href|src)="(\/assets\/(?:swagger-ui|reference)-[0-9a-f]{12}\.(?:css|js))"/g;

describe('the interactive reference', () => {
  let site: TestSite;
  let server: FastifyInstance;
  let page: Awaited<ReturnType<FastifyInstance['inject']>>;
  let files: readonly string[];

  before(async () => {
    site = await openSite();
    server = await site.build();
    page = await server.inject(PATH);
    files = [...page.body.matchAll(REFERENCE_FILES)].map(([, path]) => path!);
  });
  after(() => site?.[Symbol.asyncDispose]());

  it('takes script, answers and everything else from here alone', () => {
    assert.equal(page.statusCode, 200);
    const policy = String(page.headers['content-security-policy']).split('; ');
    const expected = [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ];
    for (const directive of expected) assert.ok(policy.includes(directive), directive);
    assert.doesNotMatch(policy.join(), /https?:|\*|unsafe-eval/);
    assert.equal(page.headers['x-content-type-options'], 'nosniff');
    assert.equal(page.headers['x-frame-options'], 'DENY');
    assert.equal(page.headers['referrer-policy'], 'same-origin');
  });

  it('has no script in itself and names no other host', () => {
    assert.doesNotMatch(page.body, /<script(?![^>]* src="\/assets\/)/);
    assert.doesNotMatch(page.body, / on[a-z]+="/);
    const addresses = [...page.body.matchAll(/(?:https?:)?\/\/[\w.-]+/g)].map(([address]) => address);
    assert.deepEqual(
      [...new Set(addresses)].filter((address) => address !== 'http://localhost'),
      [],
    );
  });

  it('its files come from here, to be kept for ever, compressed, and without source maps', async () => {
    assert.equal(files.length, 4);
    for (const path of files) {
      for (const coding of ['gzip', 'br', 'identity']) {
        const { statusCode, headers } = await server.inject({
          url: path,
          headers: { 'accept-encoding': coding },
        });
        assert.equal(statusCode, 200, path);
        assert.match(String(headers['cache-control']), /immutable/);
        assert.match(
          String(headers['content-type']),
          path.endsWith('.js') ? /^text\/javascript/ : /^text\/css/,
        );
        const isSmall = path.includes('reference-');
        if (!isSmall) assert.equal(headers['content-encoding'], coding === 'identity' ? undefined : coding);
      }
      const { body } = await server.inject(path);
      assert.doesNotMatch(body, /# sourceMappingURL=/);
      assert.doesNotMatch(path.endsWith('.css') ? body : '', /@import|url\(\s*["']?(?:https?:)?\/\//);
    }
  });

  it('has GET and HEAD; other methods are 405, paths below it 404', async () => {
    const status = async (method: 'HEAD' | 'POST' | 'GET', url: string) =>
      (await server.inject({ method, url })).statusCode;
    for (const path of [PATH, ...files]) {
      assert.equal(await status('HEAD', path), 200, path);
      const { statusCode, headers } = await server.inject({ method: 'POST', url: path });
      assert.deepEqual([statusCode, headers.allow], [405, 'GET, HEAD'], path);
    }
    assert.equal(await status('GET', `${PATH}/json`), 404);
    assert.equal(await status('GET', `${PATH}/../../package.json`), 404);
  });

  it('is linked from the documentation and stays out of the OpenAPI document, as all pages do', async () => {
    const { body } = await server.inject('/docs');
    assert.match(body, /<nav class="contents"[\s\S]*href="\/docs\/reference"[\s\S]*?<\/nav>/);
    const { paths } = (await server.inject('/api/v1/openapi.json')).json<{ paths: object }>();
    assert.deepEqual(Object.keys(paths), ['/api/v1/search/posts', '/api/v1/search/comments', '/healthz']);
  });

  describe('in Chromium', { skip: NO_BROWSER }, () => {
    let base: string;
    let browser: Browser;

    before(async () => {
      base = await listening(server);
      browser = await launch();
    });
    after(() => browser?.close());

    it('shows the two endpoints, sends requests with a key, and offends no policy', async () => {
      const { page: tab, errors, requests } = await open(browser);
      await tab.addInitScript(`globalThis.reports = [];
        addEventListener('securitypolicyviolation', (event) => reports.push(event.violatedDirective + ' ' + event.blockedURI));`);
      await tab.goto(base + PATH);
      await tab.locator('.opblock').first().waitFor();
      assert.deepEqual(await tab.locator('.opblock-summary-path').allTextContents(), [
        '/api/v1/search/posts',
        '/api/v1/search/comments',
        '/healthz',
      ]);
      await tab.locator('.authorize').first().click();
      await tab.locator('.auth-container input').first().fill(site.key);
      await tab.locator('.auth-btn-wrapper .authorize').click();
      await tab.locator('.btn-done').click();
      for (const at of [0, 1]) {
        const block = tab.locator('.opblock').nth(at);
        await block.locator('.opblock-summary-control').click();
        await block.locator('tr[data-param-name=query] input').fill('solar');
        await block.locator('.execute').click();
        const status = block.locator('.live-responses-table tbody .response-col_status').first();
        assert.match((await status.textContent()) ?? '', /^200/);
      }
      assert.deepEqual(errors, []);
      assert.deepEqual(await tab.evaluate('reports'), []);
      const foreign = requests.filter((address) => !address.startsWith(base) && !address.startsWith('data:'));
      assert.deepEqual(foreign, []);
    });

    it('keeps no key behind, and fits a narrow screen', async () => {
      const { page: tab } = await open(browser, { viewport: PHONE });
      await tab.goto(base + PATH);
      await tab.locator('.authorize').first().click();
      await tab.locator('.auth-container input').first().fill(site.key);
      await tab.locator('.auth-btn-wrapper .authorize').click();
      await tab.locator('.btn-done').click();
      await tab.locator('.opblock-summary-control').first().click();
      await tab.locator('.execute').first().waitFor();
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), PHONE.width);
      assert.equal(
        await tab.evaluate('localStorage.length + sessionStorage.length + document.cookie.length'),
        0,
      );
    });
  });
});
