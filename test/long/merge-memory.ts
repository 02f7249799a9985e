// How much memory the largest merges take: a process that has an index open and does nothing, and the same process at
// the peak of a merge of sixteen segments into a full one, and of four full ones cut by time into four.
//
//   npm run test:long -- merge-memory [--records 1000000]     of a full segment; the index has four of them

import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { syntheticComments } from '../../bench/corpus.ts';
import { ONLY_LANE } from '../../src/engines/embedded/building/batch-records.ts';
import { KindStore } from '../../src/engines/embedded/index/view.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { temporaryFolder } from '../helpers.ts';
import { WholeThread } from '../whole-thread.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    /** For the child alone: the index, and how many of its segments to merge into how many. */
    folder: { type: 'string' },
    sources: { type: 'string', default: '16' },
    pieces: { type: 'string', default: '1' },
  },
});
const RULES = { keepOriginals: false };
const SMALL = 16;
const FULL = 4;
const MAX_MEGABYTES = 300;

if (values.folder !== undefined) merge(values.folder, Number(values.sources), Number(values.pieces));
else await measure(Number(values.records));

async function measure(records: number): Promise<void> {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  for (let full = 0; full < FULL; full++) {
    fill(folder, records, full);
    await inChild(folder, SMALL, 1);
  }
  await inChild(folder, FULL, FULL);
}

/** Sixteen segments, with no merge between. */
function fill(folder: string, records: number, seed: number): void {
  const { thread, store, show } = openThread(folder);
  const batch = Math.ceil(records / SMALL);
  for (const some of syntheticComments(records, { batch, communities: 5000, seed: seed + 1 })) {
    // Ids of their own.
    const own = some.map((record) => ({ ...record, id: `${seed}${record.id}` }));
    const parts = [thread.writing.prepareBatch('comment', packRecords(own).parts, ONLY_LANE)];
    thread.writing.commitBatch('comment', parts, null, store.current.version);
    show();
  }
  thread.close();
  store.close();
}

function inChild(folder: string, sources: number, pieces: number): Promise<void> {
  const options = ['--folder', folder, '--sources', String(sources), '--pieces', String(pieces)];
  const child = fork(import.meta.filename, options);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a merge ended with ${code}`))));
  });
}

/** The smallest segments, cut into pieces of the same span. */
function merge(folder: string, count: number, pieces: number): void {
  const { thread, store } = openThread(folder);
  const sources = [...store.current.segments].sort((a, b) => a.data.footer.docs - b.data.footer.docs);
  const footers = sources.slice(0, count).map(({ data }) => data.footer);
  const first = Math.min(...footers.map(({ firstCreated }) => firstCreated));
  const last = Math.max(...footers.map(({ lastCreated }) => lastCreated));
  const seconds = Array.from({ length: pieces - 1 }, (_, i) =>
    Math.floor(first + ((last - first) * (i + 1)) / pieces),
  );
  const names = sources.slice(0, count).map(({ data }) => data.name);
  const records = footers.reduce((sum, { docs }) => sum + docs, 0);
  const idle = process.memoryUsage.rss();
  const cpu = process.cpuUsage();
  const result = thread.writing.prepareMerge('comment', { names, seconds, erases: true });
  const { user, system } = process.cpuUsage(cpu);
  const peak = process.resourceUsage().maxRSS * 1024;
  if (!thread.writing.commitMerge('comment', result)) throw new Error('expected the merge to be committed');
  const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
  console.log(
    `${count} segments, ${records} records, into ${result.segments.length}: idle ${megabytes(idle)} MB,` +
      ` peak ${megabytes(peak)} MB, ${megabytes(peak - idle)} MB above; ${((user + system) / records).toFixed(2)} µs CPU a record`,
  );
  thread.close();
  store.close();
  if (megabytes(peak - idle) > MAX_MEGABYTES) throw new Error(`expected at most ${MAX_MEGABYTES} MB above`);
}

function openThread(folder: string) {
  const store = new KindStore(folder, 'comment');
  const thread = new WholeThread({ folder, rules: RULES });
  const show = () => {
    store.refresh();
    thread.show(store.current);
  };
  show();
  return { thread, store, show };
}
