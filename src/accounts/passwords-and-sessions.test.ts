// Passwords and sessions of accounts; how a password is hashed is in password.test.ts.

import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'node:test';
import { ANN, keyWish, PASSWORD, START, test } from '../../test/account-fixtures.ts';
import { hashPassword } from './password.ts';
import { SESSION_AGE, SESSION_IDLE } from './session-store.ts';

const DAY = 86_400;

describe('passwords and sessions', () => {
  test('registering never touches an account that exists', async ({ accounts }) => {
    const id = await accounts.register(ANN, PASSWORD);
    assert.equal(await accounts.register('ANN@example.org', 'another password'), null);
    assert.equal(await accounts.verify(ANN, PASSWORD), id);
    accounts.createKey(keyWish({ email: 'ben@example.org' }));
    assert.equal(await accounts.register('ben@example.org', PASSWORD), null);
    assert.equal(await accounts.verify('ben@example.org', PASSWORD), null);
  });

  test('a wrong address and a wrong password are refused alike', async ({ accounts }) => {
    const id = await accounts.register(ANN, PASSWORD);
    assert.equal(await accounts.verify(' ANN@example.org ', PASSWORD), id);
    assert.equal(await accounts.verify(ANN, `${PASSWORD} `), null);
    assert.equal(await accounts.verify('ben@example.org', PASSWORD), null);
    assert.equal(await accounts.verify('no address', PASSWORD), null);
  });

  test('a password of an account is 8 to 200 characters', async ({ accounts }) => {
    await assert.rejects(accounts.register(ANN, 'short'), { name: 'UsageError', message: /8 to 200/ });
    const id = (await accounts.register(ANN, PASSWORD))!;
    const change = { current: PASSWORD, next: 'short', keptSession: null };
    await assert.rejects(accounts.changePassword(id, change), { name: 'UsageError', message: /8 to 200/ });
  });

  test("a hash of another cost is made anew at today's when its password is seen", async (place) => {
    const { accounts, folder } = place;
    const id = await accounts.register(ANN, 'something else');
    const database = new DatabaseSync(join(folder, 'accounts.db'));
    const stored = () => String(database.prepare('SELECT password FROM accounts').get()?.password);
    // The password is `password`; from the test suite of the reference implementation, see password.test.ts.
    const cheap = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    database.prepare('UPDATE accounts SET password = ?').run(cheap);
    assert.equal(await accounts.verify(ANN, 'wrong password'), null);
    assert.equal(stored(), cheap);
    assert.equal(await accounts.verify(ANN, 'password'), id);
    assert.match(stored(), /^\$argon2id\$v=19\$m=19456,/);
    assert.equal(await accounts.verify(ANN, 'password'), id);
    database.close();
  });

  test('another password ends the other sessions; a wrong one changes nothing', async ({ accounts }) => {
    const id = (await accounts.register(ANN, PASSWORD))!;
    const here = accounts.startSession(id, 'here');
    const there = accounts.startSession(id, 'there');
    const keptSession = accounts.checkSession(here)!.sessionId;
    const change = (current: string) =>
      accounts.changePassword(id, { current, next: 'another password', keptSession });
    assert.equal(await change('wrong password'), false);
    assert.notEqual(accounts.checkSession(there), null);
    assert.equal(await change(PASSWORD), true);
    assert.notEqual(accounts.checkSession(here), null);
    assert.equal(accounts.checkSession(there), null);
    assert.notEqual(await accounts.verify(ANN, 'another password'), null);
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
    const id = (await accounts.register(ANN, PASSWORD))!;
    const reset = await hashPassword('reset horse');
    const change = accounts.changePassword(id, { current: PASSWORD, next: 'other horse', keptSession: null });
    resetTo(folder, reset);
    assert.equal(await change, false);
    assert.equal(await accounts.verify(ANN, 'other horse'), null);
    assert.equal(await accounts.verify(ANN, 'reset horse'), id);
  });

  test('a sign-in that makes an outdated hash anew does not put an old password back', async (place) => {
    const { accounts, folder } = place;
    const id = (await accounts.register(ANN, PASSWORD))!;
    const reset = await hashPassword('reset horse');
    for (const stored of [outdatedHash(PASSWORD), await hashPassword(PASSWORD)]) {
      resetTo(folder, stored);
      const signIn = accounts.verify(ANN, PASSWORD);
      resetTo(folder, reset);
      assert.equal(await signIn, null);
      assert.equal(await accounts.verify(ANN, 'reset horse'), id);
    }
  });

  test('of two sign-ins that find an outdated hash both are let in', async ({ accounts, folder }) => {
    const id = (await accounts.register(ANN, PASSWORD))!;
    resetTo(folder, outdatedHash(PASSWORD));
    const both = await Promise.all([accounts.verify(ANN, PASSWORD), accounts.verify(ANN, PASSWORD)]);
    assert.deepEqual(both, [id, id]);
    assert.equal(await accounts.verify(ANN, PASSWORD), id);
  });

  test('a session ends when it is idle, at its age, and when it is ended by its owner', async (place) => {
    const { accounts, clock } = place;
    const id = (await accounts.register(ANN, PASSWORD))!;
    const otherId = (await accounts.register('ben@example.org', PASSWORD))!;
    const idle = accounts.startSession(id, 'idle');
    const used = accounts.startSession(id, 'used');
    assert.deepEqual(accounts.checkSession(idle), { sessionId: 1, accountId: id, email: ANN });
    while (clock.time + SESSION_IDLE - DAY < START + SESSION_AGE) {
      clock.time += SESSION_IDLE - DAY;
      assert.notEqual(accounts.checkSession(used), null);
    }
    assert.equal(accounts.checkSession(idle), null);
    const [left, ...others] = accounts.listSessions(id);
    assert.deepEqual([left?.agent, others], ['used', []]);
    clock.time = START + SESSION_AGE;
    assert.equal(accounts.checkSession(used), null);
    const last = accounts.startSession(id, 'x'.repeat(5000));
    const { sessionId } = accounts.checkSession(last)!;
    assert.equal(accounts.endSession(sessionId, otherId), false);
    assert.equal(accounts.endSession(sessionId, id), true);
    assert.equal(accounts.checkSession(last), null);
    assert.equal(accounts.checkSession('noise'), null);
  });

  test('a session begun by a clock a year fast ends when the clock is put right, not a year later', async (place) => {
    const { accounts, clock } = place;
    const id = (await accounts.register(ANN, PASSWORD))!;
    clock.time = START + 365 * DAY;
    const wrong = accounts.startSession(id, 'a year fast');
    assert.notEqual(accounts.checkSession(wrong), null);
    clock.time = START;
    assert.equal(accounts.checkSession(wrong), null);
    assert.deepEqual(accounts.listSessions(id), []);
  });

  test('a session goes on when the clock is put back by an hour', async ({ accounts, clock }) => {
    const id = (await accounts.register(ANN, PASSWORD))!;
    const session = accounts.startSession(id, 'browser');
    clock.time -= 3_600;
    assert.notEqual(accounts.checkSession(session), null);
  });

  test('an export holds everything but secrets', async ({ accounts }) => {
    const id = (await accounts.register(ANN, PASSWORD))!;
    const { key } = accounts.createKeyFor(id, { name: 'notebook', expiresInDays: null });
    accounts.startSession(id, 'Firefox');
    accounts.saved.add(id, { name: 'cats', kind: 'post', query: 'cats', order: 'newest' });
    const { keys, sessions, saved, ...account } = accounts.exportAccount(id)!;
    assert.deepEqual(account, { email: ANN, created: START, hasPassword: true, secondFactor: null });
    assert.equal(saved[0]?.query, 'cats');
    assert.equal(keys[0]?.name, 'notebook');
    assert.equal(sessions[0]?.agent, 'Firefox');
    assert.ok(!JSON.stringify(keys).includes(key));
    assert.equal(accounts.exportAccount(id + 1), null);
  });
});
