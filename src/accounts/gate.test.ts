import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Gate } from './gate.ts';

describe('gate', () => {
  it('lets so many through at once, and everyone in the end, in the order they came', async () => {
    const gate = new Gate(2, 100);
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const work = async (n: number): Promise<number> => {
      started.push(n);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return n;
    };
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const results = await Promise.all(numbers.map((n) => gate.run(() => work(n))));
    assert.equal(most, 2);
    assert.deepEqual(started, numbers);
    assert.deepEqual(results, numbers);
  });

  it('work that fails gives its place on', async () => {
    const gate = new Gate(1, 100);
    await assert.rejects(
      gate.run(async () => Promise.reject(new Error('broken'))),
      { message: 'broken' },
    );
    assert.equal(await gate.run(async () => 'next'), 'next');
  });

  it('a full queue is busy, and open again when it has emptied', async () => {
    const gate = new Gate(1, 1);
    const first = gate.run(() => new Promise(setImmediate));
    const second = gate.run(async () => 'waited');
    await assert.rejects(
      gate.run(async () => 'never'),
      { code: 'busy', retryAfter: 1 },
    );
    await first;
    assert.equal(await second, 'waited');
    assert.equal(await gate.run(async () => 'again'), 'again');
  });
});
