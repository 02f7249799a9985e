// Progress of an import on a terminal, which `script` of util-linux stands for.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { PROGRAM } from '../processes.ts';
import { commentLine } from './import-helpers.ts';

const isScriptHere = `${spawnSync('script', ['--version']).stdout}`.includes('util-linux');

const skip = isScriptHere ? false : '`script` of util-linux is not here';

/** Words of `script` for an import of so many records. */
function importOf(records: number, folder: string): string[] {
  const file = join(folder, 'dump');
  writeFileSync(file, Array.from({ length: records }, (_, i) => commentLine(`c${i}`)).join('\n'));
  const words = [process.execPath, PROGRAM, 'import', file, '--data', join(folder, 'data')];
  return ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'];
}

it('on a terminal: share, records, rate and time left on one line that is gone at the end', { skip }, () => {
  using folder = temporaryFolder();
  const { stdout, status } = spawnSync('script', importOf(12_000, folder.path), { encoding: 'utf8' });
  assert.equal(status, 0);
  assert.match(stdout, /[█░]+ \d+% \| [\d,]+ records, [\d,]+ a second \| \d+s left \| /);
  const [inFront = '', report = ''] = stdout.split(/(?=read +12,000 )/);
  // A bar is drawn over the last one; then its line is cleared, and the cursor comes back.
  assert.ok(!inFront.includes('\n'));
  assert.match(inFront, /\x1b\[\?25h.*\x1b\[1G\x1b\[2?K$/);
  assert.ok(!report.includes('\x1b'));
  // There are no posts to search.
  assert.match(report, /\r?\nNext: .* serve --data .* search comments '' --data /);
});

it('Ctrl-C on a terminal: the bar is gone before the word about stopping, and nothing is drawn behind it', {
  skip,
}, async () => {
  using folder = temporaryFolder();
  const child = spawn('script', importOf(150_000, folder.path), { stdio: 'pipe' });
  let shown = '';
  let isPressed = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (isPressed || !/ records, /.test(shown)) return;
    isPressed = true;
    child.stdin.write('\x03');
  });
  await once(child, 'close');
  const [bars = '', rest = ''] = shown.split(/(?=stopping: writing what has been read)/);
  assert.match(bars, /\x1b\[\?25h.*\x1b\[1G\x1b\[2?K$/);
  assert.match(rest, /^stopping: .*\r\nread +[\d,]+ /);
  assert.ok(!rest.includes('\x1b'), JSON.stringify(rest));
});
