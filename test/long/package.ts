// `npm run test:long -- package`: the package as somebody gets it who has any Node and an empty folder. Packed,
// installed by npm with all that it brings along, called by npx: imports, searches, exports, publishes, serves, ends
// when told to.
//
// A Node is taken from the registry that npm is set to; where there is none, this one is used, and it says so.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { buildPackage } from '../../release/build.ts';
import { temporaryFolder } from '../helpers.ts';

using folder = temporaryFolder();
chmodSync(folder.path, 0o755);
const user = join(folder.path, 'user');
mkdirSync(user);
// Without it, npm looks for a project above.
writeFileSync(join(user, 'package.json'), '{}');

/** What `npm run` sets, and this project's own programs, are nothing that a user has. */
const environment: Record<string, string | undefined> = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^COLLOQUY_|^NODE_|^INIT_CWD$/.test(name)),
);
environment.PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((place) => !place.includes('node_modules'))
  .join(delimiter);
environment.XDG_DATA_HOME = join(folder.path, 'share');
environment.XDG_CACHE_HOME = join(folder.path, 'cache');

function run(program: string, ...words: string[]): string {
  const options = { cwd: user, env: environment, encoding: 'utf8', maxBuffer: 1e8 } as const;
  const { status, stdout, stderr, error } = spawnSync(program, words, options);
  if (status !== 0) throw error ?? new Error(`${program} ${words.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

const colloquy = (...words: string[]) => run('npx', '--no', '--', 'colloquy', ...words);

function say(words: string): void {
  process.stderr.write(`${words}\n`);
}

const file = buildPackage(join(folder.path, 'out'));
say(`packed:    ${file.split(/[\\/]/).at(-1)}`);
run('npm', 'install', '--no-audit', '--no-fund', file);
const installed = join(user, 'node_modules', 'colloquy');
for (const name of ['typescript', '@biomejs', 'fast-check', 'playwright-core']) {
  assert.ok(
    !existsSync(join(user, 'node_modules', name)) && !existsSync(join(installed, 'node_modules', name)),
  );
}
const theirs = run('node', '--version').trim();
if (spawnSync('npx', ['--no', '--', 'colloquy', '--version'], { cwd: user, env: environment }).status !== 0) {
  say(`installed: Node ${theirs}, and no other from the registry; going on with ${process.version}`);
  environment.PATH = `${dirname(process.execPath)}${delimiter}${environment.PATH}`;
}
const version = colloquy('--version').trim();
assert.match(version, /^colloquy \d+\.\d+\.\d+ \(Node v?\d+/);
assert.match(colloquy('search', '--help'), /^Usage: npx colloquy search /);
say(`installed: called by Node ${theirs}; ${version}`);

const samples = ['posts', 'comments'].map((kind) => join(installed, 'sample', `${kind}.ndjson`));
const report = JSON.parse(colloquy('import', ...samples, '--json'));
assert.ok(report.added > 1000);
const found = JSON.parse(colloquy('search', 'comments', 'battery', '--json')).total_count;
assert.ok(found > 0);
for (const name of ['battery.ndjson.zst', 'battery.csv', 'battery.parquet']) {
  assert.equal(JSON.parse(colloquy('export', 'comments', 'battery', '--out', name, '--json')).count, found);
}
colloquy('datasets', 'publish', 'batteries', 'comments', 'battery');
colloquy('check');
colloquy('backup', 'copy');
colloquy('check', '--data', 'copy');
say(
  `commands:  ${report.added} records, of which ${found} found, exported in three formats, published, checked`,
);

const key = colloquy('keys', 'create', '--account', 'ann@example.org').trim();
const server = spawn('npx', ['--no', '--', 'colloquy', 'serve', '--port', '0'], {
  ...{ cwd: user, env: environment },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const base = await addressOf(server);
const answers = await Promise.all(
  ['/', '/?q=battery', '/docs', '/datasets', '/readyz', '/api/v1/search/comments?query=battery'].map((path) =>
    fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}` } }),
  ),
);
for (const { status, url } of answers) assert.equal(status, 200, url);
assert.equal(((await answers.at(-1)!.json()) as { total_count: number }).total_count, found);
server.kill('SIGTERM');
await once(server, 'exit');
for (let tries = 0; await answersAt(base); tries++) {
  assert.ok(tries < 100, 'the server goes on behind npx');
  await new Promise((resolve) => setTimeout(resolve, 100));
}
say('served:    the API, the pages, the documents and the data set; ended with npx');
await serveFromReadOnlyRoot();

/**
 * As Containerfile and compose.yaml have it: nothing may be written but the data and a folder for temporary files, by a
 * user without a name. Needs Linux, and the right to mount.
 */
async function serveFromReadOnlyRoot(): Promise<void> {
  const script = `
    set -e
    mkdir -p data tmp && chown 65533:65533 data
    mount --bind data data
    mount -t tmpfs -o mode=1777 tmpfs tmp
    mount -o remount,bind,ro /
    if touch forbidden 2>/dev/null; then exit 1; fi
    exec setpriv --reuid 65533 --regid 65533 --clear-groups --no-new-privs --bounding-set=-all "$@"`;
  const may = spawnSync('unshare', ['--mount', 'mount', '--make-rprivate', '/']).status === 0;
  if (!may) return say('read-only: not tried, this user may not mount');
  const words = [process.execPath, join(installed, 'bin', 'colloquy.mjs'), 'serve', '--port', '0'];
  const { PATH } = environment;
  const env = { PATH, COLLOQUY_DATA: join(user, 'data'), TMPDIR: join(user, 'tmp') };
  const server = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', ...words], {
    ...{ cwd: user, env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const base = await addressOf(server);
  for (const path of ['/readyz', '/?q=battery']) assert.equal((await fetch(`${base}${path}`)).status, 200);
  server.kill('SIGTERM');
  const [code] = await once(server, 'exit');
  assert.equal(code, 0);
  say('read-only: served from a root that may only be read, by a user without a name');
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of stdout!.setEncoding('utf8')) {
    const [, address] = /^Colloquy is ready: (\S+)\n$/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('the server ended before it was ready');
}

async function answersAt(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/healthz`)).status > 0;
  } catch {
    return false;
  }
}
