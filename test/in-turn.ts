// Several test files in one process, one after the other: `npm test` makes modules that call this.

import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { startClock } from './clock.ts';

/** Imports each file, as a suite of its own with its hooks, when the tests of the one before are through. */
export async function inTurn(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const before = { environment: { ...process.env }, folder: process.cwd(), exitCode: process.exitCode };
    describe(file.slice(file.lastIndexOf('/') + 1), () => import(file));
    // Tests of the top level run in their order, so this one waits for those of the file.
    await test('leaves its process as it found it', () => {
      startClock();
      mock.restoreAll();
      const now = { environment: { ...process.env }, folder: process.cwd(), exitCode: process.exitCode };
      assert.deepEqual(now, before, file);
    });
  }
}
