// A process of its own that indexes the same comments over and over, each time newer copies: what removals are hidden
// beside. Arguments: the data folder, the file of the list of removals. A line of output a batch; a line of input
// that says
// `idle` stops the batches and keeps the lock, the end of input ends it.

import { createInterface } from 'node:readline';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { FileRemovals } from './file-removals.ts';
import { BATCHES, batchOf } from './removal-corpus.ts';

const [folder, list] = process.argv.slice(2);
const options = { rules: { keepOriginals: false }, workers: 1, removals: new FileRemovals(list!) };
await using engine = await openEmbeddedEngine(folder!, options);
let isIdle = false;
let isOver = false;
const input = createInterface(process.stdin);
input.on('line', () => {
  isIdle = true;
});
const over = new Promise<void>((resolve) =>
  input.once('close', () => {
    isOver = true;
    resolve();
  }),
);
for (let round = 0; !isIdle && !isOver; round++) {
  const { removed } = await engine.index('comment', packRecords(batchOf(round % BATCHES, round)));
  process.stdout.write(`${round} ${removed}\n`);
}
process.stdout.write('idle\n');
await over;
