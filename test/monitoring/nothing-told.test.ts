// Nothing that callers write comes into what a server says: requests of every sort, in which each text that a caller
// can choose is marked, and then all of its output is read.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { it } from 'node:test';
import { formsOf } from '../account-pages/site.ts';
import { temporaryFolder } from '../helpers.ts';
import { colloquy, type Served, serve } from '../processes.ts';

/** More of them for a long run. */
const ROUNDS = Number(process.env.COLLOQUY_TEST_ROUNDS ?? 1);
/** In every text that a caller chooses. */
const MARK = 'qzmark';
/** Of callers, as the proxy that is trusted says. */
const ADDRESS = '198.51.100.77';

/** Paths of the API and of pages, with a star in each place that takes words. */
const OF_API = `
  search/comments?query=*&under=* search/posts?query=*&after=* search/posts?query=*&*=1
  search/posts?query=*%ff words/posts?query=*&against=* sample/posts?query=cat&limit=3&seed=*
  records/posts?ids=* thread/* export/posts?query=cat+-* export/posts?query=cat&format=* datasets/*
  datasets/*/*.csv *
`;
const OF_PAGES = `
  search?query=*+before:* search?query=* breakdown?query=*&field=domain
  compare?query=*&query=before:* suggest?query=* record/posts/*?query=* thread/* datasets/*
  account/link/* feed/*.atom feed/*/* sign-in?return=/* download?query=* docs/* */%ff metrics?* livez?*
`;
const SEARCHES = 'search/posts search/comments timeline/posts counts/posts explain/posts breakdown/comments';

const wordsOf = (text: string) => text.trim().split(/\s+/);
const PATHS = [
  ...wordsOf(SEARCHES).flatMap((name) => [
    `api/v1/${name}?query=*+"*+cat"+-*+/r/*+site:*.example+after:2024-01-01`,
    `api/v1/${name}?query=before:*`,
  ]),
  ...wordsOf(OF_API).map((path) => `api/v1/${path}`),
  ...wordsOf(OF_PAGES),
].map((path) => path.replaceAll('*', MARK));

it('nothing that callers wrote is in what a server says, and addresses are in the security log alone', async () => {
  using folder = temporaryFolder();
  const securityLog = join(folder.path, 'security.log');
  const data = join(folder.path, 'data');
  const settings = {
    ...{ COLLOQUY_SECURITY_LOG: securityLog, COLLOQUY_TRUSTED_PROXIES: '127.0.0.1', COLLOQUY_THREADS: '1' },
  };
  await using server = await serve(['--data', data], settings);
  const words = ['keys', 'create', '--account', `${MARK}@example.org`, '--name', MARK, '--data', data];
  const made = await colloquy(words, '', settings);
  const secrets = [made.stdout.trim()];
  for (let round = 0; round < ROUNDS; round++) {
    for (const key of [secrets[0]!, `clq_${MARK}`, null]) await askAll(server, key);
    secrets.push(...(await liveAsPerson(server, `${MARK}${round}@example.net`)));
    await sendBroken(server);
  }
  const metrics = await (await fetch(`${server.address}/metrics`)).text();
  assert.equal(await server.kill('SIGTERM'), 0);
  const security = readFileSync(securityLog, 'utf8');
  const { stdout, stderr } = server.output;

  // There is something to look at.
  const count = (text: string, part: string) => text.split(part).length - 1;
  assert.ok(count(stderr, '"msg":"request"') > ROUNDS * 3 * PATHS.length);
  assert.ok(count(security, ADDRESS) > ROUNDS * 3);
  for (const event of ['signed_in', 'sign_in_refused', 'key_refused', 'key_made', 'account_removed'])
    assert.ok(security.includes(`"security":"${event}"`), event);
  assert.match(metrics, /^colloquy_requests_total/m);
  assert.ok(secrets.length > 2 * ROUNDS && secrets.every((secret) => secret.length >= 20));

  for (const [name, text] of Object.entries({ stdout, stderr, security, metrics })) {
    for (const word of [MARK, ...secrets]) {
      const at = text.toLowerCase().indexOf(word.toLowerCase());
      assert.equal(at, -1, `${name}: …${text.slice(Math.max(0, at - 200), at + 100)}…`);
    }
    if (name !== 'security') assert.ok(!text.includes(ADDRESS), `${name} has an address`);
  }
});

const HEADERS = {
  'x-forwarded-for': ADDRESS,
  'user-agent': `${MARK} browser`,
  referer: `https://${MARK}.example/${MARK}`,
  'if-none-match': `"${MARK}"`,
};

async function askAll({ address: base }: Served, key: string | null): Promise<void> {
  const headers = {
    ...HEADERS,
    cookie: `colloquy_session=${MARK}; theme=${MARK}`,
    ...(key !== null && { authorization: `Bearer ${key}` }),
  };
  for (const path of PATHS) {
    const method = path.length % 7 === 0 ? 'HEAD' : 'GET';
    await (await fetch(`${base}/${path}`, { method, headers, redirect: 'manual' })).arrayBuffer();
  }
  for (const method of ['POST', 'OPTIONS', 'DELETE']) {
    const asked = fetch(`${base}/api/v1/search/posts?query=${MARK}`, {
      ...{ method, headers: { ...headers, origin: `https://${MARK}.example` } },
      ...(method === 'POST' && { body: MARK }),
    });
    await (await asked).arrayBuffer();
  }
}

/** Registers, makes a key, signs in wrongly, leaves. Returns all secrets that were met. */
async function liveAsPerson({ address: base }: Served, email: string): Promise<string[]> {
  const cookies = new Map<string, string>();
  const secrets: string[] = [];
  const ask = async (path: string, fields?: Readonly<Record<string, string>>): Promise<string> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(`${base}${path}`, {
      method: fields === undefined ? 'GET' : 'POST',
      headers: { ...HEADERS, cookie, origin: base },
      redirect: 'manual',
      ...(fields !== undefined && { body: new URLSearchParams(fields) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      cookies.set(name!, value!);
      if (value!.length >= 20) secrets.push(value!);
    }
    const body = await response.text();
    secrets.push(...[...body.matchAll(/clq_[\w-]{20,}/g)].map(([key]) => key));
    return body;
  };
  const submit = async (path: string, fields: Readonly<Record<string, string>>) => {
    const form = formsOf(await ask(path)).find(({ action }) => action === path);
    if (form?.fields.token !== undefined) secrets.push(form.fields.token);
    return ask(path, { ...form?.fields, ...fields });
  };
  const password = `${MARK} password`;
  await submit('/sign-in', { email, password: `${MARK} wrong`, return: `/${MARK}` });
  await submit('/register', { email, password });
  await submit('/account/keys', { name: `${MARK} key`, expires: 'never' });
  await submit('/account', { current: `${MARK} wrong`, next: `${MARK} next` });
  await submit('/account/delete', { password });
  await ask('/sign-in', { email, password, token: MARK });
  return secrets;
}

/** Requests that the parser refuses. */
async function sendBroken({ address: base }: Served): Promise<void> {
  const { port } = new URL(base);
  const broken = [
    `GET /${MARK} HTTP/9.9\r\n\r\n`,
    `${MARK} / HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${MARK} ${MARK}\r\n\r\n`,
    `GET /${MARK}é HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${MARK.repeat(20_000)}\r\n\r\n`,
  ];
  for (const bytes of broken) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume().end(bytes);
    await once(socket, 'close');
  }
}
