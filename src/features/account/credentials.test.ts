// Passwords and sessions of accounts; how a password is hashed is in password.test.ts.

import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'node:test';
import { ANN, keyWish, PASSWORD, START, test } from '../../../test/account-fixtures.ts';
import { SESSION_AGE, SESSION_IDLE } from '../../accounts/secrets.ts';
import { credentialsOf, LINK_LIFETIME } from './credentials.ts';
import { hashPassword } from './password.ts';

const DAY = 86_400;

describe('passwords and sessions', () => {
  test('a password of an account is 8 to 200 characters', async ({ accounts }) => {
    await assert.rejects(credentialsOf(accounts).register(ANN, 'short'), {
      name: 'UsageError',
      message: /8 to 200/,
    });
    const id = (await credentialsOf(accounts).register(ANN, PASSWORD))!;
    const change = { current: PASSWORD, next: 'short' };
    await assert.rejects(credentialsOf(accounts).changePassword(id, change), {
      name: 'UsageError',
      message: /8 to 200/,
    });
  });

  test("a hash of another cost is made anew at today's when its password is seen", async (place) => {
    const { accounts, folder } = place;
    const id = await credentialsOf(accounts).register(ANN, 'something else');
    const database = new DatabaseSync(join(folder, 'accounts.db'));
    const stored = () => String(database.prepare('SELECT password FROM accounts').get()?.password);
    // The password is `password`; from the test suite of the reference implementation, see password.test.ts.
    const cheap = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    database.prepare('UPDATE accounts SET password = ?').run(cheap);
    assert.equal(await credentialsOf(accounts).verify(ANN, 'wrong password'), null);
    assert.equal(stored(), cheap);
    assert.equal(await credentialsOf(accounts).verify(ANN, 'password'), id);
    assert.match(stored(), /^\$argon2id\$v=19\$m=19456,/);
    assert.equal(await credentialsOf(accounts).verify(ANN, 'password'), id);
    database.close();
  });

  /** Sets a password as a link does, at once: between two steps of what is under way. */
  function resetTo(folder: string, hashed: string): void {
    const database = new DatabaseSync(join(folder, 'accounts.db'));
    database.prepare('UPDATE accounts SET password = ? WHERE email = ?').run(hashed, ANN);
    database.close();
  }

  /** As an older version with less effort would have stored it. */
  function outdatedHash(password: string): string {
    const [nonce, cost] = [Buffer.alloc(16, 7), { memory: 64, passes: 1, parallelism: 1 }];
    const tag = argon2Sync('argon2id', { message: password, nonce, ...cost, tagLength: 32 });
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    return `$argon2id$v=19$m=64,t=1,p=1$${text(nonce)}$${text(tag)}`;
  }

  test('a password that was reset is not overwritten by a change begun with the old one', async (place) => {
    const { accounts, folder } = place;
    const id = (await credentialsOf(accounts).register(ANN, PASSWORD))!;
    const reset = await hashPassword('reset horse');
    const change = credentialsOf(accounts).changePassword(id, { current: PASSWORD, next: 'other horse' });
    resetTo(folder, reset);
    assert.equal(await change, false);
    assert.equal(await credentialsOf(accounts).verify(ANN, 'other horse'), null);
    assert.equal(await credentialsOf(accounts).verify(ANN, 'reset horse'), id);
  });

  test('a sign-in that makes an outdated hash anew does not put an old password back', async (place) => {
    const { accounts, folder } = place;
    const id = (await credentialsOf(accounts).register(ANN, PASSWORD))!;
    const reset = await hashPassword('reset horse');
    for (const stored of [outdatedHash(PASSWORD), await hashPassword(PASSWORD)]) {
      resetTo(folder, stored);
      const signIn = credentialsOf(accounts).verify(ANN, PASSWORD);
      resetTo(folder, reset);
      assert.equal(await signIn, null);
      assert.equal(await credentialsOf(accounts).verify(ANN, 'reset horse'), id);
    }
  });

  test('of two sign-ins that find an outdated hash both are let in', async ({ accounts, folder }) => {
    const id = (await credentialsOf(accounts).register(ANN, PASSWORD))!;
    resetTo(folder, outdatedHash(PASSWORD));
    const both = await Promise.all([1, 2].map(() => credentialsOf(accounts).verify(ANN, PASSWORD)));
    assert.deepEqual(both, [id, id]);
    assert.equal(await credentialsOf(accounts).verify(ANN, PASSWORD), id);
  });

  test('a session ends when it is idle, at its age, and when it is ended by its owner', async (place) => {
    const { accounts, clock } = place;
    const id = (await credentialsOf(accounts).register(ANN, PASSWORD))!;
    const otherId = (await credentialsOf(accounts).register('ben@example.org', PASSWORD))!;
    const idle = accounts.sessions.start(id, 'idle');
    const used = accounts.sessions.start(id, 'used');
    assert.deepEqual(accounts.sessions.check(idle), { sessionId: 1, accountId: id, email: ANN });
    while (clock.seconds + SESSION_IDLE - DAY < START + SESSION_AGE) {
      clock.seconds += SESSION_IDLE - DAY;
      assert.notEqual(accounts.sessions.check(used), null);
    }
    assert.equal(accounts.sessions.check(idle), null);
    const [left, ...others] = accounts.sessions.list(id);
    assert.deepEqual([left?.agent, others], ['used', []]);
    clock.seconds = START + SESSION_AGE;
    assert.equal(accounts.sessions.check(used), null);
    const last = accounts.sessions.start(id, 'x'.repeat(5000));
    const { sessionId } = accounts.sessions.check(last)!;
    assert.equal(accounts.sessions.end(sessionId, otherId), false);
    assert.equal(accounts.sessions.end(sessionId, id), true);
    assert.equal(accounts.sessions.check(last), null);
    assert.equal(accounts.sessions.check('noise'), null);
  });

  test('a session begun by a clock a year fast ends when the clock is put right, not a year later', async (place) => {
    const { accounts, clock } = place;
    const id = (await credentialsOf(accounts).register(ANN, PASSWORD))!;
    clock.seconds = START + 365 * DAY;
    const wrong = accounts.sessions.start(id, 'a year fast');
    clock.seconds -= 3_600;
    assert.notEqual(accounts.sessions.check(wrong), null, 'put back by an hour');
    clock.seconds = START;
    assert.equal(accounts.sessions.check(wrong), null);
    assert.deepEqual(accounts.sessions.list(id), []);
  });
});

