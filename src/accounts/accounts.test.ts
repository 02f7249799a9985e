import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ANN, keyWish, START, test } from '../../test/account-fixtures.ts';
import { stopClock } from '../../test/clock.ts';
import { temporaryFolder } from '../../test/helpers.ts';
import { Accounts, MAX_LIVE_KEYS, normaliseEmail } from './accounts.ts';
import { newKey } from './secrets.ts';

describe('email address', () => {
  const long = `${'a'.repeat(242)}@example.org`;
  for (const email of ['ann@example.org', 'ann+keys@example.org', 'ann@localhost', "o'neill@a.org", long])
    it(`${email.slice(0, 30)} is taken as it is`, () => assert.equal(normaliseEmail(email), email));

  it('is put in lower case, without blanks around it, and composed', () => {
    assert.equal(normaliseEmail('  Ann@EXAMPLE.org '), 'ann@example.org');
    assert.equal(normaliseEmail('a\u0308nn@example.org'), 'änn@example.org');
  });

  for (const text of [
    ...['', 'ann', '@example.org', 'ann@', 'ann@b@example.org', 'ann b@example.org', 'Ann <ann@example.org>'],
    ...['ann@example.org,ben@example.org', 'ann@example.org\u0000', 'ann\u202E@example.org'],
    ...['ann@exam\nple.org', `a${long}`],
  ]) {
    it(`${JSON.stringify(text.slice(0, 30))} is refused with what would be right`, () => {
      const refused = { name: 'UsageError', message: /^expected an email address/ };
      assert.throws(() => normaliseEmail(text), refused);
    });
  }
});

const DAY = 86_400;

