import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startUpkeep } from './waiting.ts';

describe('upkeep', () => {
  it('begins at once, and ending waits for what is under way', async () => {
    const steps: string[] = [];
    {
      await using _ = startUpkeep('work', async () => {
        steps.push('begun');
        await setImmediate();
        steps.push('done');
      });
      assert.deepEqual(steps, ['begun']);
    }
    assert.deepEqual(steps, ['begun', 'done']);
  });

  it('what fails ends nothing', async () => {
    await using _ = startUpkeep('work', async () => {
      throw new Error('a failure that this test makes');
    });
  });
});
