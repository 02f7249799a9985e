// `npm run test:long -- fuzz [times] [seed] [part of a name]`: the properties of test/fuzz/ with so many times the runs
// of the short form (100 where none is named), another seed each time unless one is given. Ends at the first failure,
// with what makes it happen again.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PROPERTIES } from '../fuzz/properties.ts';

const [times = '100', seed = String(Date.now() % 2 ** 31), part = ''] = process.argv.slice(2);
const chosen = PROPERTIES.filter(({ name }) => name.includes(part));
assert.ok(
  chosen.length > 0,
  `expected a part of one of these names:\n${PROPERTIES.map(({ name }) => name).join('\n')}`,
);
for (const { name, runs, property } of chosen) {
  const started = process.cpuUsage();
  await fc.assert(property, { numRuns: runs * Number(times), seed: Number(seed) });
  const seconds = process.cpuUsage(started).user / 1e6;
  process.stdout.write(`${name}: ${runs * Number(times)} runs, seed ${seed}, ${seconds.toFixed(1)} s\n`);
}
