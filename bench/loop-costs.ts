// What answers that are long lists cost the event loop: its processor time for each, and the most of it at a stretch,
// so that other work on the machine hardly counts. Several checkouts by turns.
// `npm run bench -- loop-costs DATA_FOLDER [CHECKOUT…] [--rounds 1] [--asked 12]`; without a checkout: of this one

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Connections, requestBytes } from './raw-load.ts';
import { startServer, type WatchedServer } from './watched-server.ts';

const PATHS = [
  'breakdown/comments?query=but&field=subreddit&limit=1000&step=month',
  'breakdown/comments?query=but&field=subreddit&limit=1000&step=month&format=csv',
  'breakdown/posts?query=&field=subreddit&limit=1000&step=month&normalise=none',
  'breakdown/comments?query=the&field=subreddit&limit=10000',
  'timeline/comments?query=there&step=day&measure=sentiment',
  'words/comments?query=people&sample=5000',
  'sample/comments?query=the&limit=10000',
  'search/comments?query=a&limit=1000',
];
const FIRST = 4;
/** So that what follows an answer is no part of the next one. */
const REST_MS = 200;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '1' }, asked: { type: 'string', default: '12' } },
});
const [folder, ...given] = positionals;
if (folder === undefined) throw new Error('expected a data folder');
const checkouts = given.length > 0 ? given : [fileURLToPath(new URL('..', import.meta.url))];

process.stdout.write(
  '| answer | checkout | loop, ms of processor time | at a stretch: median, most | whole, ms |\n',
);
process.stdout.write('|---|---|--:|--:|--:|\n');
for (let round = 0; round < Number(values.rounds); round++) {
  for (const checkout of checkouts) {
    await using server = await startServer(folder, 1, `${checkout}/bin/colloquy.mjs`);
    for (const path of PATHS) await tell(server, path, checkout);
  }
}

async function tell(server: WatchedServer, path: string, checkout: string): Promise<void> {
  using connections = new Connections(server.port);
  const request = requestBytes(`/api/v1/${path}`, server.keys[0]!);
  for (let i = 0; i < FIRST; i++) await connections.ask(request);
  await sleep(REST_MS);
  await server.figures();
  const holds: number[] = [];
  let [ownMs, wholeMs] = [0, 0];
  for (let i = 0; i < Number(values.asked); i++) {
    const { status, code, ms } = await connections.ask(request);
    if (status !== 200) throw new Error(`${path}: expected 200, found ${status} ${code}`);
    const { maxHold, ownCpu } = await server.figures();
    holds.push(maxHold);
    ownMs += ownCpu;
    wholeMs += ms;
  }
  holds.sort((a, b) => a - b);
  const means = [ownMs, wholeMs].map((sum) => (sum / holds.length).toFixed(1));
  const stretches = [holds[holds.length >> 1]!, holds.at(-1)!].map((ms) => ms.toFixed(1));
  process.stdout.write(`| ${path} | ${checkout} | ${means[0]} | ${stretches.join(', ')} | ${means[1]} |\n`);
}
