import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from './helpers.ts';

const run = promisify(execFile);
const reporter = new URL('slowest.ts', import.meta.url).href;

/** What the runner prints of a file of tests, line by line. */
async function printed(source: string): Promise<string[]> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'some.test.mjs');
  writeFileSync(file, `import { describe, it } from 'node:test';\n${source}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const words = ['--test', `--test-reporter=${reporter}`, file];
  const { stdout } = await run(process.execPath, words, {
    env,
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  return stdout.trimEnd().split('\n');
}

describe('the reporter of npm test', () => {
  it('tells the ten slowest tests, slowest first, and then the closing lines of the runner', async () => {
    const lines = await printed(`
      describe('suites do not count', () => {
        for (let i = 0; i < 11; i++) it('quick ' + i, () => {});
        it('slow', () => new Promise((done) => setTimeout(done, 300)));
      });`);
    const head = lines.indexOf('ℹ the 10 slowest tests');
    assert.ok(head > 0, lines.join('\n'));
    assert.match(lines[head + 1]!, /^ℹ +\d+\.\d s {2}.*some\.test\.mjs {2}slow$/);
    assert.deepEqual(
      lines.slice(head + 11).map((line) => line.replace(/[\d.]+$/, 'N')),
      ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms'].map(
        (word) => `ℹ ${word} N`,
      ),
    );
  });

  it('without tests there is no table', async () => {
    assert.ok(!(await printed("describe('empty', () => {});")).join('\n').includes('slowest'));
  });
});
