// Imports that are ended from outside, as processes with the embedded engine behind them.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BATCH_RECORDS } from '../../src/ingest/batcher.ts';
import { temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { colloquy, type Running, start, until } from '../processes.ts';
import { commentsIn, digestIn } from './cli-helpers.ts';
import { commentLine, postLine } from './import-helpers.ts';

/** More than are read by the time that the first batch is in. */
const RECORDS = 4 * BATCH_RECORDS;

/** A sixth of them posts; a tenth are copies of what stands far in front of them. */
function mixedLines(count = RECORDS): string {
  return Array.from({ length: count }, (_, i) => {
    const created_utc = 1_600_000_000 + i;
    const id = i % 10 === 9 ? i - 3 * BATCH_RECORDS + 1 : i;
    const more = { created_utc, score: i % 50 };
    return i % 6 === 0 ? postLine(`p${id}`, more) : commentLine(`c${id}`, more);
  }).join('\n');
}

describe('an import that is ended from outside', { timeout: 300_000 }, async () => {
  const folder = ofTests(temporaryFolder());
  const file = join(folder.path, 'dump');
  let undisturbed = '';

  writeFileSync(file, mixedLines());
  const data = join(folder.path, 'undisturbed');
  const { stdout } = await colloquy(['import', file, '--json', '--data', data]);
  assert.equal(JSON.parse(stdout).read, RECORDS);
  undisturbed = await digestIn(data);

  /** Sends the signal behind the first commit. Where the import ends before it lands, another one is begun. */
  async function interrupted(signal: NodeJS.Signals): Promise<Running & { readonly words: string[] }> {
    for (let attempt = 0; ; attempt++) {
      const data = join(folder.path, `${signal}-${attempt}`);
      const words = ['import', file, '--json', '--data', data];
      const running = start(words);
      await until(async () => (await commentsIn(data)) > 0 || running.process.exitCode !== null || null);
      running.process.kill(signal);
      if ((await running.ended) !== 0) return { ...running, words };
    }
  }

  it('SIGINT: it says so, ends with 1, and the same command brings it to its end', async () => {
    const { words, ended, output } = await interrupted('SIGINT');
    assert.equal(await ended, 1);
    assert.match(output.stderr, /Stopped\. Run the same command again to continue\./);
    const first = JSON.parse(output.stdout);
    assert.equal(first.sources[0].state, 'stopped');
    const second = JSON.parse((await colloquy(words)).stdout);
    assert.equal(first.read + second.read, RECORDS);
    assert.equal(second.sources[0].resumed_behind_line, first.read);
    assert.equal(await digestIn(words.at(-1)!), undisturbed);
  });

  it('SIGKILL: the same command brings it to its end, from the last commit on', async () => {
    const { words, process } = await interrupted('SIGKILL');
    assert.equal(process.signalCode, 'SIGKILL');
    const { code, stdout } = await colloquy(words);
    const report = JSON.parse(stdout);
    assert.equal(code, 0);
    assert.ok(report.sources[0].resumed_behind_line > 0);
    assert.equal(report.sources[0].resumed_behind_line + report.read, RECORDS);
    assert.equal(await digestIn(words.at(-1)!), undisturbed);
  });

  it('SIGINT while standard input is open and nothing comes: it ends at once, with what was read', async () => {
    const data = join(folder.path, 'idle');
    await using running = start(['import', '-', '--json', '--data', data]);
    const { process, output, ended } = running;
    process.stdin!.write(`${mixedLines(2 * BATCH_RECORDS)}\n`);
    let seen = 0;
    let same = 0;
    // Nothing new for a while: it waits for more. (Were it only slow, the rule would hold all the same.)
    await until(async () => {
      const now = await commentsIn(data);
      same = now > 0 && now === seen ? same + 1 : 0;
      seen = now;
      return same === 10 || null;
    });
    process.kill('SIGINT');
    assert.equal(await ended, 1);
    const report = JSON.parse(output.stdout);
    assert.equal(report.sources[0].state, 'stopped');
    assert.ok(report.read >= BATCH_RECORDS);
  });

  it('SIGINT while an archive comes through standard input: it ends at once, with nothing', async () => {
    const place = join(folder.path, 'archive');
    mkdirSync(place);
    const words = ['import', '-', '--json', '--data', join(place, 'data')];
    await using running = start(words, { TMPDIR: place });
    const { process, output, ended } = running;
    process.stdin!.write('PK\x03\x04 and more that never comes');
    await until(async () => readdirSync(place).some((name) => name.startsWith('colloquy-import-')) || null);
    process.kill('SIGINT');
    assert.equal(await ended, 1);
    assert.deepEqual(readdirSync(place), ['data']);
    assert.equal(JSON.parse(output.stdout).sources[0].state, 'stopped');
  });
});
