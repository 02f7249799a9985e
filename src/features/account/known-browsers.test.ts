import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stopClock } from '../../../test/clock.ts';
import { ServiceError } from '../../errors.ts';
import type { Attempt } from './attempts.ts';
import {
  ACCOUNT_WINDOW_MS,
  AccountBrake,
  FIRST_ACCOUNT_WAIT_MS,
  MAX_ACCOUNT_WAIT_MS,
  MAX_FAILED_OF_ACCOUNT,
} from './known-browsers.ts';

const clock = stopClock();

const ANN = 'ann@example.org';
const WRONG: Attempt<string> = { kind: 'wrong', waitMs: 0 };
const wrong = async () => WRONG;
const right = async (): Promise<Attempt<string>> => ({ kind: 'right', value: 'ann' });

describe('the brake of an account', () => {
  async function failed(brake: AccountBrake, times: number): Promise<Attempt<unknown>[]> {
    const outcomes: Attempt<unknown>[] = [];
    for (let i = 0; i < times; i++) outcomes.push(await brake.run(ANN, wrong));
    return outcomes;
  }

  it('lets the first failures through, then waits that double up to a quarter of an hour', async () => {
    clock.ms = 0;
    const brake = new AccountBrake();
    const first = await failed(brake, MAX_FAILED_OF_ACCOUNT - 1);
    assert.ok(first.every(({ kind }) => kind === 'wrong'));
    const waits: number[] = [];
    for (let i = 0; i < 13; i++) {
      const outcome = await brake.run(ANN, wrong);
      assert.ok(outcome.kind === 'wrong');
      waits.push(outcome.waitMs / FIRST_ACCOUNT_WAIT_MS);
      assert.deepEqual(await brake.run(ANN, right), { kind: 'too many', waitMs: outcome.waitMs });
      clock.ms += outcome.waitMs;
    }
    const longest = MAX_ACCOUNT_WAIT_MS / FIRST_ACCOUNT_WAIT_MS;
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, longest, longest, longest]);
  });

  it('a right one takes itself back and no earlier failure, so that a guesser gains nothing by it', async () => {
    const brake = new AccountBrake();
    await failed(brake, MAX_FAILED_OF_ACCOUNT - 1);
    for (let i = 0; i < 3; i++) assert.equal((await brake.run(ANN, right)).kind, 'right');
    assert.equal((await brake.run(ANN, wrong)).kind, 'wrong');
    assert.equal((await brake.run(ANN, right)).kind, 'too many');
  });

  it('what could not be looked at counts for nothing', async () => {
    const brake = new AccountBrake();
    const busy = () => Promise.reject(new ServiceError('busy', 'busy'));
    const tooMany = async (): Promise<Attempt<string>> => ({ kind: 'too many', waitMs: 1 });
    for (let i = 0; i < 2 * MAX_FAILED_OF_ACCOUNT; i++) {
      await assert.rejects(brake.run(ANN, busy), { code: 'busy' });
      await brake.run(ANN, tooMany);
    }
    assert.equal((await brake.run(ANN, right)).kind, 'right');
  });

  it('many at once count as many', async () => {
    const brake = new AccountBrake();
    const outcomes = await Promise.all(Array.from({ length: 500 }, () => brake.run(ANN, wrong)));
    assert.equal(outcomes.filter(({ kind }) => kind === 'wrong').length, MAX_FAILED_OF_ACCOUNT);
  });

  it('another spelling is the same account, another account is not', async () => {
    const brake = new AccountBrake();
    await failed(brake, MAX_FAILED_OF_ACCOUNT);
    assert.equal((await brake.run(' ANN@example.org', right)).kind, 'too many');
    assert.equal((await brake.run('ben@example.org', right)).kind, 'right');
  });

  it('a day after the last failure all is forgotten', async () => {
    clock.ms = 0;
    const brake = new AccountBrake();
    await failed(brake, MAX_FAILED_OF_ACCOUNT);
    clock.ms += ACCOUNT_WINDOW_MS;
    await failed(brake, MAX_FAILED_OF_ACCOUNT - 1);
    assert.equal((await brake.run(ANN, right)).kind, 'right');
  });

  it('a flood of other names makes none forgotten', async () => {
    const brake = new AccountBrake();
    await failed(brake, MAX_FAILED_OF_ACCOUNT);
    for (let i = 0; i < 10_000; i++) await brake.run(`name ${i}`, wrong);
    assert.equal((await brake.run(ANN, right)).kind, 'too many');
  });
});
