// Who reaches what: every route of accounts, asked by a visitor, by the owner of what it names, and by somebody else.
// Every other route is in test/access/access.test.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { savedOf } from '../../src/features/saved/store.ts';
import { ofTests } from '../of-tests.ts';
import { type Browser, contentOf, fieldsOf, formsOf, mainOf, openSite } from './site.ts';

const ROLES = ['visitor', 'other', 'owner'] as const;

type Role = (typeof ROLES)[number];

/** Statuses of visitor, somebody else, owner. Forms are sent empty but for their token. */
const EXPECTED: Readonly<Record<string, readonly [visitor: number, other: number, owner: number]>> = {
  'GET /sign-in': [200, 303, 303],
  'POST /sign-in': [400, 400, 400],
  'GET /sign-in/code': [303, 303, 303],
  'POST /sign-in/code': [303, 303, 303],
  'GET /register': [200, 303, 303],
  'POST /register': [400, 400, 400],
  'POST /sign-out': [303, 303, 303],
  'GET /account': [303, 200, 200],
  'POST /account': [303, 400, 400],
  'GET /account/second-factor': [303, 200, 200],
  'POST /account/second-factor': [303, 400, 400],
  'GET /account/keys': [303, 200, 200],
  'POST /account/keys': [303, 400, 400],
  'GET /account/keys/:id/revoke': [303, 404, 200],
  'POST /account/keys/:id/revoke': [303, 404, 303],
  'GET /account/saved': [303, 200, 200],
  'GET /account/saved/new': [303, 200, 200],
  'POST /account/saved/new': [303, 400, 400],
  'POST /account/saved/all/seen': [303, 303, 303],
  'GET /account/saved/:id': [303, 404, 200],
  'POST /account/saved/:id': [303, 404, 400],
  'POST /account/saved/:id/feed': [303, 404, 400],
  'POST /account/saved/:id/look': [303, 404, 303],
  'POST /account/saved/:id/remove': [303, 404, 303],
  'GET /account/sessions': [303, 200, 200],
  'GET /account/sessions/:id/end': [303, 404, 200],
  'POST /account/sessions/:id/end': [303, 404, 400],
  'GET /account/sessions/end-others': [303, 200, 200],
  'POST /account/sessions/end-others': [303, 400, 400],
  'GET /account/export': [303, 200, 200],
  'GET /account/delete': [303, 200, 200],
  'POST /account/delete': [303, 400, 400],
  'GET /cite': [303, 200, 200],
  'POST /cite': [303, 400, 400],
  'GET /account/link/:link': [404, 404, 404],
  'POST /account/link/:link': [404, 404, 404],
};

const OWNER = 'cleo@example.net';
const OTHER = 'bob@example.net';

describe('every route of accounts by every role', async () => {
  let visitorToken: string;

  const site = ofTests(await openSite());
  const ids = {
    owner: (await credentialsOf(site.accounts).register(OWNER, 'a password of cleo'))!,
    other: (await credentialsOf(site.accounts).register(OTHER, 'a password of bob'))!,
  };
  const { id: keyId } = site.accounts.createKeyFor(ids.owner, { name: 'kettle', expiresInDays: 30 });

  for (const [row, statuses] of Object.entries(EXPECTED)) {
    for (const [at, role] of ROLES.entries()) {
      it(`${row} by ${role}: ${statuses[at]}`, async () => {
        const [method = '', path = ''] = row.split(' ');
        const owned = site.accounts.sessions.start(ids.owner, 'of the owner');
        const sessionId = site.accounts.sessions.check(owned)!.sessionId;
        const browser = await browserOf(role);
        const address = path.replace(':link', 'A'.repeat(43)).replace(':id', String(idIn(path, sessionId)));
        const before = ownerParts();
        const response = await send(browser, method, address);
        assert.equal(response.statusCode, statuses[at], mainOf(response.body));
        if (role === 'owner') return;
        assert.equal(ownerParts(), before);
        const shown = [OWNER, 'kettle', 'tureen'].filter((text) => response.body.includes(text));
        assert.deepEqual(shown, []);
        if (response.statusCode === 303 && role === 'visitor') {
          assert.match(String(response.headers.location), /^\/sign-in\?return=%2F(?:account|cite)/);
        }
      });
    }
  }

  /** A saved search is made anew each time, since it may have been removed. */
  function idIn(path: string, sessionId: number): number {
    if (path.includes('/keys/')) return keyId;
    if (!path.includes('/saved/')) return sessionId;
    const wish = { name: 'tureen', kind: 'post', query: 'cats', order: 'newest' } as const;
    return savedOf(site.accounts).add(ids.owner, wish).id;
  }

  async function browserOf(role: Role): Promise<Browser> {
    const browser = site.browser();
    // Also leaves the cookie behind the forms of visitors.
    visitorToken = fieldsOf((await browser.get('/sign-in')).body, '/sign-in').token!;
    if (role !== 'visitor') {
      browser.cookies.set('colloquy_session', site.accounts.sessions.start(ids[role], 'a browser'));
    }
    return browser;
  }

  async function send(browser: Browser, method: string, address: string) {
    if (method === 'GET') return browser.get(address);
    const { body } = await browser.get('/account/delete');
    const own = formsOf(body).find(({ action }) => action === '/sign-out')?.fields.token;
    const isForVisitors = /^\/(?:sign-in|register|account\/link)/.test(address);
    const token = isForVisitors ? visitorToken : own;
    return browser.post(address, { token: token ?? 'none' });
  }

  /** What the database holds of the owner, but for the sessions that the owner's own requests begin. */
  function ownerParts(): string {
    const [accounts, ...others] = JSON.parse(contentOf(site)) as {
      account?: number;
      id: number;
    }[][];
    return JSON.stringify([
      accounts!.filter(({ id }) => id === ids.owner),
      ...others.map((rows) => rows.filter(({ account }) => account === ids.owner)),
    ]);
  }
});
