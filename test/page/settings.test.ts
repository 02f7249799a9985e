// Settings without an account: the page, the choice of theme, the cookie of both, and what pages make of it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eachIn, entriesOf, hrefs, readable, SIGNED_IN, siteOfTests } from './site.ts';

const { inject } = siteOfTests();

const post = (url: string, payload: string, headers: Record<string, string> = {}) =>
  inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'here.example', ...headers },
  });

const withCookie = (url: string, cookie: string) => inject({ url, headers: { cookie } });

const checkedIn = (body: string) => eachIn(body, /<input type="radio" id="([\w-]+)"[^>]* checked>/g);

describe('settings', () => {
  it('are a form of their own, and a visitor’s are the defaults', async () => {
    const { statusCode, body } = await inject('/settings');
    assert.equal(statusCode, 200);
    assert.match(body, /<form class="settings" method="post" action="\/settings">/);
    assert.deepEqual(checkedIn(body), ['times-utc', 'adult-folded', 'density-roomy', 'theme-auto']);
    assert.match(body, /<html lang="en">/);
  });

  it('are kept in one cookie, without the defaults, and lead back to the page', async () => {
    const form = 'times=local&adult=shown&density=roomy&theme=dark&return=%2Fsearch%3Fquery%3Da';
    const { statusCode, headers } = await post('/settings', form, { origin: 'http://here.example' });
    assert.deepEqual([statusCode, headers.location], [303, '/search?query=a']);
    const cookie = 'colloquy_settings=times:local.adult:shown.theme:dark';
    assert.equal(headers['set-cookie'], `${cookie}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`);
    const { body } = await withCookie('/settings', `a=b; ${cookie}`);
    assert.deepEqual(checkedIn(body), ['times-local', 'adult-shown', 'density-roomy', 'theme-dark']);
    assert.match(body, /<html lang="en" data-theme="dark" data-times="local">/);
  });

  it('that are all defaults take the cookie away', async () => {
    for (const form of ['times=utc&adult=folded&density=roomy&theme=auto', 'theme=pink&times=', '']) {
      const { headers } = await post('/settings', form);
      assert.match(String(headers['set-cookie']), /^colloquy_settings=; .*Max-Age=0/);
    }
  });

  it('say that they are saved where the form names no page to return to', async () => {
    const { body } = await inject('/settings');
    const back = /name="return" value="([^"]*)"/.exec(body)![1]!;
    assert.match((await inject(back)).body, /class="flash" role="status">Your settings are saved\./);
    assert.doesNotMatch(body, /class="flash"/);
  });

  it('make another page: its tag is another, and caches are told that it hangs on the cookie', async () => {
    const plain = await inject('/about');
    assert.match(String(plain.headers.vary), /\bCookie\b/);
    const etag = String(plain.headers.etag);
    const dark = { cookie: 'colloquy_settings=theme:dark' };
    const again = (headers: Record<string, string>) =>
      inject({ url: '/about', headers: { ...headers, 'if-none-match': etag } });
    assert.equal((await again({})).statusCode, 304);
    assert.equal((await again(dark)).statusCode, 200);
    assert.equal((await again({ cookie: 'colloquy_settings=theme:pink' })).statusCode, 304);
  });

  it('the page tells times in UTC whatever is set: what turns them is in the browser', async () => {
    const url = '/search?query=rooftop';
    for (const times of ['local', 'relative']) {
      const { body } = await withCookie(url, `colloquy_settings=times:${times}`);
      assert.match(body, /<time datetime="2023-[\d-]+T[\d:.]+Z">2023-[\d-]+, [\d:]{8}<\/time>/);
      assert.match(readable(body), /times in UTC/);
    }
  });

  it('texts for adults: marked and folded, shown on this page by its address, or always by the settings', async () => {
    const url = '/search?query=%2Fr%2Fgrownups&limit=50';
    const folds = (body: string) => body.match(/<details class="text adult">/g)?.length ?? 0;
    const line = (body: string) => readable(/<p class="adultline">.*?<\/p>/.exec(body)?.[0] ?? '');
    const asked = (address: string, headers = {}) =>
      inject({ url: address, headers: { ...SIGNED_IN, ...headers } });
    const { body } = await asked(url);
    assert.equal(entriesOf(body).length, 10);
    for (const entry of entriesOf(body)) {
      assert.match(entry, />NSFW<\/abbr>/);
      assert.match(entry, /<details class="text adult"><summary>Show text \(adult community\)<\/summary>/);
    }
    assert.equal(line(body), 'Text from adult communities is hidden. Show it on this page Settings');
    const [there] = hrefs(/<p class="adultline">.*?<\/p>/.exec(body)![0]);
    const shown = (await asked(there!)).body;
    assert.equal(folds(shown), 0);
    assert.equal(line(shown), 'Text from adult communities is shown on this page. Hide it Settings');
    assert.equal(shown.match(/For adults alone/g)!.length, 10);
    assert.equal(shown.match(/class="nsfw"/g)!.length, 10);
    // Of that page alone: no other list that it links to has it.
    const others = hrefs(/<div class="bars">[\s\S]*?<\/div>/.exec(shown)![0]);
    assert.ok(others.length > 3 && others.every((href) => !href.includes('adult')));
    const cookie = 'colloquy_settings=adult:shown';
    const always = (await asked(url, { cookie })).body;
    assert.deepEqual([folds(always), line(always)], [0, '']);
    for (const path of ['/record/posts/a0', '/thread/a0']) {
      assert.equal(folds((await asked(path)).body), 1, path);
      assert.equal(folds((await asked(path, { cookie })).body), 0, path);
    }
    for (const other of ['/search?query=rooftop', `${url}&show=titles`])
      assert.equal(line((await asked(other)).body), '', other);
    assert.doesNotMatch((await asked('/search?query=rooftop')).body, /NSFW/);
  });
});

