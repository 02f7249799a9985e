import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Gate } from './password.ts';

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
    const results = await Promise.all(numbers.map((n) => gate.run('strangers', () => work(n))));
    assert.equal(most, 2);
    assert.deepEqual(started, numbers);
    assert.deepEqual(results, numbers);
  });

  it('work that fails gives its place on', async () => {
    const gate = new Gate(1, 100);
    await assert.rejects(
      gate.run('known', async () => Promise.reject(new Error('broken'))),
      { message: 'broken' },
    );
    assert.equal(await gate.run('known', async () => 'next'), 'next');
  });

  it('a full lane is busy, and open again when it has emptied', async () => {
    const gate = new Gate(1, 1);
    const first = gate.run('strangers', () => new Promise(setImmediate));
    const second = gate.run('strangers', async () => 'waited');
    await assert.rejects(
      gate.run('strangers', async () => 'never'),
      { code: 'busy', retryAfter: 5 },
    );
    assert.deepEqual(gate.figures(), { running: 1, waiting: 1, admitted: 2, refused: 1 });
    await first;
    assert.equal(await second, 'waited');
    assert.equal(await gate.run('strangers', async () => 'again'), 'again');
    assert.deepEqual(gate.figures(), { running: 0, waiting: 0, admitted: 3, refused: 1 });
  });

  it('whoever is known goes before strangers, however many of them wait', async () => {
    const gate = new Gate(1, 3);
    const done: string[] = [];
    const run = (lane: 'known' | 'strangers', name: string) => gate.run(lane, async () => done.push(name));
    const first = run('strangers', 'first');
    const strangers = [1, 2, 3].map((n) => run('strangers', `stranger ${n}`));
    assert.deepEqual([gate.refuses('strangers'), gate.refuses('known')], [true, false]);
    await Promise.all([first, ...strangers, run('known', 'known')]);
    assert.deepEqual(done, ['first', 'known', 'stranger 1', 'stranger 2', 'stranger 3']);
  });
});
