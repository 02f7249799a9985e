// `keys`, `accounts` and `communities` as scripts see them: what goes where, and with which exit code.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/helpers.ts';
import { colloquy as run } from '../../test/one-process.ts';
import { Accounts } from '../accounts/accounts.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import { credentialsOf } from '../features/account/credentials.ts';

const ANN = 'ann@example.org';

/** Runs a command on this data folder, with no settings but these. */
async function colloquy(
  folder: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
) {
  const { code, stdout: out, stderr: told } = await run([...words, '--data', folder], '', { settings });
  return { code, out, words: told };
}

/** A data folder without accounts. */
async function accountsFolder(): Promise<ReturnType<typeof temporaryFolder>> {
  const folder = temporaryFolder();
  await using _accounts = Accounts.open(folder.path);
  return folder;
}

describe('colloquy keys', () => {
  it('create prints the key once, alone on standard output, and a key that works', async () => {
    using folder = temporaryFolder();
    const made = await colloquy(folder.path, ['keys', 'create', '--account', 'Ann@example.org']);
    assert.equal(made.code, 0);
    assert.match(made.out, /^clq_[0-9A-Za-z]{38}\n$/);
    assert.ok(!made.words.includes(made.out.trim()));
    assert.match(made.words, /^key 1 of ann@example\.org, without expiry\n/);
    assert.match(made.words, /curl .*http:\/\/127\.0\.0\.1:8080\/api/);
    await using accounts = Accounts.open(folder.path);
    assert.equal(accounts.keys.check(made.out.trim())?.keyId, 1);
  });

  it('create, list and revoke --json agree, with the fields that scripts rely on', async () => {
    using folder = temporaryFolder();
    const wish = ['--account', ANN, '--name', 'notebook', '--expires', '365'];
    const made = await colloquy(folder.path, ['keys', 'create', ...wish, '--json']);
    const { key, ...record } = JSON.parse(made.out);
    assert.match(key, /^clq_/);
    const listed = await colloquy(folder.path, ['keys', 'list', '--json']);
    assert.deepEqual(JSON.parse(listed.out), [record]);
    const fields = 'id account name created last_used expires revoked start';
    assert.equal(Object.keys(record).join(' '), fields);
    assert.ok(Math.abs(record.created - Date.now() / 1000) < 600, record.created);
    assert.equal((record.expires - record.created) / 86_400, 365);
    assert.deepEqual([record.last_used, record.revoked], [null, null]);
    assert.equal(record.start, key.slice(0, 8));
    const revoked = await colloquy(folder.path, ['keys', 'revoke', '1', '--json']);
    assert.equal(revoked.code, 0);
    assert.deepEqual({ ...JSON.parse(revoked.out), revoked: null }, record);
    assert.notEqual(JSON.parse(revoked.out).revoked, null);
  });

  it('list is a table for people, and says how to make a key where there is none', async () => {
    using folder = await accountsFolder();
    const empty = await colloquy(folder.path, ['keys', 'list']);
    assert.deepEqual([empty.code, empty.out], [0, '']);
    assert.match(empty.words, /keys create --account/);
    {
      await using accounts = Accounts.open(folder.path);
      accounts.createKey({ email: ANN, name: 'notebook', expiresInDays: null });
    }
    const { out } = await colloquy(folder.path, ['keys', 'list']);
    const [headings, row] = out.split('\n');
    assert.match(headings!, /^ID {2}ACCOUNT +NAME +START +CREATED \(UTC\) +LAST USED +STATE$/);
    assert.match(row!, /^1 +ann@example\.org +notebook +clq_\w{4} +[\d-]+, [\d:]+ +never +valid$/);
  });
});

