// Random histories: after every step the fingerprint is that of a scan, and in the end that of another index with
// the same records.
//
//   npm run test:long -- fingerprint [steps, default 1000] [seed, default 1]

import { KINDS } from '../../src/model/record.ts';
import { runHistory } from '../fingerprint-history.ts';

const steps = Number(process.argv[2] ?? 1_000);
const first = Number(process.argv[3] ?? 1);

for (const [i, kind] of KINDS.entries()) {
  for (const seed of [first, first + 1]) {
    const report = await runHistory(kind, steps, seed * 2 + i);
    const made = [...report.steps].map(([name, count]) => `${count} ${name}`).join(', ');
    console.log(
      `${kind}s, seed ${seed}: ${steps} steps (${made}): the fingerprint was that of a scan after each; ` +
        `after ${report.unknown} a sum was left to upkeep; ${report.records} records in the end`,
    );
  }
}
