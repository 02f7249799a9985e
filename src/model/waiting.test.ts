import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { Pool } from './waiting.ts';

/** Threads by name, driven by hand. */
class Threads {
  readonly started = new Set<string>();
  readonly working = new Set<string>();
  readonly queue = new Pool<string>(() => [...this.started].find((name) => !this.working.has(name)) ?? null);

  start(name: string): void {
    this.started.add(name);
    this.queue.turn();
  }

  /** Resolves with the name of the thread once `end` is called with it. */
  ask(budgetMs: number): Promise<string> {
    return this.queue.run(
      (name) => {
        this.working.add(name);
        const { promise, resolve } = Promise.withResolvers<string>();
        this.#ends.set(name, () => resolve(name));
        return promise;
      },
      { ms: budgetMs },
    );
  }

  end(name: string): void {
    this.working.delete(name);
    this.#ends.get(name)!();
    this.queue.turn();
  }

  readonly #ends = new Map<string, () => void>();
}

describe('questions that wait for a thread', () => {
  it('go to whichever thread is free first, in the order in which they came', async () => {
    const threads = new Threads();
    threads.start('a');
    threads.start('b');
    const asked = [1, 2, 3, 4].map(() => threads.ask(Infinity));
    assert.equal(threads.queue.waiting(), 2);
    for (const name of ['b', 'b', 'b', 'a']) threads.end(name);
    assert.deepEqual(await Promise.all(asked), ['a', 'b', 'b', 'b']);
  });

  it('what waits longer than its budget while others are answered is `busy`, and nobody begins it later', async () => {
    const threads = new Threads();
    threads.start('a');
    const first = threads.ask(1);
    await assert.rejects(threads.ask(1), { name: 'ServiceError', code: 'busy', status: 503, retryAfter: 1 });
    threads.end('a');
    assert.equal(await first, 'a');
    assert.deepEqual([threads.queue.waiting(), threads.working.size], [0, 0]);
  });

  it('one whose caller goes leaves the queue at once, and nobody begins it later', async () => {
    const threads = new Threads();
    const controller = new AbortController();
    const { signal } = controller;
    let begun = 0;
    const begin = async () => ++begun;
    const asked = threads.queue.run(begin, { signal });
    const other = threads.ask(Infinity);
    assert.equal(threads.queue.waiting(), 2);
    const reason = new Error('the caller has gone');
    controller.abort(reason);
    assert.equal(threads.queue.waiting(), 1);
    await assert.rejects(asked, (error) => error === reason);
    threads.start('a');
    assert.deepEqual([begun, threads.queue.waiting()], [0, 0]);
    threads.end('a');
    assert.equal(await other, 'a');
  });

  it('one that has been begun is not taken back, and its signal is left alone when it is over', async () => {
    const threads = new Threads();
    threads.start('a');
    const { signal } = new AbortController();
    assert.equal(await threads.queue.run(async (name) => name, { signal }), 'a');
    await new Promise(setImmediate);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('is given up with an error where no thread will come', async () => {
    const threads = new Threads();
    const asked = threads.ask(Infinity);
    const settled = threads.queue.settled();
    threads.queue.giveUp(new Error('no thread'));
    await assert.rejects(asked, { message: 'no thread' });
    await settled;
  });
});
