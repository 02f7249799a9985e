// `npm run coverage [-- FILE …]`: how much of src/ these test files reach, all of them where none is named; in child
// processes and threads too. Exit code 1: a test failed, or all of
// them ran and leave a span without a reason.

import { spawn } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coverageReport, reachOf, unexplained } from './coverage-report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const named = process.argv.slice(2);
const files = named.length > 0 ? named : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']);
const folder = mkdtempSync(join(tmpdir(), 'colloquy-coverage-'));
// some tests run commands as another user
chmodSync(folder, 0o777);
const words = ['--test', '--test-timeout=900000', '--test-reporter=dot', ...files];
const env = { ...process.env, NODE_V8_COVERAGE: folder };
spawn(process.execPath, words, { stdio: 'inherit', env }).on('exit', (code) => {
  const sources = globSync('src/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.test.ts'))
    .sort();
  const reached = reachOf(root, sources, folder);
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(coverageReport(reached));
  const isWhole = named.length === 0;
  process.exitCode = code !== 0 || (isWhole && unexplained(reached).length > 0) ? 1 : 0;
});