describe('keys', () => {
  test('a key opens its account; the account is made where there is none, in any case of the address', async (place) => {
    const { accounts } = place;
    const first = accounts.createKey(keyWish());
    const second = accounts.createKey(keyWish({ email: 'ANN@Example.ORG', name: 'cron' }));
    const other = accounts.createKey(keyWish({ email: 'ben@example.org' }));
    const owner = accounts.keys.check(first.key);
    assert.equal(owner?.keyId, first.id);
    assert.equal(accounts.keys.check(second.key)?.accountId, owner?.accountId);
    assert.notEqual(accounts.keys.check(other.key)?.accountId, owner?.accountId);
    const listed = accounts.keys.list().map(({ account }) => account);
    assert.deepEqual(listed, [ANN, ANN, 'ben@example.org']);
  });

  test('an account that is not there gets no key', async ({ accounts }) => {
    assert.throws(() => accounts.createKeyFor(7, { name: 'notebook', expiresInDays: null }), {
      name: 'UsageError',
      message: 'expected the id of an account, found `7`',
    });
  });

  /** When the only key was used last, and how often today. */
  const usesIn = (accounts: Accounts) =>
    accounts.keys.list().map(({ lastUsed, requestsToday }) => [lastUsed, requestsToday])[0];

  it('uses are written once a minute, and counted anew each day', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    using folder = temporaryFolder();
    const clock = stopClock();
    clock.seconds = START;
    await using accounts = Accounts.open(folder.path);
    await using other = Accounts.open(folder.path);
    const { key } = accounts.createKey(keyWish());
    accounts.keys.check(key);
    accounts.keys.check(key);
    t.mock.timers.tick(59_999);
    assert.deepEqual(usesIn(other), [null, 0]);
    t.mock.timers.tick(1);
    assert.deepEqual(usesIn(other), [START, 2]);
    accounts.keys.check(key);
    clock.seconds += DAY;
    accounts.keys.check(key);
    t.mock.timers.tick(60_000);
    assert.deepEqual(usesIn(other), [START + DAY, 1]);
  });

  test('unknown and malformed keys open nothing', async ({ accounts }) => {
    const { key } = accounts.createKey(keyWish());
    for (const presented of ['', 'clq_', `${key} `, key.toLowerCase(), newKey()]) {
      assert.equal(accounts.keys.check(presented), null);
    }
  });

  test('a revocation by another process holds at once; revoking again keeps the time', async (place) => {
    const { accounts: server, other: commandLine, clock } = place;
    const { id, key } = commandLine.createKey(keyWish());
    const { key: kept } = commandLine.createKey(keyWish());
    assert.notEqual(server.keys.check(key), null);
    assert.equal(commandLine.keys.revoke(id), true);
    assert.equal(server.keys.check(key), null);
    assert.notEqual(server.keys.check(kept), null);
    clock.seconds += 60;
    assert.equal(commandLine.keys.revoke(id), true);
    assert.equal(server.keys.list()[0]?.revoked, START);
  });

  test('only its owner revokes a key where an owner is named; an unknown id is no key', async (place) => {
    const { accounts } = place;
    const ann = accounts.createKey(keyWish());
    const ben = accounts.createKey(keyWish({ email: 'ben@example.org' }));
    const benId = accounts.keys.check(ben.key)!.accountId;
    assert.equal(accounts.keys.revoke(ann.id, benId), false);
    assert.notEqual(accounts.keys.check(ann.key), null);
    assert.equal(accounts.keys.revoke(ben.id, benId), true);
    assert.equal(accounts.keys.revoke(999), false);
    const own = accounts.keys.list(benId).map((key) => key.id);
    assert.deepEqual(own, [ben.id]);
  });

  test('uses are seen at once by the process that saw them, by others once written, and add up', async (place) => {
    const { accounts: first, other: second, clock } = place;
    const { key } = first.createKey(keyWish());
    assert.deepEqual(usesIn(first), [null, 0]);
    first.keys.check(key);
    clock.seconds += 10;
    first.keys.check(key);
    assert.deepEqual(usesIn(first), [START + 10, 2]);
    assert.deepEqual(usesIn(second), [null, 0]);
    second.keys.check(key);
    first.keys.writeUsage();
    assert.deepEqual(usesIn(second), [START + 10, 3]);
    second.keys.writeUsage();
    assert.deepEqual(usesIn(first), [START + 10, 3]);
    clock.seconds = START + DAY;
    assert.deepEqual(usesIn(first), [START + 10, 0]);
    first.keys.check(key);
    first.keys.writeUsage();
    assert.deepEqual(usesIn(second), [START + DAY, 1]);
  });

  test('closing writes the uses', async ({ accounts, other, folder }) => {
    {
      await using closed = Accounts.open(folder);
      closed.keys.check(accounts.createKey(keyWish()).key);
    }
    assert.deepEqual(usesIn(other), [START, 1]);
  });

  test(`an account has at most ${MAX_LIVE_KEYS} keys that hold; revoked and expired ones do not count`, async (place) => {
    const { accounts, clock } = place;
    const first = accounts.createKey(keyWish({ expiresInDays: 1 }));
    for (let i = 1; i < MAX_LIVE_KEYS; i++) accounts.createKey(keyWish());
    assert.throws(() => accounts.createKey(keyWish()), /at most 100 keys/);
    accounts.keys.revoke(first.id + 1);
    accounts.createKey(keyWish());
    assert.throws(() => accounts.createKey(keyWish()), /at most 100 keys/);
    clock.seconds += DAY;
    accounts.createKey(keyWish());
  });

  const refused = [
    [{ email: 'ann' }, /email address/],
    [{ name: '' }, /name of 1 to 100/],
    [{ name: '   ' }, /name of 1 to 100/],
    [{ name: 'a'.repeat(101) }, /name of 1 to 100/],
    [{ name: 'a\u001b[31m' }, /name of 1 to 100/],
    [{ expiresInDays: 0 }, /1 to 3650 days.*`0`/],
    [{ expiresInDays: 3651 }, /1 to 3650 days/],
    [{ expiresInDays: 1.5 }, /1 to 3650 days/],
    [{ expiresInDays: Number.NaN }, /1 to 3650 days/],
  ] as const;
  for (const [wish, message] of refused) {
    test(`${JSON.stringify(wish).slice(0, 40)} is refused, and no account is made`, async ({ accounts }) => {
      assert.throws(() => accounts.createKey(keyWish(wish)), { name: 'UsageError', message });
      assert.equal(accounts.idOf(keyWish(wish).email), null);
    });
  }
});

describe('accounts.db', () => {
  it('processes that open and write it at the same moment all succeed', async () => {
    using folder = temporaryFolder();
    const program = `
      import { Accounts } from ${JSON.stringify(new URL('accounts.ts', import.meta.url).href)};
      await using accounts = Accounts.open(process.argv[1]);
      for (let i = 0; i < 20; i++) {
        const { key } = accounts.createKey({ email: 'p' + i + '@example.org', name: 'x', expiresInDays: null });
        if (accounts.keys.check(key) === null) throw new Error('own key refused');
      }`;
    const codes = await Promise.all(
      [1, 2, 3].map(async () => {
        const args = ['--input-type=module', '-e', program, folder.path];
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
        const [code] = await once(child, 'exit');
        return code;
      }),
    );
    assert.deepEqual(codes, [0, 0, 0]);
    // The day of the processes.
    stopClock().ms = performance.timeOrigin;
    await using accounts = Accounts.open(folder.path);
    const ids = Array.from({ length: 21 }, (_, i) => accounts.idOf(`p${i}@example.org`));
    assert.equal(new Set(ids).size, 21);
    assert.equal(ids.indexOf(null), 20);
    assert.equal(accounts.keys.list().length, 60);
    assert.ok(accounts.keys.list().every((key) => key.requestsToday === 1));
  });

  it('a folder that is none is refused', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'noise');
    writeFileSync(file, 'noise '.repeat(1000));
    assert.throws(() => Accounts.open(file), { name: 'UsageError', message: /data folder/ });
  });
});
