// The process that writes while a server answers: so many records a second, a hundred at a time, until it is told to
// stop (standard input ends). Each batch has a word of its own; one record in ten replaces an older one.
// Tells of each acknowledged batch by a line: number, and when it was acknowledged in Unix milliseconds.

import { syntheticComments } from '../../bench/corpus.ts';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { COMMUNITIES, LIVE_BATCH, liveWord } from './live-server.ts';

const [folder, rate] = [process.argv[2]!, Number(process.argv[3])];
const MAX_RECORDS = 100_000_000;
/** Records of batches so far back are replaced: nobody waits for them any more. */
const REPLACED_BACK = 100;
const REPLACED_EVERY = 10;

let isStopping = false;
process.stdin.on('end', () => {
  isStopping = true;
});
process.stdin.resume();

await using app = await openApp({ ...readConfig({}), dataFolder: folder });
const began = performance.now();
const batches = syntheticComments(MAX_RECORDS, { batch: LIVE_BATCH, communities: COMMUNITIES, seed: 77 });
let number = 0;
for (const made of batches) {
  const due = began + (number * LIVE_BATCH * 1000) / rate;
  const wait = due - performance.now();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
  if (isStopping) break;
  await app.engine.index('comment', packRecords(made.map((record, i) => live(record, i))), {
    source: 'live',
    state: String(number),
  });
  const lateMs = performance.now() - due;
  process.stdout.write(`${JSON.stringify({ number, at: now(), lateMs })}\n`);
  number++;
}

function live(record: StoredComment, place: number): StoredComment {
  const isCopy = place % REPLACED_EVERY === 0 && number >= REPLACED_BACK;
  const of = isCopy ? number - REPLACED_BACK : number;
  const created = Math.floor(Date.now() / 1000);
  const body = `${record.body} ${liveWord(number)}`;
  // Two of a batch never replace the same one.
  const id = `l${of.toString(36)}_${isCopy ? place + 1 : place}`;
  return { ...record, id, body, created, retrieved: 1_800_000_000 + number };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
