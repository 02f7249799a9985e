import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { temporaryFolder } from '../helpers.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** One with no settings but these. */
function colloquy(words: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], { env: settings });
  return { code: status, out: String(stdout), words: String(stderr) };
}

describe('colloquy move: what it refuses, with exit code 2 and one line', { concurrency: 2 }, () => {
  const cases = [
    ['no engine', [], /--to <engine>/],
    ['an engine that is none', ['--to', 'sphinx'], /embedded, opensearch/],
    ['the engine that is set', ['--to', 'embedded'], /expected another engine .* `embedded`/],
    ['a cluster that is not set', ['--to', 'opensearch'], /`COLLOQUY_OPENSEARCH_NODES`/],
  ] as const;
  for (const [name, words, expected] of cases) {
    it(name, async () => {
      using folder = temporaryFolder();
      await Catalogue.open(folder.path)[Symbol.asyncDispose]();
      const { code, out, words: told } = colloquy(['move', ...words, '--data', folder.path]);
      assert.match(told, expected);
      assert.match(told, /^colloquy: .*\n$/);
      assert.deepEqual([code, out], [2, '']);
    });
  }

  it('a folder that is not there', () => {
    using folder = temporaryFolder();
    const nodes = { COLLOQUY_OPENSEARCH_NODES: 'http://127.0.0.1:1' };
    const told = colloquy(['move', '--to', 'opensearch', '--data', join(folder.path, 'none')], nodes);
    assert.match(told.words, /expected a data folder at/);
    assert.equal(told.code, 2);
  });
});
