// `colloquy serve --read-only`: on a folder that may be written, on one of another user's, on a file system that is
// mounted to be read. Nothing in it changes, and it answers as a server does that may write.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, cpSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Accounts } from '../../src/accounts/accounts.ts';
import { openApp } from '../../src/app.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { readConfig } from '../../src/config.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { unpackFolder } from '../fixtures/packed-folder.ts';
import { post, temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { PROGRAM, type Served, serve } from '../processes.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/format-1.folder.zst', import.meta.url));
/** The user `nobody` of most systems: the superuser may write everywhere. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** In a mount namespace of its own. */
const MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';

/** Every name below the folder with its content. */
function contentOf(folder: string): Record<string, string> {
  const names = globSync('**', { cwd: folder }).sort();
  const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return Object.fromEntries(
    names.map((name) => [name, statSync(join(folder, name)).isFile() ? digest(join(folder, name)) : '']),
  );
}

const READING = { toRead: true, isReadOnly: true };

const WORDS = ['--port', '0', '--read-only'];

const skip = process.platform === 'win32' ? 'modes of another kind' : false;

describe('serve --read-only', { skip }, () => {
  const folder = ofTests(temporaryFolder());
  const data = join(folder.path, 'data');
  let [key, session] = ['', ''];
  let expected: readonly unknown[] = [];

  /** The manifests are of format 2, which a server that may write brings up to date; the rest is as it is now. */
  before(async () => {
    chmodSync(folder.path, 0o755);
    unpackFolder(readFileSync(FIXTURE), data);
    chmodSync(data, 0o700);
    await using accounts = Accounts.open(data);
    await using catalogue = Catalogue.open(data);
    catalogue.identity();
    key = accounts.createKey({ email: 'ann@example.org', name: 'a', expiresInDays: null }).key;
    session = accounts.sessions.start(
      (await credentialsOf(accounts).register('bob@example.org', 'a long password'))!,
      'test',
    );
  });
  before(async () => {
    const copy = join(folder.path, 'copy');
    cpSync(data, copy, { recursive: true });
    await using served = await serve(['--data', copy]);
    expected = await answersOf(served);
  });

  async function answersOf({ address }: Served): Promise<readonly unknown[]> {
    const headers = { Authorization: `Bearer ${key}` };
    const answers: unknown[] = [];
    for (const path of [
      ...['/api/v1/search/posts?query=cat&limit=1000', '/api/v1/search/comments?query=-cat&order_by=top'],
      ...['/api/v1/export/comments?query=&fields=id,arrived_utc,subreddit', '/api/v1/coverage', '/healthz'],
    ]) {
      const response = await fetch(`${address}${path}`, { headers });
      const body = await response.text();
      assert.equal(response.status, 200, `${path}: ${body.slice(0, 300)}`);
      answers.push(body);
    }
    const { total_count } = JSON.parse(`${answers[0]}`);
    assert.ok(total_count > 0);
    return answers;
  }

  async function expectReadOnly(served: Served): Promise<void> {
    const { address } = served;
    assert.deepEqual(await answersOf(served), expected);
    const wrong = { Authorization: `Bearer ${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}` };
    assert.equal((await fetch(`${address}/api/v1/search/posts?query=a`, { headers: wrong })).status, 401);
    assert.equal((await fetch(`${address}/search?query=cat`)).status, 200);
    const cookie = { cookie: `colloquy_session=${session}` };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const pages = ['/sign-in', '/register', '/account/link/abc', '/sign-in/code'];
    const posted = (body: string, who: object, ...paths: string[]) =>
      paths.map((path) => [path, { method: 'POST', body, headers: { ...form, ...who } }] as const);
    const refused: readonly (readonly [path: string, init: RequestInit])[] = [
      ...pages.map((path) => [path, {}] as const),
      ...posted('code=123456', {}, '/sign-in/code'),
      ...posted('email=a@b.org&password=long+enough', {}, '/sign-in', '/register'),
      ...posted('name=b', cookie, '/account', '/account/second-factor', '/account/keys', '/account/delete'),
    ];
    for (const [path, init] of refused) {
      const response = await fetch(`${address}${path}`, init);
      assert.equal(response.status, 403, path);
      assert.match(await response.text(), /This server is read-only/, path);
    }
    const keys = await fetch(`${address}/account/sessions`, { headers: cookie });
    assert.equal(keys.status, 200);
    assert.match(await keys.text(), /class="flash"[^>]*>This server is read-only/);
  }

  async function expectUntouched(start: () => Promise<Served>): Promise<void> {
    const content = contentOf(data);
    const served = await start();
    await expectReadOnly(served);
    assert.deepEqual(contentOf(data), content, 'while it runs');
    assert.equal(await served.kill('SIGTERM'), 0, served.output.stderr);
    // Besides lines of requests, of security, and of a slow machine.
    const usual = /^$|"level":"info"|"security":|"msg":"slow question"/;
    const told = served.output.stderr.split('\n').filter((line) => !usual.test(line));
    assert.deepEqual(told, []);
    assert.deepEqual(contentOf(data), content);
  }

  it('changes nothing in a folder that may be written, SQLite’s files included', () =>
    expectUntouched(() => serve(['--data', data, ...WORDS])));

  it('serves a folder that its user may only read', async (t) => {
    const identity = isRoot ? { uid: NOBODY } : {};
    const { status } = spawnSync(process.execPath, ['--check', PROGRAM], { ...identity, stdio: 'ignore' });
    if (status !== 0) return t.skip('another user cannot read the project');
    const modes = (ofFolders: number, ofFiles: number) => {
      for (const name of globSync('**', { cwd: data })) {
        const path = join(data, name);
        if (isRoot) chownSync(path, NOBODY, NOBODY);
        chmodSync(path, statSync(path).isDirectory() ? ofFolders : ofFiles);
      }
    };
    modes(0o500, 0o400);
    await expectUntouched(() => serve(['--data', data, ...WORDS], {}, identity));
    modes(0o700, 0o600);
  });

  it('serves a file system that is mounted to be read', async (t) => {
    const outcome = spawnSync('unshare', ['-m', 'sh', '-c', MOUNTED, data, 'true']);
    if (outcome.status !== 0) return t.skip('no right to mount here');
    const under = ['unshare', '-m', 'sh', '-c', MOUNTED, data];
    await expectUntouched(() => serve(['--data', data, ...WORDS], {}, { under }));
  });

  it('ends with 1 when another process changes the folder, and then follows it', async () => {
    const change = async () => {
      await using accounts = Accounts.open(data);
      accounts.createKey({ email: 'late@example.org', name: 'a', expiresInDays: null });
    };
    const served = await serve(['--data', data, ...WORDS]);
    await change();
    assert.equal(await served.ended, 1);
    const words = /^colloquy: `[^`]*accounts\.db`: expected a file that nobody changes[^\n]*\n$/;
    assert.match(served.output.stderr, words);
    // A process that writes at this moment: what it commits shows at once.
    await using engine = await openEmbeddedEngine(data, { rules: { keepOriginals: false }, workers: 0 });
    const write = (id: string) => engine.index('post', packRecords([post({ id, title: 'latecomer' })]));
    await write('late1');
    await using app = await openApp({ ...readConfig(), dataFolder: data, threads: 0 }, READING);
    const wish = { kind: 'post', query: 'latecomer', order: 'newest', limit: 0, after: null } as const;
    const count = async () => (await app.search.search(wish)).envelope.total_count;
    assert.equal(await count(), 1);
    await write('late2');
    assert.equal(await count(), 2);
  });

  it('what cannot be served without writing is refused: no folder, databases from before 0.1.0, a removal left half-way', async () => {
    const refused = (dataFolder: string, message: RegExp) => {
      const opening = openApp({ ...readConfig(), dataFolder, threads: 0 }, READING);
      return assert.rejects(opening, { name: 'UsageError', message });
    };
    await refused(join(folder.path, 'none'), /expected a data folder at [^\n]*, found none/);
    const old = join(folder.path, 'old');
    unpackFolder(readFileSync(FIXTURE), old);
    const catalogueOfOld = new DatabaseSync(join(old, 'catalogue.db'));
    catalogueOfOld.exec('PRAGMA application_id = 0');
    catalogueOfOld.close();
    const content = contentOf(old);
    await refused(old, /found one from before: import its dumps again/);
    assert.deepEqual(contentOf(old), content);
    {
      await using catalogue = Catalogue.open(data);
      catalogue.removals.begin('posts', false);
    }
    await refused(data, /expected removals that are complete, found that removal 1 is not/);
  });
});
