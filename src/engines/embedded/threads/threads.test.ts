import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import workerThreads from 'node:worker_threads';
import { openOwnEngine } from '../../../../test/embedded-index.ts';
import { TestRemovals } from '../../../../test/engine-removals.ts';
import { EVERYTHING, queryOf, RULES } from '../../../../test/engine-suite.ts';
import { comment, post, temporaryFolder } from '../../../../test/helpers.ts';
import { nicenessOfThreads, watchWorkers } from '../../../../test/watched-workers.ts';
import type { SearchEngine } from '../../../model/engine.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import type { Query } from '../../../model/query.ts';
import type { StoredComment } from '../../../model/record.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { type EmbeddedOptions, openEmbeddedEngine } from '../engine.ts';
import { WorkerThread } from './thread.ts';

/** For an import in a script. */
const urlOf = (module: string) => JSON.stringify(new URL(module, import.meta.url).href);

function comments(count: number, first = 0): StoredComment[] {
  return Array.from({ length: count }, (_, i) =>
    comment({
      id: `c${first + i}`,
      created: 1_000_000 + first + i,
      body: i % 7 === 0 ? 'solar panel' : 'solar',
    }),
  );
}

async function total(engine: SearchEngine, query: Query): Promise<number> {
  return (await engine.ask({ kind: 'comment', query })).total;
}