describe('colloquy accounts', () => {
  it('create and reset print a one-time link to the public address, remove says what went', async () => {
    using folder = temporaryFolder();
    const settings = { COLLOQUY_PUBLIC_URL: 'https://search.example.org/' };
    const made = await colloquy(folder.path, ['accounts', 'create', ANN], settings);
    assert.equal(made.code, 0);
    assert.match(made.out, /^https:\/\/search\.example\.org\/account\/link\/[\w-]{43}\n$/);
    assert.match(made.words, /ann@example\.org; it works once, until/);
    const everyAddress = { COLLOQUY_HOST: '::', COLLOQUY_PORT: '9000' };
    const reset = await colloquy(folder.path, ['accounts', 'reset', ANN, '--json'], everyAddress);
    const { link, email, expires } = JSON.parse(reset.out);
    assert.deepEqual([email, Number.isInteger(expires)], [ANN, true]);
    assert.match(link, /^http:\/\/127\.0\.0\.1:9000\/account\/link\//);
    {
      await using accounts = Accounts.open(folder.path);
      assert.equal(credentialsOf(accounts).emailOfLink(link.split('/').at(-1)), ANN);
      assert.equal(credentialsOf(accounts).emailOfLink(made.out.trim().split('/').at(-1)!), null);
    }
    const again = await colloquy(folder.path, ['accounts', 'create', 'ANN@example.org']);
    assert.equal(again.code, 2);
    assert.match(again.words, /expected an address without an account, .* accounts reset /);
    const listed = await colloquy(folder.path, ['accounts', 'list', '--json']);
    const fields = Object.keys(JSON.parse(listed.out)[0]).join(' ');
    assert.equal(fields, 'email created has_password second_factor keys');
    const removed = await colloquy(folder.path, ['accounts', 'remove', ANN, '--citations']);
    assert.deepEqual([removed.code, removed.out], [0, '']);
    assert.match(
      removed.words,
      /removed ann@example\.org: the account, its keys \(0\).* its citations \(0\)/,
    );
    await using accounts = Accounts.open(folder.path);
    assert.deepEqual(credentialsOf(accounts).listAccounts(), []);
  });
});

describe('colloquy communities', () => {
  it("set keeps the operator's word, unknown takes it back", async () => {
    using folder = temporaryFolder();
    await using catalogue = Catalogue.open(folder.path);
    const set = (word: string) =>
      colloquy(folder.path, ['communities', 'set', '/r/Energy', '--nsfw', word, '--json']);
    const nothing = { name: 'energy', operator: null, record: null, dump: null, id: '' };
    assert.deepEqual(JSON.parse((await set('yes')).out), { ...nothing, operator: true });
    assert.equal(catalogue.knowledgeOf(['energy']).get('energy')?.operator, true);
    assert.deepEqual(JSON.parse((await set('unknown')).out), nothing);
    assert.equal(catalogue.knowledgeOf(['energy']).size, 0);
  });
});

describe('wrong usage', () => {
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['no account named', 'keys create', /--account/],
    ['no address', 'keys create --account ann', /expected an email address such as .*found `ann`/],
    ['no days', 'keys create --account ann@example.org --expires 0', /expected 1 to 3650/],
    ['too many days', 'keys create --account ann@example.org --expires 3651', /expected 1 to 3650/],
    ['days with a unit', 'keys create --account ann@example.org --expires 30d', /expected 1 to 3650/],
    ['an unknown id', 'keys revoke 7', /expected the id of a key .*found `7`/],
    ['no id', 'keys revoke first', /expected the id of a key .*found `first`/],
    ['an unknown command', 'keys make', /unknown command/],
    ['an unknown flag', 'keys list --jsno', /unknown option/],
    ['a word too many', 'keys list all', /too many arguments/],
    ['removing what is none', 'accounts remove ann@example.org', /expected an account .*found `ann@/],
    ['resetting what is none', 'accounts reset ann@example.org', /expected an account .*found `ann@/],
    ['two communities', 'communities set a,b --nsfw yes', /expected the name of one community/],
    ['no word on nsfw', 'communities set energy', /--nsfw/],
    ['another word on nsfw', 'communities set energy --nsfw maybe', /yes, no, unknown/],
  ];
  for (const [what, words, message] of wrong) {
    it(`${what}: exit code 2`, async () => {
      using folder = await accountsFolder();
      const refused = await colloquy(folder.path, words.split(' '));
      assert.deepEqual([refused.code, refused.out], [2, '']);
      assert.match(refused.words, message);
    });
  }

  it('a data folder that is not there is not made by commands that only look or take away', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'misspelt');
    for (const words of ['keys list', 'keys revoke 1', 'accounts list', `accounts remove ${ANN}`]) {
      const refused = await colloquy(data, words.split(' '));
      assert.equal(refused.code, 2);
      assert.match(refused.words, /expected a data folder at .*misspelt`, found none/);
    }
    assert.equal(existsSync(data), false);
  });
});
