// `npm run test:long -- soak [--minutes 60] [--rate 8] [--round 20] [--records 50000] [--seed 1] [--json FILE]`: one
// server is asked in every way, on a schedule, while its folder is imported into, removed from and purged by commands.
// Every answer is held against what must be there; memory, handles and lag are looked at every 5 seconds. In the end it
// tells how fast they grow, and ends with 1 where an answer was wrong or something grows. Ctrl-C ends it earlier, and
// it still tells.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../../bench/corpus.ts';
import { dumpLines } from '../../bench/dump-lines.ts';
import { Accounts } from '../../src/accounts/accounts.ts';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { percentile, surroundings } from '../chaos/figures.ts';
import { temporaryFolder } from '../helpers.ts';
import { Caller, Refused } from './soak/caller.ts';
import { CALLS, type Call, learn, type World } from './soak/calls.ts';
import { Operator } from './soak/operator.ts';
import { type Sample, type Server, sample, startServer } from './soak/server.ts';
import { byMinute, judge, slopeOf } from './soak/slopes.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '8' },
    round: { type: 'string', default: '20' },
    records: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});
const seconds = number('minutes') * 60;
/** Caches fill and code is compiled: a quarter of the time, 15 minutes at most. */
const WARM_UP = Math.min(900, seconds / 4);
const SAMPLE_EVERY_MS = 5_000;
/** A question that takes longer has hung. */
const HUNG_MS = 60_000;
const SHOWN_PROBLEMS = 20;
const EMAIL = 'soak@example.org';
const PASSWORD = 'a long and rainy afternoon';

const over = new AbortController();
process.once('SIGINT', () => over.abort());

interface Counts {
  readonly ms: number[];
  refused: number;
  failed: number;
}

const counts = new Map<string, Counts>(CALLS.map(({ name }) => [name, { ms: [], refused: 0, failed: 0 }]));
const problems: string[] = [];
const samples: Sample[] = [];

using temporary = temporaryFolder();
const folder = join(temporary.path, 'data');
process.stdout.write(`${surroundings()}\n`);
const operator = new Operator(folder, temporary.path, dumpLines(number('records')));
await operator.begin();
const key = await makeAccount();
let isWhole = false;
{
  await using server = await startServer(folder);
  const caller = new Caller(server.address, key);
  await learn(caller, operator.ledger);
  const random = randomNumbers(number('seed'));
  const world = { caller, operator, ledger: operator.ledger, email: EMAIL, password: PASSWORD, random };
  const began = performance.now();
  const timer = setTimeout(() => {
    isWhole = true;
    over.abort();
  }, seconds * 1000);
  const rounds = operator.rounds(number('round') * 1000, over.signal).catch((error: Error) => {
    problem(error.message);
    over.abort();
  });
  await Promise.all([ask(world), watch(server, began)]);
  clearTimeout(timer);
  await rounds;
  // What is there in the end is what all operations come to, and nothing is on its way.
  for (const question of operator.ledger.steadyQuestions()) {
    const answer = await caller.api(`${question}&limit=0`);
    const found = (JSON.parse(answer.body) as { total_count: number }).total_count;
    const { least } = operator.ledger.allowed(question, operator.ledger.moment())!;
    if (found !== least) problem(`in the end, ${question}: expected ${least}, found ${found}`);
  }
  // Exports that ended or were cut have given their places back.
  await Promise.all([1, 2].map(() => caller.api('/api/v1/export/comments?query=&format=ndjson'))).catch(
    (error: Error) => problem(`in the end, two exports at once: ${error.message}`),
  );
  for (const line of server.errors) problem(`the log: ${line}`);
}
tell();

function number(name: 'minutes' | 'rate' | 'round' | 'records' | 'seed'): number {
  const value = Number(values[name]);
  if (value > 0) return value;
  process.stderr.write(`--${name}: expected a number above 0, found ${values[name]}\n`);
  process.exit(2);
}

async function makeAccount(): Promise<string> {
  await using accounts = Accounts.open(folder);
  const id = (await credentialsOf(accounts).register(EMAIL, PASSWORD))!;
  return accounts.createKeyFor(id, { name: 'soak', expiresInDays: null }).key;
}

/** So many a second, whether or not earlier ones are answered; their times count from when they were due. */
async function ask(world: World): Promise<void> {
  const began = performance.now();
  const underWay = new Set<Promise<void>>();
  for (let asked = 0; !over.signal.aborted; asked++) {
    const due = began + (asked * 1000) / number('rate');
    await sleep(Math.max(0, due - performance.now()), null, { signal: over.signal }).catch(() => null);
    const call = drawn(world.random());
    const running = run(call, world, due).finally(() => underWay.delete(running));
    underWay.add(running);
  }
  await Promise.all(underWay);
}

