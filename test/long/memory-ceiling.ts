// `npm run test:long -- memory-ceiling [--ceilings 2048,1024,768,512] [--least 1024] [--seconds 20] [--records 100000]
// [--at-once 8] [--cgroups /sys/fs/cgroup]`: a server, and an import on its folder, each with a ceiling of memory
// in MB (10^6 bytes) that the system holds; meanwhile the widest breakdowns, the longest queries, the largest
// pages and exports. Nothing may die or answer 500; what there is no room for may be refused. Tells the peak of
// both, and ends with 1 where a ceiling of `--least` or above is not held. Where it may not make control groups,
// it says so and tests nothing.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { dumpLines } from '../../bench/dump-lines.ts';
import { surroundings } from '../chaos/figures.ts';
import { makeKey } from '../chaos/served-folder.ts';
import { temporaryFolder } from '../helpers.ts';
import { PROGRAM } from '../processes.ts';
import { memoryGroup } from './memory-group.ts';
import { writeBase } from './soak/folder.ts';
import { startServer } from './soak/server.ts';

const { values } = parseArgs({
  options: {
    ceilings: { type: 'string', default: '2048,1024,768,512' },
    least: { type: 'string', default: '1024' },
    seconds: { type: 'string', default: '20' },
    records: { type: 'string', default: '100000' },
    'at-once': { type: 'string', default: '8' },
    cgroups: { type: 'string', default: '/sys/fs/cgroup' },
  },
});
const LOOK_EVERY_MS = 200;
/** As many items as a query may have, and nearly as many characters. */
const LONGEST = Array.from({ length: 64 }, (_, i) => `${'ab'.repeat(13)}${i}`).join(' ');
const WIDEST = ['-zzzz', 'the', 'an* the', '"of the"|the'];
const PATHS = [
  ...['subreddit', 'domain', 'score', 'copies'].flatMap((field) =>
    WIDEST.map((query) => `breakdown/comments?field=${field}&limit=1000&query=${encodeURIComponent(query)}`),
  ),
  ...['an*|be*|co*|st*|th*', LONGEST, `-${LONGEST.replaceAll(' ', ' -')}`].map(
    (query) => `search/comments?limit=1000&query=${encodeURIComponent(query)}`,
  ),
  'search/comments?limit=1000&order_by=top&query=the',
  'timeline/comments?step=day&query=the',
  'sample/comments?limit=10000&query=',
  'words/comments?query=the&against=of',
  'export/comments?query=&format=parquet',
  'export/comments?query=&format=ndjson&compress=zstd',
];

const tried = memoryGroup(values.cgroups, 'colloquy-try', 1e9);
if (tried === null) {
  process.stdout.write(`skipped: no group may be made in ${values.cgroups}, so nothing holds a ceiling\n`);
  process.exit(0);
}
tried[Symbol.dispose]();
process.stdout.write(`${surroundings()}\n`);
let isHeld = true;
for (const ceiling of values.ceilings.split(',').map(Number)) {
  const isFine = await below(ceiling);
  if (!isFine && ceiling >= Number(values.least)) isHeld = false;
}
process.stdout.write(isHeld ? 'held\n' : `not held from ${values.least} MB up\n`);
process.exitCode = isHeld ? 0 : 1;

async function below(ceiling: number): Promise<boolean> {
  using temporary = temporaryFolder();
  const folder = join(temporary.path, 'data');
  const files = ['base', 'more'].map((name) => join(temporary.path, `${name}.ndjson`));
  const posts = join(temporary.path, 'posts.ndjson');
  const lines = dumpLines(Number(values.records));
  const half = lines.length / 2;
  writeBase(files[0]!, posts, lines.slice(0, half));
  writeBase(files[1]!, join(temporary.path, 'other.ndjson'), lines.slice(half));
  const filled = spawnSync(process.execPath, [PROGRAM, 'import', files[0]!, posts, '--data', folder]);
  if (filled.status !== 0) throw new Error(`the first import: ${filled.stderr}`);
  const key = await makeKey(folder, 'memory@example.org');
  using ofServer = memoryGroup(values.cgroups, `colloquy-server-${process.pid}`, ceiling * 1e6)!;
  using ofImport = memoryGroup(values.cgroups, `colloquy-import-${process.pid}`, ceiling * 1e6)!;
  const errors: string[] = [];
  let peaks = { server: 0, writer: 0 };
  const statuses = new Map<number, number>();
  const wrong = new Set<string>();
  try {
    await using server = await startServer(folder, ofServer.under);
    const words = [...ofImport.under, process.execPath, PROGRAM, 'import', files[1]!, '--data', folder];
    const import_ = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
    let told = '';
    import_.stderr.setEncoding('utf8').on('data', (text: string) => {
      told = (told + text).slice(-500);
    });
    const imported = once(import_, 'close').then(([code, signal]) => {
      if (code !== 0) errors.push(`the import ended with ${code ?? signal}: ${told}`);
    });
    const until = performance.now() + Number(values.seconds) * 1000;
    const isOver = () => performance.now() >= until;
    const callers = Array.from({ length: Number(values['at-once']) }, (_, i) =>
      ask(server.address, key, i, isOver, statuses, wrong),
    );
    let isDone = false;
    const looking = (async () => {
      for (; !isDone; await sleep(LOOK_EVERY_MS)) {
        peaks = {
          server: Math.max(peaks.server, peakOf(server.pid)),
          writer: Math.max(peaks.writer, peakOf(import_.pid!)),
        };
      }
    })();
    await Promise.all([...callers, imported]);
    isDone = true;
    await looking;
    // It is as well afterwards as before.
    const { status } = await fetch(`${server.address}/readyz`);
    if (status !== 200) errors.push(`/readyz afterwards: ${status}`);
    errors.push(...server.errors);
  } catch (error) {
    errors.push((error as Error).message);
  }
  errors.push(...wrong);
  const failed = [...statuses].filter(([status]) => status === 0 || status === 500);
  const isFine = errors.length === 0 && failed.length === 0;
  const answers = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `${status || 'cut'}: ${times}`);
  process.stdout.write(
    `${String(ceiling).padStart(5)} MB: ${isFine ? 'held' : 'not held'}; peak of the server ${peaks.server.toFixed(0)} MB, ` +
      `of the import ${peaks.writer.toFixed(0)} MB; ${answers.join(', ')}\n`,
  );
  for (const error of errors.slice(0, 5)) process.stdout.write(`      ${error.trim().slice(0, 300)}\n`);
  return isFine;
}

/** One after the other, from a place of its own in the list; 0 counts answers that did not come or were cut. */
async function ask(
  address: string,
  key: string,
  first: number,
  isOver: () => boolean,
  statuses: Map<number, number>,
  wrong: Set<string>,
): Promise<void> {
  for (let i = first; !isOver(); i++) {
    let status = 0;
    const path = PATHS[i % PATHS.length]!;
    try {
      const response = await fetch(`${address}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const text = await response.text();
      status = response.status;
      // What is refused as it stands would test nothing.
      if (status === 400) wrong.add(`${path}: ${text}`);
    } catch {
      await sleep(LOOK_EVERY_MS);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

/** The highest resident memory so far, in MB; 0 once the process has ended. */
function peakOf(pid: number): number {
  try {
    return (
      (Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024) / 1e6
    );
  } catch {
    return 0;
  }
}