describe('the engine on worker threads', () => {
  it('answers many questions at once, while a batch comes in; each sees a batch as a whole or not at all', async () => {
    await using engine = await openOwnEngine({ workers: 2 }, comments(3_000));
    const indexing = engine.index('comment', packRecords(comments(3_000, 3_000)));
    const seen: number[] = [];
    while (seen.at(-1) !== 6_000) {
      await engine.refresh();
      seen.push(...(await Promise.all(Array.from({ length: 10 }, () => total(engine, queryOf('solar'))))));
    }
    await indexing;
    assert.deepEqual(new Set(seen.filter((count) => count !== 3_000)), new Set([6_000]));
    assert.equal(await total(engine, queryOf('panel')), 2 * Math.ceil(3_000 / 7));
  });

  it('who takes batches starts where they are expected, and is there for the first', async () => {
    await using engine = await openOwnEngine({ workers: 1 });
    const starting = once(process, 'worker');
    engine.expectBatches!();
    await starting;
    const others: unknown[] = [];
    const note = (worker: unknown) => others.push(worker);
    process.on('worker', note);
    await engine.index('comment', packRecords(comments(10)));
    process.off('worker', note);
    assert.equal(others.length, 0);
  });

  it('a scan keeps to its view while records are replaced, removed and merged', async () => {
    const batches = Array.from({ length: 12 }, (_, i) => comments(400, i * 400));
    await using engine = await openOwnEngine({ workers: 1 }, ...batches.slice(0, 7));
    const ids: string[] = [];
    for await (const batch of engine.scan('comment', EVERYTHING, 'oldest')) {
      if (ids.length === 0) {
        await engine.hide(1, 'comment', { ids: comments(900).map(({ id }) => id) });
        for (const batch of batches.slice(7)) await engine.index('comment', packRecords(batch));
      }
      ids.push(...batch.map(({ id }) => id));
    }
    const expected = comments(2_800).map(({ id }) => id);
    assert.equal(ids.join(), expected.join());
    assert.equal(await total(engine, EVERYTHING), 12 * 400 - 900);
  });

  it('a large batch, prepared by two threads, comes to the same as by one; a broken one leaves nothing', async () => {
    await using alone = await openOwnEngine({});
    await using split = await openOwnEngine({ workers: 1, builders: 2 });
    const wind = { body: 'wind', retrieved: 2_000_000_000 };
    const changed = comments(6_000, 5_000).map((known) => ({ ...known, ...wind }));
    const batches = [comments(10_000), [...comments(2_000, 9_000), ...changed, ...changed]];
    for (const batch of batches) {
      const source = { source: 'dump', state: String(batch.length) };
      assert.deepEqual(
        await split.index('comment', packRecords(batch), source),
        await alone.index('comment', packRecords(batch), source),
      );
      assert.equal((await split.checkpoints('comment')).get('dump'), source.state);
    }
    for (const word of ['solar', 'panel', 'wind']) {
      assert.equal(await total(split, queryOf(word)), await total(alone, queryOf(word)), word);
    }
    // Segments with many dead records are written anew meanwhile.
    await split.maintain();
    const files = readdirSync(join(split.path, 'comments'));
    const good = packRecords(comments(9_999, 50_000));
    const [last] = packRecords([comment({ id: 'x', body: 'breaks off' })]).parts;
    // One of the two lanes meets it; neither meets the other fault.
    const broken = { count: 10_000, parts: [...good.parts, last!.subarray(0, -3)] };
    await assert.rejects(split.index('comment', broken), { message: /one that breaks off/ });
    const short = { ...good, count: 10_000 };
    await assert.rejects(split.index('comment', short), { message: /expected 10000 .* found 9999/ });
    assert.deepEqual(readdirSync(join(split.path, 'comments')), files);
    assert.equal(await total(split, EVERYTHING), await total(alone, EVERYTHING));
  });

  it('a broken batch is refused where a record of it was removed too: what was left of it was committed', async () => {
    const removals = new TestRemovals();
    removals.add({ ids: ['c0'] });
    await using engine = await openOwnEngine({ removals, workers: 1 });
    const { count, parts } = packRecords(comments(3));
    const short = { count, parts: [parts[0]!.subarray(0, -3)] };
    await assert.rejects(engine.index('comment', short), { message: /one that breaks off/ });
    const miscounted = { count: count + 1, parts };
    await assert.rejects(engine.index('comment', miscounted), { message: /expected 4 .* found 3/ });
    assert.equal(await total(engine, EVERYTHING), 0);
    assert.equal((await engine.index('comment', { count, parts })).removed, 1);
    assert.equal(await total(engine, EVERYTHING), 2);
  });

  it('errors that a caller can act on arrive as what they are', async () => {
    await using engine = await openOwnEngine({ workers: 1 }, comments(10));
    const late = engine.ask({ kind: 'comment', query: EVERYTHING, timeoutMs: 0 });
    await assert.rejects(late, { name: 'ServiceError', code: 'query_timeout', status: 503, retryAfter: 1 });
    const broken = engine.index('comment', { count: 1, parts: [Uint8Array.of(9, 0, 0)] });
    await assert.rejects(broken, { name: 'Error', message: /expected 1 packed records, found 0/ });
    assert.equal(await total(engine, EVERYTHING), 10);
  });
});

/** No worker can start from now on. */
function breakWorkers(): Disposable {
  const { Worker: Original } = workerThreads;
  workerThreads.Worker = class extends Original {
    constructor() {
      super('throw new Error("no room for a thread")', { eval: true });
    }
  };
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      workerThreads.Worker = Original;
      syncBuiltinESMExports();
    },
  };
}

