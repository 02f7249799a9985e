import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { type Block, START } from './formats/block.ts';
import { importWork } from './importer.ts';
import { inOrder, WorkerPool } from './pool.ts';
import type { PackedResult } from './work.ts';

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
  await using pool = new WorkerPool<PackedResult>(2, importWork(OPTIONS));
  pool.start();
  await once(process, 'worker');
  assert.equal((await pool.run(block())).read, 1);
  assert.equal(started.length, 2);
});

test('a worker that dies while idle is replaced: the import does not wait for it', async () => {
  using started = startedWorkers();
  await using pool = new WorkerPool<PackedResult>(2, importWork(OPTIONS));
  assert.equal((await pool.run(block())).read, 1);
  assert.equal(started.length, 2);
  await Promise.all(started.map((worker) => worker.terminate()));
  const results = await Promise.all([block(), block(), block()].map((more) => pool.run(more)));
  for (const { read } of results) assert.equal(read, 1);
  assert.equal(started.length, 4);
});

test('a worker that dies at work fails its block and those that wait, and later blocks are worked on', async () => {
  await using pool = new WorkerPool<PackedResult>(1, importWork(OPTIONS));
  const started = once(process, 'worker');
  const lost = Promise.allSettled([pool.run(block()), pool.run(block())]);
  const [worker] = await started;
  await worker.terminate();
  for (const { status } of await lost) assert.equal(status, 'rejected');
  assert.equal((await pool.run(block())).read, 1);
});

const BLOCKS = 9;

/** Numbered by their first line; `failure` comes behind the last of them. */
async function* blocks(closed: () => void, failure?: Error): AsyncGenerator<Block> {
  try {
    for (let lines = 0; lines < BLOCKS; lines++) {
      yield { data: new Uint8Array(), lines, rejects: [], end: START };
    }
    if (failure !== undefined) throw failure;
  } finally {
    closed();
  }
}

/** What came, and what it ended with. */
async function drained(all: AsyncIterable<number>): Promise<{ results: number[]; error: unknown }> {
  const results: number[] = [];
  try {
    for await (const result of all) results.push(result);
  } catch (error) {
    return { results, error };
  }
  return { results, error: null };
}

describe('blocks worked on in their order', () => {
  for (const failing of [0, 1, 4, BLOCKS - 1]) {
    it(`a failure at block ${failing} ends them: results of later blocks came behind the hole`, async () => {
      const failure = new Error('the worker is gone');
      let isClosed = false;
      const work = async ({ lines }: Block) => {
        if (lines === failing) throw failure;
        return Number(lines);
      };
      const reader = blocks(() => {
        isClosed = true;
      });
      const { results, error } = await drained(inOrder(reader, work, () => false));
      assert.equal(error, failure);
      assert.deepEqual(results, [...Array(failing).keys()]);
      assert.ok(isClosed);
    });
  }

  it('an error of the reader comes behind all results', async () => {
    const failure = new Error('the file breaks off');
    const reader = blocks(() => undefined, failure);
    const work = async ({ lines }: Block) => Number(lines);
    const came = await drained(inOrder(reader, work, () => false));
    assert.deepEqual(came, { results: [...Array(BLOCKS).keys()], error: failure });
  });

  it('where a worker fails too, its error is told: what the reader gave is not all there', async () => {
    const failure = new Error('the worker is gone');
    const reader = blocks(() => undefined, new Error('the file breaks off'));
    const work = async ({ lines }: Block) => {
      if (lines === BLOCKS - 1) throw failure;
      return Number(lines);
    };
    assert.equal((await drained(inOrder(reader, work, () => false))).error, failure);
  });

  it('reading ends where it is stopped, and what was read is worked on', async () => {
    let read = 0;
    const work = async ({ lines }: Block) => {
      read++;
      return Number(lines);
    };
    const reader = blocks(() => undefined);
    const came = await drained(inOrder(reader, work, () => read === 6));
    assert.deepEqual(came, { results: [0, 1, 2, 3, 4, 5], error: null });
  });
});
