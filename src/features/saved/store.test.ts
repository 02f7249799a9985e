import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { stopClock } from '../../../test/clock.ts';
import { temporaryFolder } from '../../../test/helpers.ts';
import { Accounts } from '../../accounts/accounts.ts';
import { randomDigits } from '../../accounts/secrets.ts';
import { UsageError } from '../../errors.ts';
import { copyDatabase } from '../../sqlite/database.ts';
import { MAX_SAVED, OF_ACCOUNT, savedOf } from './store.ts';

const NOW = stopClock(1_800_000_000).seconds;
const WISH = {
  name: 'solar',
  kind: 'comment',
  query: 'solar,/r/energy',
  under: 'roof',
  order: 'newest',
} as const;

/** With two accounts, 1 and 2. */
function test(rule: string, body: (place: { accounts: Accounts; folder: string }) => Promise<void>): void {
  it(rule, async () => {
    using folder = temporaryFolder();
    await using accounts = Accounts.open(folder.path);
    for (const name of ['ann', 'bob'])
      accounts.createKey({ email: `${name}@example.org`, name, expiresInDays: null });
    await body({ accounts, folder: folder.path });
  });
}

describe('saved searches', () => {
  test('belong to one account: nobody else lists, renames, opens or removes them', async ({ accounts }) => {
    const saved = savedOf(accounts);
    const made = saved.add(1, WISH, 7);
    assert.deepEqual(made, { ...WISH, id: 1, accountId: 1, created: NOW, changed: NOW, seen: 7, feed: null });
    assert.deepEqual(saved.list(1), [made]);
    assert.deepEqual([saved.list(2), saved.of(2, 1)], [[], null]);
    const changed = [saved.rename(2, 1, 'x'), saved.noteSeen(2, 1, 9), saved.setOlder(2, 1, 'all')];
    assert.deepEqual([...changed, saved.revokeFeed(2, 1), saved.remove(2, 1)], Array(5).fill(false));
    assert.equal(saved.makeFeed(2, 1), null);
    assert.deepEqual(saved.list(1), [made]);
    assert.equal(saved.remove(1, 1), true);
    assert.equal(saved.add(1, WISH).id, 2);
  });

  test('are seen up to an arrival, never back', async ({ accounts }) => {
    const saved = savedOf(accounts);
    const { id } = saved.add(1, WISH);
    assert.equal(saved.of(1, id)!.seen, null);
    const seen = [5, 3, 8].map((arrival) => {
      saved.noteSeen(1, id, arrival);
      return saved.of(1, id)!.seen;
    });
    assert.deepEqual(seen, [5, 5, 8]);
  });

  test(`are ${MAX_SAVED} an account at the most, with names that can be read`, async ({ accounts }) => {
    for (let i = 0; i < MAX_SAVED; i++) savedOf(accounts).add(1, WISH);
    assert.throws(() => savedOf(accounts).add(1, WISH), UsageError);
    savedOf(accounts).add(2, WISH);
    for (const name of ['', '  ', 'a\nb', 'a'.repeat(101)]) {
      assert.throws(() => savedOf(accounts).add(2, { ...WISH, name }), UsageError, name);
      assert.throws(() => savedOf(accounts).rename(2, MAX_SAVED + 1, name), UsageError, name);
    }
  });

  test('go with their account, and come with its export and a copy of the database', async (place) => {
    const { accounts, folder } = place;
    const made = savedOf(accounts).add(1, WISH);
    const token = savedOf(accounts).makeFeed(1, made.id)!;
    const { order, kind: _, changed: __, accountId: ___, ...rest } = made;
    const told = { ...rest, kind: 'comments', order_by: order, feed: { made: NOW, older: 'one' } };
    assert.deepEqual(OF_ACCOUNT.list!(accounts, 1), [told]);
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    await copyDatabase(accounts.database, join(copy, 'accounts.db'));
    accounts.database.exec('DELETE FROM accounts WHERE id = 1');
    assert.equal(savedOf(accounts).byToken(token), null);
    await using restored = Accounts.open(copy);
    assert.equal(savedOf(restored).byToken(token)!.name, 'solar');
  });
});

describe('the token of a feed', () => {
  test('of 1,000 that were guessed or revoked none opens anything', async ({ accounts }) => {
    const saved = savedOf(accounts);
    const { id } = saved.add(1, WISH);
    const tokens = Array.from({ length: 500 }, () => saved.makeFeed(1, id)!);
    const live = tokens.pop()!;
    const near = [
      live.slice(1),
      `${live}a`,
      ` ${live}`,
      live.toLowerCase(),
      live.replace(/.$/, '-'),
      '%',
      '',
    ];
    const guessed = Array.from({ length: 501 }, () => randomDigits(32));
    for (const token of [...tokens, ...near.filter((one) => one !== live), ...guessed])
      assert.equal(saved.byToken(token), null, token);
    assert.equal(saved.byToken(live)!.id, id);
  });

  test('is in no file of the folder, nor in a copy', async ({ accounts, folder }) => {
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    const { id } = savedOf(accounts).add(1, WISH);
    const tokens = [savedOf(accounts).makeFeed(1, id)!, savedOf(accounts).makeFeed(1, id)!];
    await copyDatabase(accounts.database, join(copy, 'accounts.db'));
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    assert.ok(files.some((text) => text.includes('solar,/r/energy')));
    for (const token of tokens) assert.ok(files.every((text) => !text.includes(token)));
  });
});
