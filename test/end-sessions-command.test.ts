// `colloquy accounts end-sessions`: for a stolen cookie, and for all of them after a stolen database.

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
const [ANN, BOB] = ['ann@example.org', 'bob@example.org'];

describe('accounts end-sessions', () => {
  it('ends those of one account or of all, at once in every process; keys stay', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const log = join(folder.path, 'security.log');
    const run = (...words: string[]) =>
      promisify(execFile)(process.execPath, [PROGRAM, 'accounts', 'end-sessions', ...words, '--data', data], {
        env: { ...process.env, COLLOQUY_SECURITY_LOG: log },
      });
    // As a server has them open meanwhile.
    await using accounts = Accounts.open(data);
    const [ann, bob] = [accounts.createAccount(ANN)!, accounts.createAccount(BOB)!].map(
      ({ email }) => accounts.idOf(email)!,
    );
    const { key } = accounts.createKeyFor(ann!, { name: 'kettle', expiresInDays: null });
    const [first, second, other] = [ann!, ann!, bob!].map((id) => accounts.startSession(id, 'a browser'));
    const areSignedIn = () => [first, second, other].map((token) => accounts.checkSession(token!) !== null);

    assert.deepEqual(JSON.parse((await run(ANN, '--json')).stdout), { email: ANN, sessions: 2 });
    assert.deepEqual(areSignedIn(), [false, false, true]);
    assert.match((await run(ANN)).stderr, /^ended 0 sessions of ann@example\.org;/);
    assert.match((await run('--all')).stderr, /^ended 1 session of all accounts; keys and passwords stay/);
    assert.deepEqual(areSignedIn(), [false, false, false]);
    assert.notEqual(accounts.checkKey(key), null);

    const events = readFileSync(log, 'utf8').trimEnd().split('\n');
    const told = events.map((line) => JSON.parse(line)).map(({ security, account }) => [security, account]);
    assert.deepEqual(told, [
      ['sessions_ended', ann],
      ['sessions_ended', undefined],
    ]);
    for (const words of [[], [ANN, '--all'], ['eve@example.org']]) {
      await assert.rejects(run(...words), (error: Error & { code?: number }) => error.code === 2);
    }
  });
});
