import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runEditScripts } from './edit-scripts.ts';

// The long form: npm run test:long -- histories citing.
it('after each of 8 edit scripts, then + came in - gone = now in every month, as every record says', async () => {
  const { months, inAlone, gone, matchAgain } = await runEditScripts(8, 1);
  assert.ok(
    months > 60 && inAlone > 5 && gone > 40 && matchAgain > 5,
    JSON.stringify({ months, inAlone, gone }),
  );
});
