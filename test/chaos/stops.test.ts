// A stop reset connections whose answer had been asked for before it and sent behind it: their callers were not told.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { fillStopped, PATHS, stopUnderLoad } from './stops.ts';

describe('SIGTERM under load', () => {
  it('fails no request of callers that keep their connections', async () => {
    using folder = temporaryFolder();
    const stopped = await fillStopped(folder.path, 20_000);
    for (const beforeMs of [20, 150]) {
      const { answered, failures, exitCode } = await stopUnderLoad(stopped, PATHS, { callers: 16, beforeMs });
      assert.deepEqual(failures, []);
      assert.ok(answered >= 16);
      assert.equal(exitCode, 0);
    }
  });
});
