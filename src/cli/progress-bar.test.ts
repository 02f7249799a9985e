import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration } from './progress-bar.ts';

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
