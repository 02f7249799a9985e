// docs/accounts.md tells the numbers that the code keeps.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { MAX_LIVE_KEYS } from '../../src/accounts/accounts.ts';
import { SESSION_AGE, SESSION_IDLE } from '../../src/accounts/secrets.ts';
import * as attempts from '../../src/features/account/attempts.ts';
import { KEY_LIFETIMES } from '../../src/features/account/keys.ts';
import * as known from '../../src/features/account/known-browsers.ts';
import {
  MAX_PASSWORD_LENGTH,
  MAX_WAITING,
  MIN_PASSWORD_LENGTH,
} from '../../src/features/account/password.ts';
import {
  HALF_SESSION_AGE,
  MAX_WRONG_CODES,
  RECOVERY_CODES,
} from '../../src/features/account/second-factors.ts';
import { MAX_ACCOUNT_FORM_BYTES } from '../../src/http/site/exchange.ts';

const DAY = 86_400;
const MINUTE_MS = 60_000;

function page(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
}

describe('docs/accounts.md', () => {
  const days = Object.keys(KEY_LIFETIMES).filter((value) => value !== 'never');
  const told = [
    `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
    `after ${SESSION_IDLE / DAY} days without use, after ${SESSION_AGE / DAY} days at the latest`,
    `at most ${MAX_LIVE_KEYS} valid keys, and makes at most ${attempts.MAX_NEW_KEYS} an hour`,
    `${days.slice(0, -1).join(', ')} or ${days.at(-1)} days`,
    `${attempts.MAX_FAILED_SIGN_INS} wrong ones in ${attempts.SIGN_IN_WINDOW_MS / MINUTE_MS} minutes`,
    `${attempts.MAX_FAILED_OF_NETWORK} from one network`,
    `${attempts.MAX_REGISTRATIONS} an hour from one network`,
    `from all networks together: ${known.MAX_FAILED_OF_ACCOUNT} wrong ones`,
    `for ${known.MAX_KNOWN_TURNS} passwords of an account in ${known.TURNS_WINDOW_MS / MINUTE_MS} minutes`,
    `${RECOVERY_CODES} recovery codes`,
    `within ${HALF_SESSION_AGE / 60} minutes; after ${MAX_WRONG_CODES} wrong ones the password is asked for again`,
    `up to ${MAX_ACCOUNT_FORM_BYTES / 1024} KiB`,
    `${MAX_WAITING} passwords may wait`,
  ];
  for (const words of told)
    it(words, () => assert.ok(page('accounts.md').replace(/\s+/g, ' ').includes(words)));

  it('the words for times are right', () => {
    assert.deepEqual(
      [attempts.FIRST_WAIT_MS, attempts.REGISTRATION_WINDOW_MS, attempts.NEW_KEY_WINDOW_MS],
      [MINUTE_MS, 60 * MINUTE_MS, 60 * MINUTE_MS],
    );
    assert.deepEqual(
      [known.FIRST_ACCOUNT_WAIT_MS, known.MAX_ACCOUNT_WAIT_MS, known.ACCOUNT_WINDOW_MS],
      [1000, 15 * MINUTE_MS, DAY * 1000],
    );
  });
});
