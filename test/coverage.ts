// `npm run coverage [-- FILE …]`: how much of src/ these test files reach; all of them where none is named.

import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';

const named = process.argv.slice(2);
const files = named.length > 0 ? named : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']);
const words = [
  ...['--test', '--test-timeout=900000', '--test-reporter=./test/coverage-report.ts'],
  '--experimental-test-coverage',
  ...['--test-coverage-include=src/**/*.ts', '--test-coverage-exclude=**/*.test.ts'],
  ...files,
];
spawn(process.execPath, words, { stdio: 'inherit' }).on('exit', (code) => {
  process.exitCode = code ?? 1;
});
