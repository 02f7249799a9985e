import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { stopClock } from '../test/clock.ts';
import { temporaryFolder } from '../test/helpers.ts';
import { LogLines, Thinned } from './log.ts';

describe('lines of the log', () => {
  it('are written whole, in their order, each with its time, for the owner alone', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'a.log');
    {
      await using lines = new LogLines(file);
      for (let i = 0; i < 5000; i++) lines.write({ i, text: '\n"ä' });
      assert.equal(lines.figures().lost, 0);
    }
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 5000);
    for (const [at, line] of lines.entries()) {
      const { time, i, text } = JSON.parse(line);
      assert.deepEqual([i, text], [at, '\n"ä']);
      assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    }
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('are added behind those that are there', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'a.log');
    for (const i of [1, 2]) {
      await using lines = new LogLines(file);
      lines.write({ i });
    }
    assert.match(readFileSync(file, 'utf8'), /"i":1\}\n.*"i":2\}\n$/);
  });

  it('that cannot be written are lost and counted', {
    skip: process.platform !== 'linux' && 'no /dev/full',
  }, async () => {
    const lines = new LogLines('/dev/full');
    lines.write({ text: 'a' });
    lines.write({ text: 'b' });
    await lines[Symbol.asyncDispose]();
    assert.equal(lines.figures().lost, 2);
    lines.write({ text: 'behind the end' });
    assert.equal(lines.figures().lost, 3);
  });

  it('nobody reads them: the writer goes on, and lines without room are lost and counted', {
    skip: process.platform === 'win32' && 'no named pipes in folders',
  }, () => {
    using folder = temporaryFolder();
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // A process of its own: the write that is under way ends when the pipe goes.
    const program = `
      import { openSync } from 'node:fs';
      import { LogLines } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
      openSync(${JSON.stringify(pipe)}, 'r+');
      const lines = new LogLines(${JSON.stringify(pipe)});
      for (let i = 0; i < 60_000; i++) lines.write({ i, text: 'x'.repeat(100) });
      await lines[Symbol.asyncDispose]();
      process.stdout.write(String(lines.figures().lost));
      process.kill(process.pid, 'SIGKILL');
    `;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program]);
    assert.match(String(stdout), /^[1-9]\d*$/);
  });
});

it('of many events one in a while is told, with how many were passed over', () => {
  const clock = stopClock();
  const thinned = new Thinned(10);
  const told = [0, 1, 9, 10, 11, 30].map((ms) => {
    clock.ms = ms;
    return thinned.next();
  });
  assert.deepEqual(told, [0, null, null, 2, null, 1]);
});
