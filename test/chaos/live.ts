// `npm run test:long -- live [--seconds 600] [--rate 1000] [--searches 50] [--records 200000] [--folder FOLDER]`:
// records come in, a hundred at a time, while a server is searched. A folder is filled where it is not there, and kept.

import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../helpers.ts';
import { percentile, surroundings } from './figures.ts';
import { type LiveReport, runLive, type Sample } from './live-run.ts';
import { fillFolder, searchPaths, startServer } from './live-server.ts';
import type { LoopReport } from './open-loop.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    rate: { type: 'string', default: '1000' },
    searches: { type: 'string', default: '50' },
    records: { type: 'string', default: '200000' },
    folder: { type: 'string' },
  },
});
const records = Number(values.records);
using temporary = temporaryFolder();
const folder = values.folder ?? `${temporary.path}/data`;
if (!existsSync(folder)) {
  process.stderr.write(`filling ${folder} with ${records} records\n`);
  await fillFolder(folder, records);
}
const paths = await searchPaths(folder);
await using server = await startServer(folder);
// The first questions open files and warm the threads.
for (const path of paths.slice(0, 200)) await server.client.ask(path);
const options = {
  folder,
  server,
  paths,
  seconds: Number(values.seconds),
  recordsASecond: Number(values.rate),
  searchesASecond: Number(values.searches),
};
process.stdout.write(`${surroundings()}\n`);
tellLive(await runLive(options));

function tellLive(report: LiveReport): void {
  const { batches, visibleMs, half, missing, lateMs, searches, samples } = report;
  process.stdout.write(
    `${values.rate} records a second for ${values.seconds} s into an index of ${records}: ${batches} batches, the last ${lateMs.toFixed(0)} ms behind its schedule
acknowledged to searchable: ${times(visibleMs)}; half ${half}, missing ${missing}
${searchWords(searches)}
${sampleWords(samples)}
`,
  );
  if (half + missing + searches.failed > 0 || batches === 0) process.exitCode = 1;
}

function searchWords({ ms, failed }: LoopReport): string {
  return `${values.searches} searches a second, ${ms.length} in all: ${times(ms)}; failed ${failed}`;
}

function times(ms: readonly number[]): string {
  const at = (share: number) => `${percentile(ms, share).toFixed(1)} ms`;
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, slowest ${at(1)}`;
}

/** Of the first third and of the last: what is bounded does not grow from one to the other. */
function sampleWords(samples: readonly Sample[]): string {
  const third = Math.ceil(samples.length / 3);
  const most = (part: readonly Sample[], of: (one: Sample) => number) => Math.max(...part.map(of));
  const row = (name: string, of: (one: Sample) => number) =>
    `${name} at most ${most(samples.slice(0, third), of)} in the first third, ${most(samples.slice(-third), of)} in the last`;
  return [
    row('segments', ({ segments }) => segments),
    row('files', ({ files }) => files),
    row('memory of the server (MiB)', ({ serverMemory }) => serverMemory),
    row('memory of the writer (MiB)', ({ writerMemory }) => writerMemory),
  ].join('\n');
}
