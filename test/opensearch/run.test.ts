// Where nothing can be fetched that a node is booted from: told apart from tests that fail.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../helpers.ts';
import { HOME } from './test-cluster.ts';

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe('a machine without what OpenSearch is fetched by', () => {
  it('`npm run test:opensearch` runs nothing, says why, and ends with a code of its own', () => {
    using folder = temporaryFolder();
    const { status, stderr } = spawnSync(process.execPath, [fileOf('test/opensearch/run.ts')], {
      env: { PATH: folder.path, [HOME]: join(folder.path, 'home') },
      encoding: 'utf8',
    });
    assert.match(stderr, /^there is no OpenSearch to run against: .*(?:Maven|Java)/);
    assert.equal(status, 77);
  });

  it('CI goes on without them, and fails where they fail', () => {
    for (const [code, expected] of [
      [77, 0],
      [1, 1],
      [0, 0],
    ] as const) {
      using folder = temporaryFolder();
      const calls = join(folder.path, 'calls');
      const bin = join(folder.path, 'bin');
      mkdirSync(bin);
      const program = (name: string, lines: string) =>
        writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
      for (const name of ['chromium', 'bzip2', 'xz', 'mvn', 'openssl', 'nginx']) program(name, 'exit 1');
      program('python3', 'exit 1');
      program('npm', `echo "$*" >> '${calls}'\n[ "$*" != 'run test:opensearch' ] || exit ${code}`);
      const { status, stderr } = spawnSync('bash', [fileOf('.ci/run')], {
        env: { PATH: `${bin}:/usr/bin:/bin`, TMPDIR: folder.path },
        encoding: 'utf8',
      });
      assert.equal(status, expected, stderr);
      assert.equal(stderr.includes('the tests against OpenSearch were skipped'), code === 77);
      assert.match(
        readFileSync(calls, 'utf8'),
        /^run lint\nrun types\ntest\nrun test:programs\nrun advisories\nrun test:opensearch\n/m,
      );
    }
  });
});
