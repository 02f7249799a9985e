// `npm run test:long -- export-memory [records]`: the memory of a server above idle while it sends exports of synthetic
// comments (300,000 where no number is named) by HTTP, to a caller who takes them as fast as they come and to one who
// takes 8 MB a second for 5 seconds, then goes. Exit code 1 where any took more than 150 MB.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { listen } from '../api/export-client.ts';
import { openService } from '../api/service.ts';
import { manyComments } from '../export-shaping.ts';

const MAX_MB = 150;
const BATCH = 50_000;
const wanted = Number(process.argv[2] ?? 300_000);

await using service = await openService([], [], (folder) =>
  openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 1 }),
);
for (let from = 0; from < wanted; from += BATCH) {
  const comments = manyComments(Math.min(BATCH, wanted - from));
  await service.engine.index(
    'comment',
    packRecords(comments.map((one, i) => ({ ...one, id: `e${from + i}` }))),
  );
}
const port = await listen(await service.build());

/** Of the process, engine threads included, in MB. */
const used = () => process.memoryUsage.rss() / 1e6;

async function peakOf(format: string, pace: readonly string[]): Promise<number> {
  const address = `http://127.0.0.1:${port}/api/v1/export/comments?query=&format=${format}`;
  const key = ['-H', `Authorization: Bearer ${service.keys.good}`];
  const idle = used();
  let peak = idle;
  const curl = spawn('curl', ['--silent', '--fail', '-o', '/dev/null', ...pace, ...key, address]);
  const ended = once(curl, 'close');
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    peak = Math.max(peak, used());
    await sleep(20);
  }
  const [code] = (await ended) as [number | null];
  // 28: CURLE_OPERATION_TIMEDOUT, of the slow caller.
  if (code !== 0 && code !== 28) throw new Error(`curl: expected an export, found exit code ${code}`);
  return peak - idle;
}

const PACES = { fast: [], slow: ['--limit-rate', '8M', '--max-time', '5'] };
for (const [name, pace] of Object.entries(PACES)) {
  for (const format of ['ndjson', 'ndjson&compress=zstd', 'parquet']) {
    const above = await peakOf(format, pace);
    process.stdout.write(`${name} ${format}: ${above.toFixed(0)} MB above idle\n`);
    if (above > MAX_MB) process.exitCode = 1;
  }
}
