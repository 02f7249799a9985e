// Who reaches what: every route of the router by every method, asked by everybody that there is, on a server that may
// write and on one that only reads. Which account reaches which part of the account pages is in
// test/account-pages/roles.test.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type KnownRoute, routesOf } from '../account-pages/site.ts';
import { ofTests } from '../of-tests.ts';
import { furnish, newFolder, openWorld, PRIVATE, ROLES, type Role } from './world.ts';

/**
 * `everybody`: the same for all. `keys`: 401 without a key that holds. `keys, sessions`: or
 * a session. `signed in`: others are led to the page to sign in. `accounts`: nobody is let in, or kept out, for a key.
 * `this machine`: by where one asks from.
 */
type Access = 'everybody' | 'keys' | 'keys, sessions' | 'signed in' | 'accounts' | 'this machine';

const FORM = {
  headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost:80' },
  payload: 'theme=dark',
};
const MESSAGE = {
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
};

/** Who reaches a path, an address at which there is something (absent: itself), and what is sent (absent: a form). */
type Row = readonly [access: Access, address?: string, sent?: typeof MESSAGE];

/** The same row for each of these below a path. */
function below(path: string, names: string, ...row: Row): Readonly<Record<string, Row>> {
  return Object.fromEntries(names.split(' ').map((name) => [`${path}/${name}`, row]));
}