function drawn(share: number): Call {
  let left = share * CALLS.reduce((sum, { weight }) => sum + weight, 0);
  for (const call of CALLS) {
    left -= call.weight;
    if (left < 0) return call;
  }
  return CALLS[0]!;
}

async function run(call: Call, world: World, due: number): Promise<void> {
  const mine = counts.get(call.name)!;
  const hung = setTimeout(() => problem(`${call.name}: no answer within ${HUNG_MS / 1000} s`), HUNG_MS);
  try {
    await call.run(world);
    mine.ms.push(performance.now() - due);
  } catch (error) {
    if (error instanceof Refused) {
      mine.refused++;
      return;
    }
    mine.failed++;
    problem(`${call.name}: ${(error as Error).message}`);
  } finally {
    clearTimeout(hung);
  }
}

async function watch(server: Server, began: number): Promise<void> {
  let told = 0;
  while (!over.signal.aborted) {
    const at = (performance.now() - began) / 1000;
    const seen = await sample(server, folder, at).catch((error: Error) => {
      problem(`the metrics: ${error.message}`);
    });
    if (seen !== undefined) samples.push(seen);
    if (seen !== undefined && at - told >= 60) {
      told = at;
      process.stdout.write(`${lineOf(seen)}\n`);
    }
    await sleep(SAMPLE_EVERY_MS, null, { signal: over.signal }).catch(() => null);
  }
}

function problem(message: string): void {
  const at = new Date().toISOString().slice(11, 19);
  problems.push(`${at} ${message}`);
  if (problems.length <= SHOWN_PROBLEMS) process.stdout.write(`wrong: ${at} ${message}\n`);
}

function lineOf(seen: Sample): string {
  const { rss, heap, external, descriptors, threads, lagP99, files } = seen;
  return (
    `${(seen.seconds / 60).toFixed(0).padStart(4)} min: ${rss.toFixed(0)} MB resident, heap ${heap.toFixed(0)}, ` +
    `outside ${external.toFixed(0)}, ${descriptors} descriptors, ${threads} threads, lag p99 ${lagP99.toFixed(1)} ms, ` +
    `folder ${seen.folder.toFixed(0)} MB in ${files} files, ${problems.length} wrong`
  );
}

function tell(): void {
  const done = Object.entries(operator.commands).map(([name, times]) => `${name} ${times}`);
  const minutes = (samples.at(-1)?.seconds ?? 0) / 60;
  process.stdout.write(
    `\n${minutes.toFixed(1)} minutes${isWhole ? '' : ', broken off'}, ${operator.round} rounds: ${done.join(', ')}\n`,
  );
  for (const [name, { ms, refused, failed }] of counts) {
    const times = [0.5, 0.99, 1].map((share) => percentile(ms, share).toFixed(1));
    process.stdout.write(
      `${name.padEnd(18)} ${String(ms.length).padStart(7)} answered, ${refused} busy, ${failed} wrong; ` +
        `p50 ${times[0]} ms, p99 ${times[1]} ms, slowest ${times[2]} ms\n`,
    );
  }
  const warm = Math.min(WARM_UP, (samples.at(-1)?.seconds ?? 0) / 4);
  const verdicts = [
    grows('resident memory, MB', ({ rss }) => rss, 1, warm),
    grows('heap, MB', ({ heap }) => heap, 1, warm),
    grows('outside the heap, MB', ({ external }) => external, 1, warm),
    grows('open descriptors', ({ descriptors }) => descriptors, 1, warm),
    grows('threads', ({ threads }) => threads, 1, warm),
  ];
  grows('lag p99, ms', ({ lagP99 }) => lagP99, null, warm);
  grows('files', ({ files }) => files, null, warm);
  grows('folder, MB', (seen) => seen.folder, null, warm);
  if (values.json !== undefined) {
    writeFileSync(values.json, JSON.stringify({ surroundings: surroundings(), warm, problems, samples }));
  }
  const isFine = problems.length === 0 && !verdicts.includes('missed');
  process.stdout.write(`${isFine ? 'nothing wrong' : `${problems.length} wrong`}; ${verdicts.join(', ')}\n`);
  process.exitCode = isFine ? 0 : 1;
}

/** Prints one line; `bar` by the hour, null: it is only told. */
function grows(name: string, of: (seen: Sample) => number, bar: number | null, warm: number) {
  const behind = samples.filter((seen) => seen.seconds >= warm);
  const slope = slopeOf(byMinute(behind.map((seen) => ({ seconds: seen.seconds, value: of(seen) }))));
  const verdict = bar === null ? null : judge(slope, bar);
  const [a, margin] = [slope.slope.toFixed(2), slope.margin.toFixed(2)];
  process.stdout.write(
    `${name.padEnd(22)} median ${slope.median.toFixed(1)}, highest ${slope.highest.toFixed(1)}; ` +
      `${a} ± ${margin} an hour${bar === null ? '' : ` (at most ${bar}): ${verdict}`}\n`,
  );
  return verdict;
}
