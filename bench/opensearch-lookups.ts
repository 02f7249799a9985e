// `npm run bench -- opensearch-lookups [--records 10000000] [--batch 20000] [--shards 3] [--heap 4g] [--data FOLDER]`:
// how long a record by its id takes, asked by another process than the one that imports: right behind each batch, and
// while the next one is written. Of each million a line: least, median, p99, most. The node keeps its data in FOLDER,
// which is made; absent: in memory.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openOpenSearchEngine } from '../src/engines/opensearch/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { freshSettings } from '../test/opensearch/harness.ts';
import { ownCluster } from '../test/opensearch/test-cluster.ts';
import { syntheticComments } from './corpus.ts';
import { percentiles } from './measure.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000000' },
    batch: { type: 'string', default: '20000' },
    shards: { type: 'string', default: '3' },
    heap: { type: 'string', default: '4g' },
    data: { type: 'string' },
    reader: { type: 'string' },
  },
});
const RULES = { keepOriginals: false };
/** Of each so many records a line is printed. */
const STEP = 1_000_000;

if (values.reader === undefined) await write();
else await read();

async function write(): Promise<void> {
  const batch = Number(values.batch);
  const settings = values.data === undefined ? {} : { 'path.data': resolve(values.data) };
  if (values.data !== undefined) {
    mkdirSync(values.data, { recursive: true });
    // Nodes run as nobody.
    chmodSync(values.data, 0o777);
  }
  await using cluster = await ownCluster({ heap: values.heap, isLongLived: true, settings });
  const place = { ...freshSettings(cluster.addresses), shards: Number(values.shards) };
  await using engine = await openOpenSearchEngine(place, { rules: RULES });
  const reader = fork(import.meta.filename, ['--reader', JSON.stringify(place)]);
  await once(reader, 'message');
  const lookup = async (id: string): Promise<number> => {
    reader.send(id);
    const [ms] = (await once(reader, 'message')) as [number];
    return ms;
  };
  const taken = { behind: [] as number[], during: [] as number[], commit: [] as number[] };
  let there = 0;
  let last: string | null = null;
  for (const records of syntheticComments(Number(values.records), { batch, communities: 5_000 })) {
    const packed = packRecords(records);
    const began = performance.now();
    const writing = engine.index('comment', packed);
    if (last !== null) {
      await sleep(100);
      taken.during.push(await lookup(last));
    }
    await writing;
    taken.commit.push(performance.now() - began);
    last = records[Math.floor(records.length / 2)]!.id;
    taken.behind.push(await lookup(last));
    there += records.length;
    if (there % STEP >= batch) continue;
    const told = Object.entries(taken).map(([name, ms]) => `${name} ${rowOf(ms)}`);
    console.log(`${new Date().toISOString()} ${there.toLocaleString('en')} records, ms: ${told.join('; ')}`);
    for (const ms of Object.values(taken)) ms.length = 0;
  }
  reader.disconnect();
}

async function read(): Promise<void> {
  await using engine = await openOpenSearchEngine(JSON.parse(values.reader!), { rules: RULES });
  process.on('message', async (id: string) => {
    const began = performance.now();
    await engine.refresh();
    const { records } = await engine.records({ kind: 'comment', ids: [id] });
    if (records.length !== 1) console.error(`${id} is not there`);
    process.send!(performance.now() - began);
  });
  process.send!('ready');
  await once(process, 'disconnect');
}

function rowOf(ms: readonly number[]): string {
  if (ms.length === 0) return '–';
  const { p50, p99 } = percentiles(ms);
  return [Math.min(...ms), p50, p99, Math.max(...ms)].map((one) => one.toFixed(0)).join('/');
}
