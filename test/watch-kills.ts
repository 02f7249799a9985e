// Watches that are killed: between rounds of an import, `watch --exec` is started and killed, again and again: in turns
// by its own command, behind so many lines, and at a random moment of the time that a whole run takes here. What its
// command has taken in whole must be everything in the end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { randomOf } from './generators/random.ts';
import { comment, START_OF_2008, temporaryFolder } from './helpers.ts';
import { PROGRAM } from './processes.ts';

export interface KilledWatches {
  readonly kills: number;
  /** Ids of what was told at least once, and of all that match; sorted. */
  readonly told: readonly string[];
  readonly expected: readonly string[];
}

export async function killedWatches({
  rounds,
  seed,
}: {
  readonly rounds: number;
  readonly seed: number;
}): Promise<KilledWatches> {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const log = join(folder.path, 'told');
  await using app = await openApp({ ...readConfig({}), dataFolder: data, threads: 0 });
  await app.engine.index('comment', packRecords([comment({ id: 'first', body: 'solar' })]));
  const words = ['watch', 'comments', 'solar', '--data', data, '--state', join(folder.path, 'state')];
  const run = (...more: string[]) =>
    spawn(process.execPath, [PROGRAM, ...words, ...more], { stdio: 'ignore' });
  const began = performance.now();
  await once(run(), 'close');
  const wholeMs = performance.now() - began;
  const next = randomOf(seed);
  const expected: string[] = [];
  let kills = 0;
  for (let round = 0; round < rounds; round++) {
    const ids = Array.from({ length: 1 + Math.floor(next() * 30) }, (_, i) => `r${round}x${i}`);
    expected.push(...ids);
    const records = ids.map((id) => comment({ id, body: 'solar', created: START_OF_2008 + round }));
    await app.engine.index('comment', packRecords(records));
    const isKilledByCommand = round % 2 === 0;
    const lines = Math.floor(next() * (ids.length + 1));
    const command = isKilledByCommand ? `head -n ${lines} >> '${log}'; kill -9 $PPID` : `cat >> '${log}'`;
    const child = run('--exec', command);
    const closed = once(child, 'close');
    if (!isKilledByCommand) {
      await Promise.race([closed, sleep(next() * wholeMs)]);
      child.kill('SIGKILL');
    }
    const [, signal] = await closed;
    if (signal === 'SIGKILL') kills++;
  }
  const last = run('--exec', `cat >> '${log}'`);
  const [code] = await once(last, 'close');
  if (code !== 0 && code !== 10) throw new Error(`the last run ended with ${code}`);
  return { kills, told: [...new Set(idsIn(log))].sort(), expected: expected.sort() };
}

/** A command that was cut off may have taken a part of a line; what follows it is on the same line. */
function idsIn(log: string): string[] {
  if (!existsSync(log)) return [];
  return [...readFileSync(log, 'utf8').matchAll(/"type":"comment","id":"(\w+)"/g)].map(([, id]) => id!);
}
