import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/helpers.ts';
import { Accounts } from './accounts.ts';
import { newTotpSecret, STEP_SECONDS, stepAt, totpCode } from './totp.ts';

const ANN = 'ann@example.org';
const NOW = 1_800_000_000;

describe('a second factor', () => {
  it('works in a copy of the database, with its recovery codes', async () => {
    using folder = temporaryFolder();
    const secret = newTotpSecret();
    const code = (time: number) => totpCode(secret, stepAt(time));
    const copy = join(folder.path, 'copy');
    mkdirSync(copy);
    let codes: readonly string[] = [];
    {
      await using accounts = Accounts.open(join(folder.path), { now: () => NOW });
      accounts.createAccount(ANN);
      codes = accounts.secondFactors.turnOn(1, secret, code(NOW))!;
      await accounts.copyTo(join(copy, 'accounts.db'));
    }
    await using restored = Accounts.open(copy, { now: () => NOW + STEP_SECONDS });
    const { secondFactors } = restored;
    assert.deepEqual(secondFactors.of(1), { since: NOW, recoveryCodes: codes.length });
    assert.equal(secondFactors.take(1, code(NOW)), null);
    assert.equal(secondFactors.take(1, code(NOW + STEP_SECONDS)), 'code');
    assert.equal(secondFactors.take(1, codes[9]!), 'recovery code');
    assert.equal(secondFactors.take(1, codes[9]!), null);
  });

  it('a server whose clock was set back takes recovery codes alone, until the clock has caught up', async () => {
    using folder = temporaryFolder();
    let now = NOW;
    await using accounts = Accounts.open(folder.path, { now: () => now });
    accounts.createAccount(ANN);
    const { secondFactors } = accounts;
    const secret = newTotpSecret();
    const codes = secondFactors.turnOn(1, secret, totpCode(secret, stepAt(now)))!;
    now -= 3600;
    assert.equal(secondFactors.take(1, totpCode(secret, stepAt(now))), null);
    assert.equal(secondFactors.take(1, codes[0]!), 'recovery code');
    now += 3600 + STEP_SECONDS;
    assert.equal(secondFactors.take(1, totpCode(secret, stepAt(now))), 'code');
  });
});
