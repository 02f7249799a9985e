// `colloquy saved`: an account's saved searches on the command line, and the one time that the address of a feed is
// seen.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Accounts } from '../src/accounts/accounts.ts';
import { temporaryFolder } from './helpers.ts';

const PROGRAM = fileURLToPath(new URL('../bin/colloquy.mjs', import.meta.url));
const ANN = 'ann@example.org';

describe('saved', () => {
  it('adds in canonical form, lists, and removes; the address is printed once and noted nowhere', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const log = join(folder.path, 'security.log');
    const run = (words: readonly string[], settings: Record<string, string> = {}) =>
      promisify(execFile)(process.execPath, [PROGRAM, 'saved', ...words, '--data', data], {
        env: { ...process.env, COLLOQUY_SECURITY_LOG: log, ...settings },
      });
    const refused = (words: readonly string[], message: RegExp) =>
      assert.rejects(run(words), (error: Error & { code?: number; stderr?: string }) => {
        assert.equal(error.code, 2);
        assert.match(error.stderr!, message);
        return true;
      });
    await using accounts = Accounts.open(data);
    accounts.createAccount(ANN);
    const of = ['--account', ANN];

    const solar = ['add', 'solar', 'comments', 'solar', 'R/Energy', ...of];
    await refused([...solar, '--feed'], /COLLOQUY_PUBLIC_URL/);
    const { stdout, stderr } = await run([...solar, '--feed'], {
      COLLOQUY_PUBLIC_URL: 'https://search.example.org',
    });
    const [, token = ''] = /^https:\/\/search\.example\.org\/feed\/(\w{32})\.atom\n$/.exec(stdout)!;
    assert.equal(accounts.saved.byToken(token)!.query, 'solar,/r/energy');
    assert.ok(!stderr.includes(token));
    assert.ok(!readFileSync(log, 'utf8').includes(token));
    await run(['add', 'everything', 'posts', ...of, '--order', 'top']);

    const listed = JSON.parse((await run(['list', ...of, '--json'])).stdout);
    assert.deepEqual(
      listed.map(({ id, name, kind, query, order_by: order, feed }: Record<string, unknown>) => [
        ...[id, name, kind, query, order],
        feed !== null,
      ]),
      [
        [1, 'solar', 'comments', 'solar,/r/energy', 'newest', true],
        [2, 'everything', 'posts', '', 'top', false],
      ],
    );
    assert.match((await run(['list', ...of])).stdout, /^ID {2}NAME .*\n1 {3}solar /);
    assert.equal((await run(['remove', '1'])).stderr, 'removed the saved search 1, `solar`\n');
    assert.equal(accounts.saved.byToken(token), null);
    const told = readFileSync(log, 'utf8').trimEnd().split('\n');
    assert.deepEqual(
      told.map((line) => [JSON.parse(line).security, JSON.parse(line).saved]),
      [
        ['feed_made', 1],
        ['feed_revoked', 1],
      ],
    );
    await refused(['remove', '1'], /expected the id of a saved search/);
    await refused(['add', 'a', 'posts', 'x', '--account', 'eve@example.org'], /expected an account/);
    await refused(['add', 'a', 'posts', 'before:2020-01-01', ...of], /expected an `after:` beside `before:`/);
  });
});