describe('one-time links', () => {
  test('of two uses at the same moment one counts', async ({ accounts }) => {
    const { token } = credentialsOf(accounts).createAccount(ANN)!;
    const passwords = ['first password', 'second password'];
    const ids = await Promise.all(
      passwords.map((text) => credentialsOf(accounts).setPasswordByLink(token, text)),
    );
    assert.equal(ids.filter((id) => id !== null).length, 1);
    const winner = passwords[ids.findIndex((id) => id !== null)]!;
    assert.notEqual(await credentialsOf(accounts).verify(ANN, winner), null);
  });

  test('a link holds for 24 hours, the last second not included', async ({ accounts, clock }) => {
    const { token, expires } = credentialsOf(accounts).createAccount(ANN)!;
    assert.equal(expires, START + LINK_LIFETIME);
    clock.seconds = expires - 1;
    assert.equal(credentialsOf(accounts).emailOfLink(token), ANN);
    clock.seconds = expires;
    assert.equal(credentialsOf(accounts).emailOfLink(token), null);
    assert.equal(await credentialsOf(accounts).setPasswordByLink(token, PASSWORD), null);
  });

  test('a link that was made by a clock a year fast is void when the clock was put right', async (place) => {
    const { accounts, clock } = place;
    clock.seconds = START + 365 * DAY;
    const { token } = credentialsOf(accounts).createAccount(ANN)!;
    clock.seconds -= 3_600;
    assert.equal(credentialsOf(accounts).emailOfLink(token), ANN);
    clock.seconds = START;
    assert.equal(credentialsOf(accounts).emailOfLink(token), null);
  });

  test('a reset ends the earlier link, leaves the password until used, and then ends every session', async (place) => {
    const { accounts } = place;
    const id = (await credentialsOf(accounts).register(ANN, PASSWORD))!;
    const session = accounts.sessions.start(id, 'browser');
    const earlier = credentialsOf(accounts).resetAccount(ANN)!;
    const { token } = credentialsOf(accounts).resetAccount(' ANN@example.org')!;
    assert.equal(credentialsOf(accounts).emailOfLink(earlier.token), null);
    assert.equal(await credentialsOf(accounts).verify(ANN, PASSWORD), id);
    assert.notEqual(accounts.sessions.check(session), null);
    assert.equal(await credentialsOf(accounts).setPasswordByLink(token, 'another password'), id);
    assert.equal(await credentialsOf(accounts).verify(ANN, PASSWORD), null);
    assert.equal(accounts.sessions.check(session), null);
  });
});

describe('what is stored', () => {
  test('an account that is removed takes its keys and sessions along and leaves no trace in any file', async (place) => {
    const { accounts, folder } = place;
    const emails = Array.from({ length: 200 }, (_, i) => `person-${i}-${'x'.repeat(i % 30)}@example.org`);
    for (const email of emails) accounts.createKey(keyWish({ email, name: `key of ${email}` }));
    const id = (await credentialsOf(accounts).register(ANN, PASSWORD))!;
    const { key } = accounts.createKeyFor(id, { name: 'notebook', expiresInDays: null });
    const session = accounts.sessions.start(id, 'browser');
    const removed = { email: ANN, keys: 1, sessions: 1 };
    assert.deepEqual(credentialsOf(accounts).removeAccount('Ann@example.org'), removed);
    assert.equal(credentialsOf(accounts).removeAccount(ANN), null);
    assert.equal(accounts.keys.check(key), null);
    assert.equal(accounts.sessions.check(session), null);
    const gone = [ANN, ...emails.filter((_, i) => i % 3 === 0)];
    for (const email of gone.slice(1)) credentialsOf(accounts).removeAccount(email);
    const bytes = filesOf(folder);
    const left = gone.filter((email) => bytes.includes(email));
    assert.deepEqual([left, bytes.includes(emails[1]!)], [[], true]);
  });
});

/** The bytes of all files in the folder, side files too, as Latin-1. */
function filesOf(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');
}
