import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration, secondsLeft } from './progress.ts';

test('durations are read at a glance', () => {
  const cases: [seconds: number | null, text: string][] = [
    [null, '?'],
    [0, '0s'],
    [0.2, '1s'],
    [59, '59s'],
    [59.5, '1m00s'],
    [725, '12m05s'],
    [3600, '1h00m'],
    [12_000, '3h20m'],
  ];
  for (const [seconds, text] of cases) assert.equal(duration(seconds), text);
});

test('time left is at the rate of this run: what an earlier one had done does not count', () => {
  const resumed = { done: 900, seconds: 2 };
  assert.equal(secondsLeft(resumed, { done: 950, seconds: 12 }, 1000), 10);
  assert.equal(secondsLeft({ done: 0, seconds: 0 }, { done: 250, seconds: 5 }, 1000), 15);
  assert.equal(secondsLeft(resumed, resumed, 1000), null);
  assert.equal(secondsLeft(resumed, { done: 950, seconds: 12 }, null), null);
});