/** An engine in a folder of its own, and the threads that it starts. */
async function watchedEngine(options: Partial<EmbeddedOptions>) {
  await using owned = new AsyncDisposableStack();
  const workers = owned.use(watchWorkers('worker.ts'));
  const engine = owned.use(await openOwnEngine(options));
  const kept = owned.move();
  return { engine, workers, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

describe('the threads that answer', () => {
  it('have all started and answered once it is warm; no question starts one then', async () => {
    await using watched = await watchedEngine({ workers: 3 });
    const { engine, workers } = watched;
    await engine.warm();
    assert.equal(workers.started.length, 3);
    await Promise.all(Array.from({ length: 10 }, () => total(engine, EVERYTHING)));
    await engine.warm();
    assert.equal(workers.started.length, 3);
  });

  it('closed while it is warmed, it starts none any more: they read files that were closed', async () => {
    await using watched = await watchedEngine({ workers: 2 });
    const { engine, workers } = watched;
    await engine.index('post', packRecords([post({ id: 'a' })]));
    const warming = engine.warm();
    const before = workers.started.length;
    await engine[Symbol.asyncDispose]();
    await warming;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(workers.started.length, before);
  });

  it('where the caller ends soon, only a large index starts any', async () => {
    await using written = await openOwnEngine({}, [post({ id: 'a' }), post({ id: 'b' })]);
    const question = { kind: 'post', query: { items: [] } } as const;
    for (const [smallDocs, started] of [
      [2, 0],
      [1, 2],
    ] as const) {
      using workers = watchWorkers('worker.ts');
      const options = { rules: RULES, workers: 2, isBrief: true, smallDocs };
      await using engine = await openEmbeddedEngine(written.path, options);
      assert.equal((await engine.ask(question)).total, 2);
      assert.equal(workers.started.length, started);
    }
  });

  it('where the caller ends soon, large batches start one', async () => {
    await using watched = await watchedEngine({ workers: 2, isBrief: true });
    const { engine, workers } = watched;
    await engine.index('post', packRecords([post({ id: 'a' })]));
    assert.equal(workers.started.length, 0);
    engine.expectBatches!();
    await engine.index('post', packRecords([post({ id: 'b' })]));
    assert.equal(workers.started.length, 1);
    assert.equal((await engine.ask({ kind: 'post', query: { items: [] } })).total, 2);
  });

  it('a scan goes on where it began when batches are expected in its midst', async () => {
    await using engine = await openOwnEngine({ workers: 1, isBrief: true }, comments(3_000));
    let records = 0;
    for await (const batch of engine.scan('comment', { items: [] }, 'newest')) {
      if (records === 0) engine.expectBatches!();
      records += batch.length;
    }
    assert.equal(records, 3_000);
  });

  it('spare ones stand ready besides, and do not know those that help each other', async (t) => {
    const meet = t.mock.method(WorkerThread.prototype, 'meet');
    await using watched = await watchedEngine({ workers: 2, spareWorkers: 1 });
    const { engine, workers } = watched;
    await engine.warm();
    assert.equal(workers.started.length, 3);
    assert.equal(meet.mock.callCount(), 1);
  });

  // Elsewhere the priority would be that of the whole process; one that stands back already stays where it is.
  const hasPriorities = process.platform === 'linux' && getPriority() <= 0;
  it('a spare one goes before those at long work, and behind the event loop', {
    skip: !hasPriorities,
  }, async () => {
    const threadsAt = (niceness: number) => nicenessOfThreads().filter((one) => one === niceness).length;
    const before = [1, 5].map(threadsAt);
    await using engine = await openOwnEngine({ workers: 2, spareWorkers: 1 });
    await engine.warm();
    const added = [1, 5].map((niceness, i) => threadsAt(niceness) - before[i]!);
    assert.deepEqual(added, [1, 2]);
  });

  it('a thread that ended was not started again: the next question is answered where one or all have died', async () => {
    await using watched = await watchedEngine({ workers: 2 });
    const { engine, workers } = watched;
    await engine.index('comment', packRecords(comments(10)));
    await engine.warm();
    const readers = workers.started.slice(-2);
    await readers[0]!.terminate();
    assert.equal(await total(engine, EVERYTHING), 10);
    await Promise.all(workers.started.slice(-2).map((worker) => worker.terminate()));
    const answers = await Promise.all(Array.from({ length: 5 }, () => total(engine, EVERYTHING)));
    assert.deepEqual(answers, [10, 10, 10, 10, 10]);
    await Promise.all(workers.started.slice(-2).map((worker) => worker.terminate()));
    await engine.warm();
    assert.equal(await total(engine, EVERYTHING), 10);
  });

  it('that cannot start are an EngineUnavailable: was an error of ours', async () => {
    await using engine = await openOwnEngine({ workers: 2 });
    {
      using _broken = breakWorkers();
      await assert.rejects(total(engine, EVERYTHING), EngineUnavailable);
    }
    assert.equal(await total(engine, EVERYTHING), 0, 'the next one tries again');
  });

  it('questions that wait for a thread are answered although it dies', async () => {
    await using watched = await watchedEngine({ workers: 1 });
    const { engine, workers } = watched;
    await engine.index('comment', packRecords(comments(10)));
    await engine.warm();
    const questions = Array.from({ length: 4 }, () => total(engine, EVERYTHING));
    const died = workers.started.at(-1)!.terminate();
    const answers = await Promise.allSettled(questions);
    const failed = answers.filter((answer) => answer.status === 'rejected');
    // Which one it was at work on is chance: its last answers may still come in while it dies.
    assert.ok(failed.length <= 1, `${failed.length} questions were lost with one thread`);
    for (const { reason } of failed) assert.match(reason.message, /a thread of the search engine/);
    const totals = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    assert.deepEqual(new Set(totals), new Set([10]));
    await died;
  });

  it('a budget counts from when a thread takes the question: starting one that takes longer is no query_timeout', async () => {
    using folder = temporaryFolder();
    const slowStart = `import { isMainThread } from 'node:worker_threads';
      if (!isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);`;
    const script = `
      import { openEmbeddedEngine } from ${urlOf('../engine.ts')};
      const engine = await openEmbeddedEngine(process.argv[2], { rules: { keepOriginals: false }, workers: 2 });
      const questions = Array.from({ length: 5 }, () =>
        engine.ask({ kind: 'comment', query: { items: [] }, timeoutMs: 1000 }));
      console.log((await Promise.all(questions)).map(({ total }) => total).join(' '));
      await engine[Symbol.asyncDispose]();`;
    const preload = `data:text/javascript,${encodeURIComponent(slowStart)}`;
    const file = join(folder.path, 'ask.mjs');
    writeFileSync(file, script);
    const words = ['--import', preload, file, folder.path];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    assert.equal(stdout, '0 0 0 0 0\n');
  });
});

describe('the folder of the engine', () => {
  it('a second writer is refused with a word on who writes and what to do; readers are not', async () => {
    using folder = temporaryFolder();
    await using first = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
    await first.index('post', packRecords([post({ id: '1' })]));
    await using second = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
    assert.equal((await second.ask({ kind: 'post', query: EVERYTHING })).total, 1);
    await assert.rejects(second.index('post', packRecords([post({ id: '2' })])), { name: 'UsageError' });
    await first[Symbol.asyncDispose]();
    await second.index('post', packRecords([post({ id: '2' })]));
  });

  for (const workers of [0, 2]) {
    it(`a database that was deleted is missed by every writer, whether it had it open or not: ${workers} threads`, async () => {
      using folder = temporaryFolder();
      const data = join(folder.path, 'data');
      await using first = await openEmbeddedEngine(data, { rules: RULES, workers });
      await first.index('post', packRecords([post({ id: '1' })]));
      await using second = await openEmbeddedEngine(data, { rules: RULES, workers });
      await second.refresh();
      rmSync(data, { recursive: true });
      const missed = { name: 'StorageError', message: /posts\.db`: expected the database of .*, found none/ };
      for (const engine of [second, first])
        await assert.rejects(engine.index('post', packRecords([post({ id: '2' })])), missed);
      assert.ok(!existsSync(join(data, 'posts.db')));
    });
  }

  it('nothing is written before the first record', async () => {
    using folder = temporaryFolder();
    await using engine = await openEmbeddedEngine(join(folder.path, 'data'), { rules: RULES, workers: 0 });
    assert.equal(await total(engine, EVERYTHING), 0);
    assert.equal((await engine.checkpoints('post')).get('x'), undefined);
    assert.deepEqual(existsSync(join(folder.path, 'data')) ? readdirSync(join(folder.path, 'data')) : [], []);
  });
});
