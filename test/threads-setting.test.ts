// COLLOQUY_THREADS=0 is there for debuggers: no step of a question may go on in another thread. Nor does one of a
// command that ends soon, where the index is small.

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { post, temporaryFolder } from './helpers.ts';

/** How many threads are started while records come in and a question is answered. */
async function threadsStarted(threads: string, isLasting = true): Promise<number> {
  let started = 0;
  const count = () => void started++;
  subscribe('worker_threads', count);
  try {
    using folder = temporaryFolder();
    const config = readConfig({ COLLOQUY_DATA: folder.path, COLLOQUY_THREADS: threads });
    await using app = await openApp(config, { isLasting });
    await app.engine.index('post', packRecords([post({ id: 'a', title: 'solar' })]));
    const wish = { kind: 'post', query: 'solar', order: 'newest', limit: 1, after: null } as const;
    const { envelope } = await app.search.search(wish);
    assert.equal(envelope.total_count, 1);
  } finally {
    unsubscribe('worker_threads', count);
  }
  return started;
}

describe('COLLOQUY_THREADS', () => {
  it('0: everything happens in the thread that asks', async () => assert.equal(await threadsStarted('0'), 0));

  it('1: a command that ends soon needs none', async () => assert.equal(await threadsStarted('1', false), 0));

  it('1: a question has a thread of its own', async () => assert.ok((await threadsStarted('1')) >= 1));
});
