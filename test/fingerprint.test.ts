import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KINDS } from '../src/model/record.ts';
import { runHistory } from './fingerprint-history.ts';

// The long form: npm run test:long -- fingerprint.
for (const [i, kind] of KINDS.entries()) {
  it(`${kind}s: after each of 40 random steps, the fingerprint is that of a scan`, async () => {
    const { steps, unknown } = await runHistory(kind, 40, 7 + i);
    assert.ok(steps.size >= 5, [...steps.keys()].join());
    assert.ok(unknown <= 4, `${unknown} steps left a sum unknown`);
  });
}
