// What exports take beside their bytes: memory of a process above what it has when it answers, at few matches and at
// many, in every order; and milliseconds to the first bytes, with a thread ready and without.
//
//   node test/long/export-memory.ts [--records 100000,2200000] [--keep FOLDER]     an index of each; kept there

import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { syntheticComments } from '../../bench/corpus.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { shaperModule } from '../../src/exporting/shaper-options.ts';
import { ORDERS, type Order } from '../../src/model/order.ts';
import { packRecords } from '../../src/packing/packed-records.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000,2200000' },
    keep: { type: 'string' },
    /** For the child alone. */
    folder: { type: 'string' },
    order: { type: 'string', default: 'oldest' },
    warm: { type: 'boolean', default: false },
  },
});
const OPTIONS = { rules: { keepOriginals: false }, workers: 1 };
const MEBIBYTE = 1_048_576;

interface Taken {
  readonly firstMs: number;
  readonly wholeMs: number;
  /** Bytes above those of the process that has answered: at the peak, and of the thread that stands ready. */
  readonly above: number;
  readonly ready: number;
}

if (values.folder === undefined) await measure();
else process.send!(await taken(values.folder));

async function measure(): Promise<void> {
  const home = values.keep ?? mkdtempSync(join(tmpdir(), 'colloquy-export-memory-'));
  try {
    for (const count of values.records.split(',').map(Number)) {
      const folder = join(home, String(count));
      if (!existsSync(folder)) await fill(folder, count);
      for (const order of ORDERS) await print(folder, count, order, false);
      await print(folder, count, 'oldest', true);
    }
  } finally {
    if (values.keep === undefined) rmSync(home, { recursive: true, force: true });
  }
}

async function fill(folder: string, count: number): Promise<void> {
  await using engine = await openEmbeddedEngine(folder, OPTIONS);
  for (const batch of syntheticComments(count, { batch: 100_000, communities: 5_000 })) {
    await engine.index('comment', packRecords(batch));
  }
  await engine.maintain();
}

async function print(folder: string, count: number, order: Order, warm: boolean): Promise<void> {
  const child = fork(import.meta.filename, [
    '--folder',
    folder,
    '--order',
    order,
    ...(warm ? ['--warm'] : []),
  ]);
  const { firstMs, wholeMs, above, ready } = await new Promise<Taken>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Taken));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)));
  });
  const megabytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(0)} MiB`;
  process.stdout.write(
    `${count.toLocaleString('en')} ${order}${warm ? ', warm' : ''}: first bytes ${firstMs.toFixed(0)} ms, ` +
      `${Math.round((count / wholeMs) * 1_000).toLocaleString('en')} records a second, ` +
      `${megabytes(above)} above idle${warm ? `, of it a thread that is ready ${megabytes(ready)}` : ''}\n`,
  );
}

async function taken(folder: string): Promise<Taken> {
  await using engine = await openEmbeddedEngine(folder, OPTIONS);
  const query = { items: [] };
  await engine.ask({
    kind: 'comment',
    query,
    page: { order: 'oldest', limit: 25, after: null },
    evidence: true,
  });
  await wait(500);
  const idle = process.memoryUsage.rss();
  if (values.warm) await engine.warm();
  await wait(values.warm ? 1_500 : 0);
  const ready = process.memoryUsage.rss() - idle;
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  const shaper = shaperModule({
    ...{ kind: 'comment', format: 'ndjson', compress: 'none', fields: null, resume: null },
    ...{ permalinkBase: 'https://example.org', catalogue: null },
  });
  const start = performance.now();
  let firstMs = 0;
  const order = values.order as Order;
  await using run = await engine.export({ kind: 'comment', query, order, after: null, limit: null, shaper });
  for await (const { bytes } of run.blocks) {
    firstMs ||= performance.now() - start;
    // As a caller does that has written them.
    for (const { buffer } of bytes) if (buffer instanceof ArrayBuffer) buffer.transfer(0);
  }
  clearInterval(look);
  return { firstMs, wholeMs: performance.now() - start, above: peak - idle, ready };
}