describe('theme', () => {
  it('is one of the settings: the others stay, and back to the page', async () => {
    const cookie = 'colloquy_settings=times:local.theme:light';
    const headers = { origin: 'http://here.example', cookie };
    const answer = await post('/theme', 'theme=dark&times=relative&return=%2Fabout', headers);
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/about']);
    assert.match(String(answer.headers['set-cookie']), /^colloquy_settings=times:local\.theme:dark; /);
    const back = await post('/theme', 'theme=auto', headers);
    assert.match(String(back.headers['set-cookie']), /^colloquy_settings=times:local; /);
  });

  it('auto takes the cookie away where nothing else is set', async () => {
    assert.match(String((await post('/theme', 'theme=auto')).headers['set-cookie']), /Max-Age=0/);
  });
});

describe('the forms of settings', () => {
  it('send nobody elsewhere, neither at once nor by a link', async () => {
    const hosts = ['//evil.example/', 'https://evil.example/', '/\\evil.example', '/.//evil.example'];
    for (const target of [...hosts, 'javascript:alert(1)']) {
      const { headers } = await post('/settings', `theme=dark&return=${encodeURIComponent(target)}`);
      assert.match(String(headers.location), /^\/(?![/\\])/, target);
      const { body } = await inject(`/settings?return=${encodeURIComponent(target)}`);
      const form = /<form class="settings"[\s\S]*?<\/form>/.exec(body)![0];
      for (const link of eachIn(form, / (?:href|value)="([^"]*\/[^"]*)"/g))
        assert.equal(new URL(link, 'http://here.example').origin, 'http://here.example');
    }
  });

  it('of another site are refused: they set nothing, and say what to do, and nothing of signing in', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      for (const url of ['/theme', '/settings']) {
        const answer = await post(url, 'theme=dark', headers);
        assert.deepEqual([answer.statusCode, answer.headers['set-cookie']], [403, undefined], url);
        const main = readable(/<main[\s\S]*<\/main>/.exec(answer.body)![0]);
        assert.match(main, /This form was not accepted.*reload the page, and send the form again/);
        assert.doesNotMatch(main, /Sign in/);
      }
    }
  });

  it('are the same for somebody who is signed in', async () => {
    const { headers } = await post('/settings', 'density=compact', SIGNED_IN);
    assert.match(String(headers['set-cookie']), /^colloquy_settings=density:compact; /);
  });
});
