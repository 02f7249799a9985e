import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

describe('npm run coverage', () => {
  it('lists what the named tests do not reach, and nothing that they do', async () => {
    const { NODE_TEST_CONTEXT: _, NODE_V8_COVERAGE: __, ...env } = process.env;
    const words = ['test/coverage.ts', 'src/search/cursor.test.ts'];
    const { stdout } = await run(process.execPath, words, {
      env,
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    assert.match(stdout, /^\| src\/app\.ts \| 0\.0 % \| 0\.0 % \|$/m);
    assert.match(stdout, /^\| src\/errors\.ts \| \d\d\.\d % \|/m);
    assert.doesNotMatch(stdout, /search\/cursor\.ts/);
    assert.match(
      stdout,
      /^\d+ files that tests load: [\d.]+ % of \d+ lines, [\d.]+ % of \d+ branches; \d+ files/m,
    );
  });
});
