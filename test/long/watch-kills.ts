// `npm run test:long -- watch-kills [ROUNDS [SEED]]`: 200 watches (or so many) that are killed at random moments,
// between batches that come in. Nothing may be lost.

import assert from 'node:assert/strict';
import { killedWatches } from '../watch-kills.ts';

const [rounds = 200, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
process.stdout.write(`seed ${seed}\n`);
const { kills, told, expected } = await killedWatches({ rounds, seed });
assert.deepEqual(told, expected);
process.stdout.write(`${rounds} runs, ${kills} of them killed; ${expected.length} records, all told\n`);
