import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import type { Block } from './formats/block.ts';
import { IMPORT_WORK } from './import-work.ts';
import { WorkerPool } from './pool.ts';

const OPTIONS = { kind: null, permalinkBase: 'https://www.reddit.com' } as const;

function block(): Block {
  const data = new Uint8Array(Buffer.from('{"id":"a","title":"t","subreddit":"x","created_utc":1}\n'));
  return { data, lines: 1, rejects: [], end: { offset: data.length, line: 1 } };
}

/** The workers that come to life meanwhile. */
function startedWorkers(): Worker[] & Disposable {
  const workers: Worker[] = [];
  const listener = (worker: Worker) => workers.push(worker);
  process.on('worker', listener);
  return Object.assign(workers, { [Symbol.dispose]: () => process.off('worker', listener) });
}

test('workers that were started before the first block take it', async () => {
  using started = startedWorkers();
  await using pool = new WorkerPool(2, IMPORT_WORK, OPTIONS);
  pool.start();
  await once(process, 'worker');
  assert.equal((await pool.run(block())).read, 1);
  assert.equal(started.length, 2);
});

test('a worker that dies while idle is replaced: the import does not wait for it', async () => {
  using started = startedWorkers();
  await using pool = new WorkerPool(2, IMPORT_WORK, OPTIONS);
  assert.equal((await pool.run(block())).read, 1);
  assert.equal(started.length, 2);
  await Promise.all(started.map((worker) => worker.terminate()));
  const results = await Promise.all([block(), block(), block()].map((more) => pool.run(more)));
  assert.deepEqual(
    results.map(({ read }) => read),
    [1, 1, 1],
  );
  assert.equal(started.length, 4);
});

test('a worker that dies at work fails its block and those that wait, and later blocks are worked on', async () => {
  await using pool = new WorkerPool(1, IMPORT_WORK, OPTIONS);
  const started = once(process, 'worker');
  const lost = Promise.allSettled([pool.run(block()), pool.run(block())]);
  const [worker] = await started;
  await worker.terminate();
  assert.deepEqual(
    (await lost).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal((await pool.run(block())).read, 1);
});
