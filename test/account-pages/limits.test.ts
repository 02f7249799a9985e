// Guessing passwords, flooding, and finding out who has an account: what is refused, for how long, and in which words.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { ofTests } from '../of-tests.ts';
import { addQuickAccount, mainOf, makeQuick, openSite, PASSWORD, secondFactorOf } from './site.ts';

const WRONG = 'not the password';
const MINUTE = 60;

const site = ofTests(await openSite({ trustedProxies: ['10.0.0.0/8'] }));
let places = 0;

/** An account, and an address that no other test asks from. */
function newPlace() {
  const email = `ann${++places}@example.net`;
  addQuickAccount(site, email);
  return { email, address: `198.51.100.${places}` };
}

interface Try {
  /** Seconds since the try before. */
  readonly wait?: number;
  readonly password?: string;
  readonly status: number;
  /** Retry-After. */
  readonly retry?: number;
}

const fail: Try = { status: 400 };
/** So many that fail. */
const failing = (count: number): Try[] => Array(count).fill(fail);
const right = { password: PASSWORD, status: 303 };

describe('wrong passwords', () => {
  const cases: readonly (readonly [rule: string, tries: readonly Try[]])[] = [
    [
      'the fifth begins a wait of a minute, for the right one too',
      [
        ...failing(5),
        { ...right, status: 429, retry: 60 },
        { ...right, wait: 59, status: 429, retry: 1 },
        { ...right, wait: 1 },
      ],
    ],
    [
      'the wait doubles with each further one, up to 15 minutes',
      [
        ...failing(5),
        ...[1, 2, 4, 8, 15].flatMap((minutes) => [
          { status: 429, retry: minutes * MINUTE },
          { status: 400, wait: minutes * MINUTE },
        ]),
        { status: 429, retry: 15 * MINUTE },
      ],
    ],
    [
      'tries that are refused make it no longer',
      [
        ...failing(5),
        { status: 429, retry: 60 },
        { status: 429, wait: 30, retry: 30 },
        { ...right, wait: 30 },
      ],
    ],
    ['the right one forgets those before it', [...failing(4), right, ...failing(4), right]],
  ];
  for (const [rule, tries] of cases) {
    it(rule, async () => {
      const { email, address } = newPlace();
      for (const [at, { wait = 0, password = WRONG, status, retry }] of tries.entries()) {
        site.clock.seconds += wait;
        const answer = await from(address).signIn(email, password);
        const found = [answer.statusCode, answer.headers['retry-after']];
        assert.deepEqual(found, [status, retry?.toString()], `try ${at + 1}: ${mainOf(answer.body)}`);
      }
    });
  }

  it('many at once count as many, and the owner elsewhere is not locked out', async () => {
    const { address } = newPlace();
    const email = 'owner@example.net';
    await credentialsOf(site.accounts).register(email, PASSWORD);
    const answers = await Promise.all(Array.from({ length: 20 }, () => from(address).signIn(email, WRONG)));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    assert.deepEqual(statuses, [...new Array(5).fill(400), ...new Array(15).fill(429)]);
    assert.equal((await site.browser().signIn(email)).statusCode, 303);
  });

  it('another spelling of the address is the same account', async () => {
    const { email, address } = newPlace();
    for (const name of ['ann', 'ANN', ' ann', 'Ann', 'aNN'])
      await from(address).signIn(`${email.replace('ann', name)} `, WRONG);
    assert.equal((await from(address).signIn(email)).statusCode, 429);
  });

  it('an address written into a header changes nothing, unless a trusted proxy wrote it', async () => {
    const { email, address } = newPlace();
    const fails = async (sender: string, forwarded: string) => {
      const browser = site.browser({ address: sender, headers: { 'x-forwarded-for': forwarded } });
      return (await browser.signIn(email, WRONG)).statusCode;
    };
    for (let i = 0; i < 5; i++) assert.equal(await fails(address, `203.0.113.${i}`), 400);
    assert.equal(await fails(address, '203.0.113.9'), 429);
    assert.equal(await fails('10.1.1.1', `203.0.113.9, ${address}`), 429);
    assert.equal(await fails('10.1.1.1', `${address}, 203.0.113.9`), 400);
  });

  const guarded = [
    ['/account', 'current', { next: 'another password' }],
    ['/account/delete', 'password', {}],
  ] as const;
  for (const [page, field, others] of guarded) {
    it(`${page} cannot be used to guess`, async () => {
      const { email, address } = newPlace();
      const browser = from(address);
      await browser.signIn(email);
      makeQuick(site, email);
      for (let i = 0; i < 5; i++) {
        assert.equal((await browser.submit(page, page, { ...others, [field]: WRONG })).statusCode, 400);
      }
      const answer = await browser.submit(page, page, { ...others, [field]: PASSWORD });
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [429, '60']);
    });
  }
});

it('signing in does not tell who has an account: the same words for a wrong address, a wrong password, and an account without one, with a second factor or not', async () => {
  const { email: withOne } = newPlace();
  const { email: withFactor } = newPlace();
  secondFactorOf(site, site.accounts.idOf(withFactor)!);
  credentialsOf(site.accounts).createAccount('bob@example.net');
  const pages: string[] = [];
  for (let i = 0; i < 6; i++) {
    const shown = new Set<string>();
    const emails = [withOne, withFactor, 'bob@example.net', 'eve@example.net', 'no address'];
    for (const [at, email] of emails.entries()) {
      const { body, statusCode, headers } = await from(`203.0.113.${100 + at}`).signIn(email, WRONG);
      const main = mainOf(body).replaceAll(email, '');
      const words = main.replace(/name="token" value="[^"]*"/, '');
      shown.add([statusCode, headers['retry-after'], words].join('\n'));
    }
    assert.equal(shown.size, 1);
    pages.push(...shown);
  }
  assert.match(pages[0]!, /Email address or password is not correct/);
  assert.match(pages[4]!, /Wait 60 seconds, then try again/);
  assert.match(pages[5]!, /^429\n60\n/);
});

describe('new accounts and keys', () => {
  it('10 registrations an hour of one network; forms with faults do not count', async () => {
    const { address } = newPlace();
    const register = (email: string, password = PASSWORD) => from(address).register(email, password);
    for (let i = 0; i < 15; i++) assert.equal((await register('x', 'y')).statusCode, 400);
    for (let i = 0; i < 10; i++) {
      site.clock.seconds += 10;
      assert.equal((await register(`new${i}@example.net`)).statusCode, 303);
    }
    const refused = await register('b@example.net');
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, String(3600 - 90)]);
    assert.match(refused.body, /Wait 59 minutes, then try again/);
    assert.equal((await site.browser().register('b@example.net')).statusCode, 303);
    site.clock.seconds += 3600 - 90;
    assert.equal((await register('c@example.net')).statusCode, 303);
    assert.equal((await register('d@example.net')).statusCode, 429);
  });

  it('60 new keys an hour and account, and 100 that hold', async () => {
    const browser = site.browser();
    await browser.register('keys@example.net');
    const create = () => browser.submit('/account/keys', '/account/keys', { name: 'one of many' });
    for (let i = 0; i < 60; i++) assert.equal((await create()).statusCode, 200);
    const refused = await create();
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '3600']);
    site.clock.seconds += 3600;
    for (let i = 0; i < 40; i++) assert.equal((await create()).statusCode, 200);
    const full = await create();
    assert.equal(full.statusCode, 400);
    assert.match(full.body, /You have as many keys as an account can have/);
  });
});

function from(address: string) {
  return site.browser({ address });
}
