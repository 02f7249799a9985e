// Stops under load: a server is told to stop by SIGTERM, over and over, while callers that keep their connections ask
// it, one question behind the other, and never ask anything twice. Each caller ends where an answer says
// `Connection: close`; whatever else ends a connection, with a request on its way, is a failure.
//
//   npm run test:long -- stops [N] [--callers 24] [--records 50000]

import { parseArgs } from 'node:util';
import { percentile } from '../chaos/figures.ts';
import { searchPaths } from '../chaos/served-folder.ts';
import { fillStopped, PATHS, stopUnderLoad } from '../chaos/stops.ts';
import { temporaryFolder } from '../helpers.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    callers: { type: 'string', default: '24' },
    records: { type: 'string', default: '50000' },
  },
});
const rounds = Number(positionals[0] ?? 50);
using folder = temporaryFolder();
const stopped = await fillStopped(folder.path, Number(values.records));
const paths = [...(await searchPaths(folder.path)), ...PATHS];
const failures: string[] = [];
const stopMs: number[] = [];
let answered = 0;
for (let round = 1; round <= rounds; round++) {
  const beforeMs = 100 + ((round * 137) % 700);
  const report = await stopUnderLoad(stopped, paths, { callers: Number(values.callers), beforeMs });
  answered += report.answered;
  stopMs.push(report.stopMs);
  failures.push(...report.failures.map((failure) => `stop ${round}: ${failure}`));
  if (report.exitCode !== 0) failures.push(`stop ${round}: exit code ${report.exitCode}`);
}
for (const failure of failures) console.log(failure);
console.log(
  `${rounds} stops, ${values.callers} callers: ${answered} requests answered, ${failures.length} failed; ` +
    `a stop took ${percentile(stopMs, 0.5).toFixed(0)} ms, the longest ${percentile(stopMs, 1).toFixed(0)} ms`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
