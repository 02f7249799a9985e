// 20 users beside 500 connections that send nothing, send a byte of their head or body now and then, or ask for a page
// of 8 MiB and do not read it: the times of the users with and without them, and how many of the slow ones are left.
//
//   npm run test:long -- slow-sockets [--sockets 500] [--users 20] [--seconds 30]

import { parseArgs } from 'node:util';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { percentile } from '../chaos/figures.ts';
import { openEngine } from '../chaos/folder-state.ts';
import { searchPaths } from '../chaos/served-folder.ts';
import { openConnections, SlowSockets, type UserReport, users } from '../chaos/slow-sockets.ts';
import { fillStopped } from '../chaos/stops.ts';
import { post, temporaryFolder } from '../helpers.ts';
import { serve } from '../processes.ts';

const { values } = parseArgs({
  options: {
    sockets: { type: 'string', default: '500' },
    users: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
  },
});
const seconds = Number(values.seconds);
using folder = temporaryFolder();
const { key, otherKey } = await fillStopped(folder.path, 50_000);
await fillLarge(folder.path);
await using server = await serve(['--data', folder.path]);
const target = {
  port: Number(new URL(server.address).port),
  key,
  largePath: '/api/v1/search/posts?query=&limit=10',
};
const small = await searchPaths(folder.path);
await users(target, small, Number(values.users), { seconds: 5, pauseMs: 100 });
tell('alone', await users(target, small, Number(values.users), { seconds, pauseMs: 100 }));
{
  using _ = new SlowSockets({ ...target, key: otherKey }, Number(values.sockets));
  const beside = await users(target, small, Number(values.users), { seconds, pauseMs: 100 });
  tell(`beside ${values.sockets} slow connections`, beside);
  console.log(`slow connections left after ${seconds} s: ${openConnections(target.port)}`);
}

/** Eight of them are a whole page. */
async function fillLarge(path: string): Promise<void> {
  await using engine = await openEngine(path);
  const large = Array.from({ length: 10 }, (_, i) =>
    post({ id: `large${i}`, created: i, selftext: `${i} ${'x'.repeat(1_000_000)}` }),
  );
  await engine.index('post', packRecords(large));
}

function tell(what: string, { ms, failed }: UserReport): void {
  const at = (share: number) => `${percentile(ms, share).toFixed(1)} ms`;
  const figures = `p50 ${at(0.5)}, p95 ${at(0.95)}, slowest ${at(1)}`;
  console.log(`${what}: ${ms.length} answers, ${figures}; ${failed} without`);
}
