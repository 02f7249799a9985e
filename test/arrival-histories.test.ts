import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runArrivalHistory } from './arrival-history.ts';

it('each match is told once by successive `since`, whatever comes in and goes meanwhile', async () => {
  let told = 0;
  for (let seed = 1; seed <= 4; seed++) told += (await runArrivalHistory(seed, 50)).told;
  assert.ok(told > 50, `${told} were told`);
});
