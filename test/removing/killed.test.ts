// Removals, undos and purges killed at random moments: what was acknowledged holds, what was begun is brought to its
// end or has not happened, and the index is whole.

import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { temporaryFolder } from '../helpers.ts';
import { colloquy, commentsIn, start, until } from '../import/cli-helpers.ts';
import { commentLine } from '../import/import-helpers.ts';

const RECORDS = 6000;
const ROUNDS = 4;

async function removalsIn(data: string) {
  await using catalogue = Catalogue.open(data);
  return catalogue.removals.all();
}

it(`${ROUNDS} rounds of a removal, its undo and a purge, each killed`, { timeout: 300_000 }, async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const dump = join(folder.path, 'dump');
  writeFileSync(dump, Array.from({ length: RECORDS }, (_, i) => commentLine(`c${i}`)).join('\n'));
  const run = (words: readonly string[], input?: string) => colloquy([...words, '--data', data], input);
  assert.equal((await run(['import', dump])).code, 0);

  // Nobody kills this one: the others are killed within the time that it takes here.
  const began = performance.now();
  assert.equal((await run(['remove', 'comments', 'unknown'])).code, 0);
  const wholeMs = Math.ceil(performance.now() - began);

  /** Runs a command and kills it at a random moment, if it has not ended by then. */
  async function killed(words: readonly string[]): Promise<void> {
    const running = start([...words, '--data', data]);
    running.process.stdin?.end();
    await setTimeout(randomInt(wholeMs));
    running.process.kill('SIGKILL');
    await running.ended;
  }

  const gone = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const ids = Array.from({ length: 500 }, (_, i) => round * 1000 + i * 2);
    const file = join(folder.path, `ids${round}`);
    writeFileSync(file, ids.map((i) => `c${i}`).join('\n'));
    const before = (await removalsIn(data)).length;
    await killed(['remove', 'comments', '--from', file]);
    // Any later removal brings it to its end first, or drops it.
    assert.equal((await run(['remove', 'comments', 'unknown'])).code, 0);
    const after = await removalsIn(data);
    assert.ok(after.every(({ state }) => state === 'done' || state === 'undone'));
    const number = after.length - before === 2 ? after.at(-2)!.id : null;
    if (number !== null) for (const i of ids) gone.add(i);
    assert.equal(await commentsIn(data), RECORDS - gone.size, `round ${round}`);

    if (number !== null && round % 2 === 0) {
      await killed(['remove', '--undo', String(number)]);
      assert.equal((await run(['remove', 'comments', 'unknown'])).code, 0);
      const { state } = (await removalsIn(data)).find(({ id }) => id === number)!;
      if (state === 'undone') for (const i of ids) gone.delete(i);
      assert.equal(await commentsIn(data), RECORDS - gone.size, `undo in round ${round}`);
    } else if (number !== null) {
      await killed(['remove', '--purge']);
      assert.equal(await commentsIn(data), RECORDS - gone.size, `purge in round ${round}`);
    }
  }
  assert.equal((await run(['remove', '--purge'])).code, 0);
  assert.equal((await run(['import', dump])).code, 0);
  assert.equal(await commentsIn(data), RECORDS - gone.size);
  const check = await run(['check', '--json']);
  assert.deepEqual(JSON.parse(check.stdout).problems, []);
});

it('a server brings to its end what a killed removal left', { timeout: 120_000 }, async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const dump = join(folder.path, 'dump');
  writeFileSync(dump, [commentLine('a'), commentLine('b')].join('\n'));
  await colloquy(['import', dump, '--data', data]);
  {
    await using catalogue = Catalogue.open(data);
    const removal = catalogue.removals.begin('comments', false);
    catalogue.removals.add(removal, [{ kind: 'comment', name: 'a' }]);
    catalogue.removals.hold(removal);
  }
  assert.equal(await commentsIn(data), 2);
  const server = start(['serve', '--port', '0', '--no-sample', '--data', data]);
  try {
    await until(async () => (await commentsIn(data)) === 1 || null);
    await until(async () => (await removalsIn(data))[0]?.state === 'done' || null);
  } finally {
    server.process.kill('SIGTERM');
    assert.equal(await server.ended, 0);
  }
});
