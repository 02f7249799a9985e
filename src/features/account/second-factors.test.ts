import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ANN, START, test } from '../../../test/account-fixtures.ts';
import { Accounts } from '../../accounts/accounts.ts';
import { copyDatabase } from '../../sqlite/database.ts';
import { credentialsOf } from './credentials.ts';
import {
  base32,
  matchingStep,
  newTotpSecret,
  otpauthLink,
  STEP_SECONDS,
  stepAt,
  totpCode,
} from './second-factors.ts';

describe('a second factor', () => {
  test('works in a copy of the database, with its recovery codes', async ({ accounts, clock, folder }) => {
    const secret = newTotpSecret();
    const code = (time: number) => totpCode(secret, stepAt(time));
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    credentialsOf(accounts).createAccount(ANN);
    const codes = credentialsOf(accounts).secondFactors.turnOn(1, secret, code(START))!;
    await copyDatabase(accounts.database, join(copy, 'accounts.db'));
    clock.seconds += STEP_SECONDS;
    await using restored = Accounts.open(copy);
    const { secondFactors } = credentialsOf(restored);
    assert.deepEqual(secondFactors.of(1), { since: START, recoveryCodes: codes.length });
    assert.equal(secondFactors.take(1, code(START)), null);
    assert.equal(secondFactors.take(1, code(START + STEP_SECONDS)), 'code');
    assert.equal(secondFactors.take(1, codes[9]!), 'recovery code');
    assert.equal(secondFactors.take(1, codes[9]!), null);
  });

  test('a server whose clock was set back takes recovery codes alone, until the clock has caught up', async (place) => {
    const { accounts, clock } = place;
    credentialsOf(accounts).createAccount(ANN);
    const { secondFactors } = credentialsOf(accounts);
    const secret = newTotpSecret();
    const code = () => totpCode(secret, stepAt(clock.seconds));
    const codes = secondFactors.turnOn(1, secret, code())!;
    clock.seconds -= 3600;
    assert.equal(secondFactors.take(1, code()), null);
    assert.equal(secondFactors.take(1, codes[0]!), 'recovery code');
    clock.seconds += 3600 + STEP_SECONDS;
    assert.equal(secondFactors.take(1, code()), 'code');
  });
});

/** The secret of both RFCs. */
const SECRET = Buffer.from('12345678901234567890');

describe('one-time codes', () => {
  // RFC 6238, Appendix B (SHA-1); of its 8 digits the last 6.
  const vectors = {
    ...{ 59: '94287082', 1111111109: '07081804', 1111111111: '14050471', 1234567890: '89005924' },
    ...{ 2000000000: '69279037', 20000000000: '65353130' },
  };
  for (const [time, code] of Object.entries(vectors))
    it(`RFC 6238 at ${time}`, () => assert.equal(totpCode(SECRET, stepAt(Number(time))), code.slice(2)));

  // RFC 4226, Appendix D.
  const counted = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ');
  it('RFC 4226, counters 0 to 9', () => {
    for (const [step, code] of counted.entries()) assert.equal(totpCode(SECRET, step), code);
  });

  describe('which step a code is taken for', () => {
    const code = totpCode(SECRET, 100);
    const cases: readonly (readonly [rule: string, time: number, lastStep: number, step: number | null])[] = [
      ['the first second of the step before', 2970, 0, 100],
      ['a second earlier', 2969, 0, null],
      ['its own step', 3000, 0, 100],
      ['the last second of the step behind', 3059, 0, 100],
      ['a second later', 3060, 0, null],
      ['taken before', 3000, 100, null],
      ['one before it was taken', 3000, 99, 100],
      ['a later one was taken', 3000, 101, null],
    ];
    for (const [rule, time, lastStep, step] of cases)
      it(rule, () => assert.equal(matchingStep(SECRET, code, { time, lastStep }), step));
    for (const text of ['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦', `${code}\n`])
      it(`no code: ${JSON.stringify(text)}`, () =>
        assert.equal(matchingStep(SECRET, text, { time: 3000, lastStep: 0 }), null));
  });
});

describe('the text of a secret', () => {
  // RFC 4648, 10.
  it('base32 of the RFC', () => assert.equal(base32(Buffer.from('fooba')), 'MZXW6YTB'));

  it('the link names issuer and account', () =>
    assert.equal(
      otpauthLink(SECRET, 'Colloquy', 'ann+a@example.org'),
      'otpauth://totp/Colloquy:ann%2Ba%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Colloquy',
    ));
});
