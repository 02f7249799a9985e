// Moves the records of one embedded index to another, and dies by SIGKILL before or behind a write: for killed.test.ts.
//
//   node move-child.ts <source> <target> <number of the write> before|behind

import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { moveRecords } from '../../src/features/move/move.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { NO_REMOVALS } from '../../src/model/removals.ts';
import { instead } from '../helpers.ts';

const [from = '', to = '', number = '', when = ''] = process.argv.slice(2);
const options = { rules: { keepOriginals: false }, workers: 1 };
await using source = await openEmbeddedEngine(from, options);
await using target = await openEmbeddedEngine(to, options);
let left = Number(number);

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

const dying = instead(target, 'index', async (...given: Parameters<SearchEngine['index']>) => {
  left--;
  if (left === 0 && when === 'before') die();
  const report = await target.index(...given);
  if (left === 0) die();
  return report;
});
const parts = { source, target: dying, folder: 'one', removals: NO_REMOVALS };
const { isWhole } = await moveRecords(parts, { batchRecords: 1_000 });
process.exitCode = isWhole ? 0 : 1;