const TABLE: Readonly<Record<string, Row>> = {
  '/': ['everybody'],
  '/about': ['everybody'],
  '/account': ['accounts'],
  ...below('/account', 'delete export keys saved saved/all/seen saved/new second-factor', 'accounts'),
  ...below('/account', 'sessions sessions/end-others', 'accounts'),
  '/account/keys/:id/revoke': ['accounts', '/account/keys/KEY/revoke'],
  '/account/link/:link': ['accounts', `/account/link/${'A'.repeat(43)}`],
  '/account/saved/:id': ['accounts', '/account/saved/SAVED'],
  '/account/saved/:id/feed': ['accounts', '/account/saved/SAVED/feed'],
  '/account/saved/:id/look': ['accounts', '/account/saved/SAVED/look'],
  '/account/saved/:id/remove': ['accounts', '/account/saved/SAVED/remove'],
  '/account/sessions/:id/end': ['accounts', '/account/sessions/SESSION/end'],
  ...below('/api/v1/breakdown', 'comments posts', 'keys, sessions', '?query=&field=subreddit'),
  '/api/v1/citations/:id': ['keys, sessions', '/api/v1/citations/CITATION'],
  '/api/v1/citations/:id/check': ['keys, sessions', '/api/v1/citations/CITATION/check'],
  ...below('/api/v1/compare', 'comments posts', 'keys, sessions', '?query=cats&query=dogs'),
  ...below('/api/v1/counts', 'comments posts', 'keys, sessions', '?query=cats'),
  '/api/v1/coverage': ['keys, sessions'],
  '/api/v1/datasets': ['everybody'],
  '/api/v1/datasets/:name': ['everybody', '/api/v1/datasets/all'],
  '/api/v1/datasets/:name/:file': ['keys, sessions', '/api/v1/datasets/all/all-posts.ndjson.zst'],
  ...below('/api/v1/explain', 'comments posts', 'keys, sessions', '?query=cats'),
  ...below('/api/v1/export', 'comments posts', 'keys, sessions', '?query='),
  ...below('/api/v1/export', 'comments/schema posts/schema', 'everybody'),
  '/api/v1/openapi.json': ['everybody'],
  '/api/v1/records/comments': ['keys, sessions', '?ids=c1'],
  '/api/v1/records/posts': ['keys, sessions', '?ids=cats1'],
  ...below('/api/v1/sample', 'comments posts', 'keys, sessions', '?query=&limit=3'),
  '/api/v1/saved': ['keys, sessions'],
  '/api/v1/saved/:id': ['keys, sessions', '/api/v1/saved/SAVED'],
  ...below('/api/v1/search', 'comments posts', 'keys, sessions', '?query='),
  '/api/v1/thread/:post': ['keys, sessions', '/api/v1/thread/cats1'],
  ...below('/api/v1/timeline', 'comments posts', 'keys, sessions', '?query='),
  ...below('/api/v1/words', 'comments posts', 'keys, sessions', '?query=cats'),
  ...below('/assets', 'icon-*.svg page-*.js style-*.css', 'everybody'),
  '/breakdown': ['everybody', '?query=&field=subreddit'],
  '/cite': ['accounts', '?query=cats'],
  '/cite/:file': ['signed in', '/cite/CITATION'],
  '/compare': ['everybody', '?query=cats&query=dogs'],
  '/coverage': ['everybody'],
  '/datasets': ['everybody'],
  '/datasets/:name': ['everybody', '/datasets/all'],
  '/datasets/:name/:file': ['signed in', '/datasets/all/all-posts.ndjson.zst'],
  '/docs': ['everybody'],
  ...below('/docs', 'analysis citing coverage datasets errors exporting feeds limits mcp', 'everybody'),
  ...below('/docs', 'query-language reference samples threads words', 'everybody'),
  '/docs/reference/:endpoint': ['everybody', '/docs/reference/search-posts'],
  '/docs/run/:endpoint': ['signed in', '/docs/run/search-posts?query=cats'],
  '/docs/search': ['everybody', '?query=key'],
  '/download': ['signed in', '?query=cats'],
  '/feed/:name': ['everybody', '/feed/TOKEN.atom'],
  '/healthz': ['everybody'],
  '/livez': ['everybody'],
  '/mcp': ['keys', '/mcp', MESSAGE],
  '/metrics': ['this machine'],
  '/opensearch.xml': ['everybody'],
  '/pictures': ['everybody', '?query=cats'],
  '/privacy': ['everybody'],
  '/readyz': ['everybody'],
  '/record/comments/:id': ['everybody', '/record/comments/c1'],
  '/record/posts/:id': ['everybody', '/record/posts/cats1'],
  '/register': ['accounts'],
  '/robots.txt': ['everybody'],
  '/search': ['everybody', '?query=cats'],
  '/search.atom': ['everybody', '?query=cats'],
  '/search.json': ['everybody', '?query=cats'],
  '/settings': ['everybody'],
  '/sign-in': ['accounts'],
  '/sign-in/code': ['accounts'],
  '/sign-out': ['accounts'],
  '/status': ['everybody'],
  '/suggest': ['everybody', '?item=/r/a'],
  '/theme': ['everybody'],
  '/thread/:post': ['everybody', '/thread/cats1'],
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

/** They have no session that holds. */
const OUTSIDE: readonly Role[] = ROLES.filter((role) => role !== 'owner' && role !== 'other');

const folder = ofTests(newFolder());
const furnished = await furnish(folder.path);

for (const isReadOnly of [false, true]) {
  describe(`a server that ${isReadOnly ? 'only reads' : 'may write'}`, async () => {
    const world = ofTests(await openWorld(folder.path, furnished, isReadOnly));
    const byPath = Map.groupBy(await routesOf(world), ({ path }: KnownRoute) => path);
    const methods = new Map([...byPath].map(([path, routes]) => [path, routes.map(({ method }) => method)]));

    /** The path in the router, without digests in names of files. */
    const rowOf = (path: string) => path.replace(/-[0-9a-f]{12}(?=\.\w+$)/, '-*');
    const pathOf = (row: string) => [...methods.keys()].find((path) => rowOf(path) === row)!;

    function addressOf(row: string): string {
      const [, address = ''] = TABLE[row]!;
      const whole = address.startsWith('/') ? address : `${pathOf(row)}${address}`;
      return whole
        .replace('KEY', String(furnished.keyId))
        .replace('SESSION', String(furnished.sessionId))
        .replace('CITATION', furnished.citationId)
        .replace('SAVED', String(furnished.savedId))
        .replace('TOKEN', furnished.feedToken);
    }

    const answersOf = async (request: InjectOptions, roles: readonly Role[]) => {
      const answers = new Map<Role, LightMyRequestResponse>();
      for (const role of roles) answers.set(role, await world.ask(role, request));
      return answers;
    };

    it('every route is in the table, and every row of it is a route', () => {
      assert.deepEqual([...methods.keys()].map(rowOf).sort(), Object.keys(TABLE).sort());
    });

    for (const [row, [access, , sent = FORM]] of Object.entries(TABLE)) {
      it(`${row}: ${access}`, async () => {
        const own = methods.get(pathOf(row)) ?? [];
        const url = addressOf(row);
        for (const method of METHODS) {
          const request = method === 'POST' ? { method, url, ...sent } : { method, url };
          const isThere = own.includes(method);
          // The router is the same, and no method that is not there asks who somebody is.
          if (!isThere && isReadOnly) continue;
          const roles = isThere && method !== 'OPTIONS' ? ROLES : (['visitor', 'owner'] as const);
          const answers = await answersOf(request, roles);
          if (!isThere) expectRefusedMethod(answers, own);
          else if (method === 'OPTIONS') expectPreflight(answers);
          else expectAccess(access, method, answers);
          expectNothingPrivate(answers);
        }
      });
    }

    it('what is private is told to its owner', async () => {
      let bodies = '';
      for (const url of ['/account', '/account/keys', '/account/sessions'])
        bodies += (await world.ask('owner', { url })).body;
      for (const text of PRIVATE) assert.ok(bodies.includes(text.replace('Toaster/1.0', 'Toaster')), text);
    });

    it('a program on this machine reads the metrics, whatever it sends', async () => {
      for (const role of ROLES) {
        const answer = await world.ask(role, { url: '/metrics', remoteAddress: '127.0.0.1' });
        assert.equal(answer.statusCode, 200, role);
      }
    });

    it('a key of one account in the browser of another makes no difference', async () => {
      const { authorization } = furnished.headers.key;
      for (const url of ['/account', '/account/keys', '/account/export']) {
        const answer = await world.ask('other', { url, headers: { authorization: authorization! } });
        assert.equal(answer.statusCode, 200, url);
        assert.ok(!PRIVATE.some((text) => answer.body.includes(text)), url);
      }
    });

    it('a key in an address, a cookie or another header opens no endpoint', async () => {
      const key = furnished.headers.key.authorization!.slice('Bearer '.length);
      for (const request of [
        { url: `/api/v1/search/posts?query=&key=${key}` },
        { url: `/api/v1/search/posts?query=&access_token=${key}` },
        { url: '/api/v1/search/posts?query=', headers: { cookie: `authorization=Bearer ${key}` } },
        { url: '/api/v1/search/posts?query=', headers: { 'x-api-key': key } },
      ])
        assert.equal((await world.ask('visitor', request)).statusCode, 401, request.url);
    });

    it('a session opens an endpoint from our own pages alone, and no other site reads what it gives', async () => {
      const url = '/api/v1/search/posts?query=';
      const statuses = async (role: Role, headers: Record<string, string>) =>
        (await world.ask(role, { url, headers })).statusCode;
      const sites = ['same-origin', 'none', 'same-site', 'cross-site'];
      const told = await Promise.all(sites.map((site) => statuses('owner', { 'sec-fetch-site': site })));
      assert.deepEqual(told, [200, 200, 401, 401]);
      assert.equal(await statuses('owner', { origin: 'https://elsewhere.example' }), 401);
      assert.equal(await statuses('key', { 'sec-fetch-site': 'cross-site' }), 200);
      const { headers } = await world.ask('owner', { url });
      assert.equal(headers['access-control-allow-origin'], undefined);
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
      assert.equal(headers.vary, 'Cookie, Accept-Encoding');
      const { headers: byKey } = await world.ask('key', { url });
      assert.equal(byKey['access-control-allow-origin'], '*');
      assert.equal(byKey.vary, 'Authorization, Accept-Encoding');
    });

    it('visitors get tables of what pages show them, and nothing else', async () => {
      for (const [path, status] of [
        ['timeline/posts?query=cats&format=csv-excel', 200],
        ['timeline/posts?query=cats&query=dogs&format=csv-excel', 401],
        ['timeline/posts?query=cats&format=csv', 401],
        ['timeline/posts?query=cats', 401],
        ['breakdown/comments?query=cats&field=weekday_hour&format=csv-excel', 200],
        ['breakdown/comments?query=cats&field=copies&format=csv-excel', 401],
        ['words/posts?query=cats&format=csv-excel', 200],
        ['words/posts?query=cats&against=dogs&format=csv-excel', 401],
        ['compare/posts?query=cats&query=dogs&format=csv-excel', 200],
        ['sample/posts?query=cats&format=csv-excel', 401],
        ['coverage?format=csv-excel', 401],
      ] as const) {
        const { statusCode, headers } = await world.ask('visitor', { url: `/api/v1/${path}` });
        assert.equal(statusCode, status, path);
        if (status === 200)
          assert.match(String(headers['content-disposition']), /^attachment; filename="[a-z-]+\.csv"$/);
      }
      const fromElsewhere = { 'sec-fetch-site': 'cross-site' };
      const url = '/api/v1/timeline/posts?query=cats&format=csv-excel';
      assert.equal((await world.ask('visitor', { url, headers: fromElsewhere })).statusCode, 401);
    });
  });
}

type Answers = ReadonlyMap<Role, LightMyRequestResponse>;

/** Before anybody is asked who it is. */
function expectRefusedMethod(answers: Answers, own: readonly string[]): void {
  for (const [role, { statusCode, headers }] of answers) {
    assert.deepEqual([statusCode, headers.allow], [405, [...own].sort().join(', ')], role);
  }
}

function expectPreflight(answers: Answers): void {
  for (const [role, { statusCode, body }] of answers) assert.deepEqual([statusCode, body], [204, ''], role);
}

function expectAccess(access: Access, method: string, answers: Answers): void {
  for (const [role, answer] of answers) {
    const { statusCode, headers } = answer;
    const message = `${method} by ${role}: ${answer.body.slice(0, 300)}`;
    switch (access) {
      case 'everybody':
        assert.equal(statusCode, method === 'POST' ? 303 : 200, message);
        if (OUTSIDE.includes(role)) expectSameAsVisitor(answers, role);
        break;
      case 'keys, sessions':
      case 'keys':
        if (access === 'keys, sessions' && !OUTSIDE.includes(role)) {
          // What is another's is not there.
          assert.ok(statusCode === 200 || (role === 'other' && statusCode === 404), message);
          break;
        }
        assert.equal(statusCode, role === 'key' ? 200 : 401, message);
        if (role === 'key') break;
        assert.match(String(headers['www-authenticate']), /key$/.test(role) ? /invalid_token/ : /^Bearer$/);
        break;
      case 'signed in':
        if (OUTSIDE.includes(role)) assert.match(String(headers.location), /^\/sign-in\?return=/, message);
        // Some lead to the endpoint, which knows the session.
        else assert.ok(statusCode === 200 || String(headers.location).startsWith('/api/v1/'), message);
        break;
      case 'accounts':
        // Without the token of its form a POST changes nothing, whoever sends it.
        if (method === 'POST' && !OUTSIDE.includes(role)) assert.equal(statusCode, 403, message);
        if (OUTSIDE.includes(role)) expectSameAsVisitor(answers, role);
        break;
      case 'this machine':
        assert.equal(statusCode, 403, message);
        break;
    }
    if (method === 'HEAD') assert.equal(answer.body, '', message);
  }
}

function expectSameAsVisitor(answers: Answers, role: Role): void {
  assert.deepEqual(comparable(answers.get(role)!), comparable(answers.get('visitor')!), role);
}

/** Without tokens of forms, numbers of requests and times, which are others each time; a token may hold `7s-`. */
function comparable({ statusCode, headers, body }: LightMyRequestResponse): unknown {
  const text = body
    .replaceAll(/value="[\w-]{43}"/g, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
    .replaceAll(/[\d.,]+(?=\s*(?:ms|s)\b)/g, '');
  return [statusCode, headers.location, headers.allow, text];
}

function expectNothingPrivate(answers: Answers): void {
  for (const [role, { body }] of answers) {
    if (role === 'owner') continue;
    const told = PRIVATE.filter((text) => body.includes(text));
    assert.deepEqual(told, [], role);
  }
}
