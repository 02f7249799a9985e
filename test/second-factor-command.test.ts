// `colloquy accounts second-factor-off`: for somebody who has lost app and recovery codes.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Accounts } from '../src/accounts/accounts.ts';
import { newTotpSecret, stepAt, totpCode } from '../src/accounts/second-factors.ts';
import { temporaryFolder } from './helpers.ts';

const PROGRAM = fileURLToPath(new URL('../bin/colloquy.mjs', import.meta.url));
const ANN = 'ann@example.org';
const NOW = 1_800_000_000;

describe('accounts second-factor-off', () => {
  it('the operator turns it off; the account, its password and a one-time link stay as they are', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const log = join(folder.path, 'security.log');
    const run = (...words: string[]) =>
      promisify(execFile)(process.execPath, [PROGRAM, 'accounts', ...words, '--data', data], {
        env: { ...process.env, COLLOQUY_SECURITY_LOG: log },
      });
    await run('create', ANN);
    await using accounts = Accounts.open(data, { now: () => NOW });
    const secret = newTotpSecret();
    accounts.secondFactors.turnOn(1, secret, totpCode(secret, stepAt(NOW)));
    await run('reset', ANN);
    assert.notEqual(accounts.secondFactors.of(1), null);
    assert.equal(JSON.parse((await run('list', '--json')).stdout)[0].second_factor, true);

    assert.equal((await run('second-factor-off', ANN)).stderr, `the second factor of ${ANN} is off\n`);
    assert.equal(accounts.secondFactors.of(1), null);
    assert.equal(accounts.idOf(ANN), 1);
    const again = await run('second-factor-off', ANN, '--json');
    assert.deepEqual(JSON.parse(again.stdout), { email: ANN, was_on: false });
    const told = readFileSync(log, 'utf8').trimEnd().split('\n');
    const events = told.map((line) => JSON.parse(line).security);
    assert.deepEqual(events, ['account_made', 'link_made', 'second_factor_off']);
    await assert.rejects(run('second-factor-off', 'eve@example.org'), (error: Error & { code?: number }) => {
      assert.equal(error.code, 2);
      return true;
    });
  });
});
