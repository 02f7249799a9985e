// `npm run test:unit` and `npm run test:unit -- --watch`: the tests that answer within seconds. A unit test stands
// beside its file under src/, opens no engine and starts no process; what a test does is seen by what it imports and
// calls.

import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Opening an engine, or starting a process by itself or through a helper. */
const NO_UNIT = /\bopen\w*Engine\b|'node:child_process'|cli-helpers\.ts'/;

const files = globSync('src/**/*.test.ts');
const units = files.filter((file) => !NO_UNIT.test(readFileSync(file, 'utf8')));
process.stdout.write(`${units.length} of ${files.length} test files under src/ are unit tests\n`);
const words = [
  ...['--test', '--test-reporter=./test/slowest.ts', `--test-concurrency=${availableParallelism()}`],
  ...process.argv.slice(2),
  ...units,
];
spawn(process.execPath, words, { stdio: 'inherit' }).on('exit', (code) => {
  process.exitCode = code ?? 1;
});
