// Forms sent by others: every form that the pages show is replayed without its token, with another's, and from
// elsewhere. Nothing may change.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { savedOf } from '../../src/features/saved/store.ts';
import { ofTests } from '../of-tests.ts';
import {
  type Browser,
  contentOf,
  type Fields,
  type Form,
  fieldsOf,
  formsOf,
  mainOf,
  openSite,
  PASSWORD,
  routesOf,
  secondFactorOf,
} from './site.ts';

interface FoundForm extends Form {
  readonly page: string;
}

const fetchedBy = (site: string) => ({ 'sec-fetch-site': site });

/** Do not touch an account: how pages look in a browser. */
const LOOKS = ['/theme', '/settings'];

describe('forms sent by others', async () => {
  // With which feeds can be made.
  const site = ofTests(await openSite({ publicUrl: 'http://localhost:80' }));
  const visitor = site.browser();
  const cleo = site.browser();
  await cleo.register('cleo@example.net');
  const bob = site.browser();
  await bob.register('bob@example.net');
  const bobToken = fieldsOf((await bob.get('/account')).body, '/account').token!;
  const accountId = site.accounts.sessions.check(cleo.cookies.get('colloquy_session')!)!.accountId;
  const other = site.accounts.sessions.check(site.accounts.sessions.start(accountId, 'another browser'))!;
  const { id } = site.accounts.createKeyFor(accountId, { name: 'kettle', expiresInDays: null });
  const wish = { name: 'tureen', kind: 'post', query: 'cats', order: 'newest' } as const;
  const { id: savedId } = savedOf(site.accounts).add(accountId, wish);
  const link = credentialsOf(site.accounts).resetAccount('cleo@example.net')!.token;
  const privatePages = [
    '/account',
    '/account/second-factor',
    '/account/keys',
    `/account/keys/${id}/revoke`,
    '/account/saved',
    '/account/saved/new',
    `/account/saved/${savedId}`,
    '/account/sessions',
    `/account/sessions/${other.sessionId}/end`,
    '/account/sessions/end-others',
    '/account/delete',
    '/cite?query=cats',
  ];
  // Has given its password, and is asked for a code.
  const halfway = site.browser();
  const dan = (await credentialsOf(site.accounts).register('dan@example.net', PASSWORD))!;
  secondFactorOf(site, dan);
  await halfway.signIn('dan@example.net');
  const forms = [
    ...(await formsFrom(halfway, ['/sign-in/code'])),
    ...(await formsFrom(visitor, ['/sign-in', '/register', '/settings', `/account/link/${link}`])),
    ...(await formsFrom(cleo, privatePages)),
  ];

  it('every route that takes a form shows one', async () => {
    const patterns = (await routesOf(site)).filter(({ method }) => method === 'POST').map(({ path }) => path);
    const unseen = patterns.filter((path) => {
      const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
      return !forms.some(({ action }) => pattern.test(action));
    });
    assert.deepEqual(unseen, []);
  });

  it('every form that changes something is posted and has a token', () => {
    for (const { action, method, fields } of forms.filter((form) => !LOOKS.includes(form.action))) {
      assert.equal(method, 'post', action);
      assert.match(fields.token ?? '', /^[\w-]{43}$/, action);
    }
  });

  interface Change {
    readonly fields?: Fields;
    readonly headers?: Fields;
    readonly origin?: string | null;
  }
  const tricks: readonly (readonly [name: string, status: number, change: (form: Form) => Change])[] = [
    ['no token', 403, ({ fields: { token: _, ...fields } }) => ({ fields })],
    ['an empty token', 403, ({ fields }) => ({ fields: { ...fields, token: '' } })],
    ['a token of somebody else', 403, ({ fields }) => ({ fields: { ...fields, token: bobToken } })],
    ['a token cut short', 403, ({ fields }) => ({ fields: { ...fields, token: fields.token!.slice(1) } })],
    ['the origin of another site', 403, () => ({ origin: 'https://evil.example' })],
    ['the origin of another port', 403, () => ({ origin: 'http://localhost:81' })],
    ['the origin of another scheme', 403, () => ({ origin: 'https://localhost' })],
    ['an origin that is hidden', 403, () => ({ origin: 'null' })],
    [
      'no origin, but told to be of another site',
      403,
      () => ({ origin: null, headers: fetchedBy('cross-site') }),
    ],
    ['told to be of a sister site', 403, () => ({ headers: fetchedBy('same-site') })],
    ['plain text', 400, () => ({ headers: { 'content-type': 'text/plain' } })],
    ['JSON', 400, () => ({ headers: { 'content-type': 'application/json' } })],
    ['parts', 400, () => ({ headers: { 'content-type': 'multipart/form-data; boundary=x' } })],
  ];
  for (const [name, status, change] of tricks) {
    it(`${name}: ${status} for every form, and nothing changes`, async () => {
      const before = contentOf(site);
      for (const form of forms.filter(({ action }) => !LOOKS.includes(action))) {
        const ofVisitor = form.page === '/sign-in/code' ? halfway : visitor;
        const browser = isForVisitors(form) ? ofVisitor : cleo;
        const { fields = form.fields, headers = {}, origin } = change(form);
        const sent = { ...filled(form), ...fields };
        const options = (origin === undefined ? headers : { ...headers, origin }) as Fields;
        const response = await browser.post(form.action, sent, options);
        // The route of citations reads any text, and finds no token in it.
        const expected = name === 'plain text' && form.action === '/cite' ? 403 : status;
        assert.equal(response.statusCode, expected, `${form.action}: ${mainOf(response.body)}`);
        assert.equal(response.headers['set-cookie'], undefined, form.action);
      }
      assert.equal(contentOf(site), before);
    });
  }

  it('without the cookie behind it, the form of a visitor is refused', async () => {
    const before = contentOf(site);
    for (const form of forms.filter(isForVisitors)) {
      const response = await site.browser().post(form.action, { ...filled(form), ...form.fields });
      assert.equal(response.statusCode, 403, form.action);
    }
    assert.equal(contentOf(site), before);
  });

  it('GET changes nothing, whatever the address holds', async () => {
    const before = contentOf(site);
    for (const { page, action, fields } of forms) {
      const own = { email: 'eve@example.net', password: 'a password of eve' };
      const query = new URLSearchParams({ ...fields, ...own });
      for (const path of [page, `${page}?${query}`, `${action}?${query}`]) {
        await (/^\/(?:account|cite)\b/.test(page) ? cleo : visitor).get(path);
      }
    }
    assert.equal(contentOf(site), before);
  });

  it('a program that sends no origin, but the token, is heard', async () => {
    const form = forms.find(({ action }) => action === '/account/sessions/end-others')!;
    const sent = { ...form.fields, ...filled(form) };
    assert.equal((await cleo.post(form.action, sent, { origin: null } as never)).statusCode, 303);
  });

  async function formsFrom(browser: Browser, pages: readonly string[]): Promise<FoundForm[]> {
    const found: FoundForm[] = [];
    for (const page of pages) {
      found.push(...formsOf((await browser.get(page)).body).map((form) => ({ ...form, page })));
    }
    return found;
  }
});

function isForVisitors({ action }: Form): boolean {
  return /^\/(?:sign-in|register|account\/link\/)/.test(action);
}

/** What would be done, were the form taken. */
function filled({ action }: Form): Fields {
  return {
    email: action === '/sign-in' ? 'cleo@example.net' : 'eve@example.net',
    ...{ password: PASSWORD, current: PASSWORD, next: 'another long password' },
    ...{ name: 'spoon', do: 'make', kind: 'posts', order_by: 'newest', expires: '30' },
  };
}
