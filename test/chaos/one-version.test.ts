// Every answer given while another process imports comes from one version of the index.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { ORDERS } from '../../src/model/pages.ts';
import { temporaryFolder } from '../helpers.ts';
import { BATCH_RECORDS, checkAnswer, checkWalk } from './one-version.ts';

const WRITER = fileURLToPath(new URL('./one-version-writer.ts', import.meta.url));
const BATCHES = 120;
/** Those that are written beside one round of checks at the most. */
const A_ROUND = 20;

it('while another process imports, count, page, breakdown and timeline agree, and walks lose nothing', async () => {
  using folder = temporaryFolder();
  const writer = spawn(process.execPath, [WRITER, folder.path, `${BATCHES}`, `${A_ROUND}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // What is said to a writer that has ended is lost, and meant to be.
  writer.stdin.on('error', () => undefined);
  const ended = once(writer, 'close');
  writer.stdout.resume();
  await using engine = await openEmbeddedEngine(folder.path, { rules: { keepOriginals: false }, workers: 2 });
  const totals = new Set<number>();
  for (let round = 0; writer.exitCode === null; round++) {
    writer.stdin.write('\n');
    const order = ORDERS[round % 3]!;
    // Several at once, on different threads.
    const [one, other] = await Promise.all([checkAnswer(engine, order), checkAnswer(engine, 'newest')]);
    totals.add(one).add(other);
    await checkWalk(engine, round % 2 === 0 ? 'newest' : 'oldest', [500, 120, 33][round % 3]!);
  }
  const [code] = await ended;
  assert.equal(code, 0);
  assert.equal(await checkAnswer(engine, 'newest'), (BATCHES / 2) * BATCH_RECORDS);
  assert.ok(totals.size > 2, 'answers came from several versions');
});
