// The package as its users have it: below node_modules, where Node strips no types, without what is for development.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Installed, installPackage } from './installed.ts';

describe('the package', async () => {
  const own = installPackage();
  after(() => own[Symbol.dispose]());

  const filesOf = (pattern: string) => globSync(pattern, { cwd: own.place });

  it('has no TypeScript, no test, nothing for development, and a licence with notices', () => {
    assert.ok(filesOf('src/**/*.js').length > 300);
    assert.deepEqual(filesOf('**/*.ts'), []);
    assert.deepEqual(filesOf('**/*.test.*'), []);
    for (const name of ['test', 'bench', 'release', 'node_modules', 'src/engines/embedded/sets/kernels.wat'])
      assert.ok(!existsSync(join(own.place, name)), name);
    for (const name of ['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'README.md', 'CHANGELOG.md']) {
      assert.ok(existsSync(join(own.place, name)), name);
    }
  });

  it('imports packages that it names, and files that it has', () => {
    const { dependencies } = JSON.parse(readFileSync(join(own.place, 'package.json'), 'utf8'));
    const IMPORTS =
      /^(?:import|export)\b[^;'"=(]*?\bfrom '([^'.][^']*)'|\bimport(?:\.meta\.resolve)?\('([^'.][^']*)'\)/gm;
    const packages = new Set<string>();
    for (const path of filesOf('{src,bin}/**/*.{js,mjs}')) {
      for (const [, still, later] of readFileSync(join(own.place, path), 'utf8').matchAll(IMPORTS)) {
        const name = (still ?? later)!;
        if (!isBuiltin(name)) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)![0]);
      }
    }
    assert.deepEqual([...packages].sort(), Object.keys(dependencies).sort());
  });

  it('imports, searches, exports, publishes and filters by its threads, into the folder of its user', async () => {
    const sources = ['posts', 'comments'].map((kind) => join(own.place, 'sample', `${kind}.ndjson`));
    const imported = await own.colloquy('import', ...sources, '--json');
    assert.equal(imported.code, 0, imported.words);
    assert.equal(JSON.parse(imported.out).rejected.bad_json, undefined);
    assert.ok(existsSync(join(own.folder, 'share', 'colloquy', 'catalogue.db')));
    assert.ok(!existsSync(join(own.place, 'data')), 'npm would delete it with the next version');

    const outcomes = await Promise.all([
      own.colloquy('export', 'comments', 'battery', '--out', 'battery.parquet', '--json'),
      own.colloquy('filter', sources[1]!, '--where', 'battery', '--out', 'battery.ndjson', '--json'),
      own.colloquy('datasets', 'publish', 'batteries', 'comments', 'battery', '--json'),
    ]);
    for (const { code, words } of outcomes) assert.equal(code, 0, words);
    const [exported, filtered, published] = outcomes.map(({ out }) => JSON.parse(out));
    assert.ok(exported.count > 0);
    assert.deepEqual([filtered.matched, published.records.comments], [exported.count, exported.count]);
    assert.equal(readFileSync(join(own.folder, 'battery.parquet')).subarray(0, 4).toString(), 'PAR1');
  });

  it('serves the API, the page with its script, documents and data sets', async () => {
    const key = (await own.colloquy('keys', 'create', '--account', 'ann@example.org')).out.trim();
    const { base, server } = await serve(own);
    try {
      const get = async (path: string, headers: Record<string, string> = {}) => {
        const answer = await fetch(`${base}${path}`, { headers });
        assert.equal(answer.status, 200, path);
        return answer.text();
      };
      const answer = await get('/api/v1/search/comments?query=battery', { authorization: `Bearer ${key}` });
      assert.ok(JSON.parse(answer).total_count > 0);
      const page = await get('/?q=battery');
      const [, script] = /<script type="module" src="([^"]+)"/.exec(page)!;
      assert.ok((await get(script!)).length > 1000);
      assert.match(await get('/docs/query-language'), /before:/);
      assert.match(await get('/datasets'), /batteries/);
      assert.match(await get('/readyz'), /"ok"/);
    } finally {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
    }
    // Windows has no signals: the process is ended.
    if (process.platform !== 'win32') assert.equal(server.exitCode, 0);
  });
});

async function serve(own: Installed): Promise<{ readonly base: string; readonly server: ChildProcess }> {
  const server = spawn(process.execPath, [own.program, 'serve', '--port', '0'], {
    cwd: own.folder,
    env: own.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of server.stdout!.setEncoding('utf8')) {
    const [, base] = /^Colloquy is ready: (\S+)\n$/.exec(line) ?? [];
    if (base !== undefined) return { base, server };
  }
  throw new Error('the server ended before it was ready');
}
