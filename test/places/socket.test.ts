// A server at a unix socket, and at addresses of IPv6.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, mock } from 'node:test';
import { listen } from '../../src/cli/serving/listening.ts';
import { readConfig } from '../../src/config.ts';
import { UsageError } from '../../src/errors.ts';
import { temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { openSite } from '../page/site.ts';
import { serve } from '../processes.ts';

const hasSockets = process.platform === 'win32' ? 'sockets of another kind' : false;

describe('a unix socket', { skip: hasSockets }, () => {
  it('is for owner and group, is answered on, taken over from a server that was killed, and gone in the end', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'colloquy.sock');
    const words = ['--data', join(folder.path, 'data'), '--no-sample', '--host', path];
    const killed = await serve(words);
    assert.equal(killed.address, `unix:${path}`);
    assert.equal(statSync(path).mode & 0o777, 0o660);
    const taken = /ended with 2: colloquy: cannot listen on socket `[^\n]*found a program/;
    await assert.rejects(serve(words), taken);
    assert.equal((await askSocket(path, '/healthz')).status, 200);
    await killed.kill('SIGKILL');
    assert.ok(existsSync(path));
    const next = await serve(words, { COLLOQUY_HOST: path });
    assert.equal((await askSocket(path, '/healthz')).status, 200);
    assert.equal(await next.kill('SIGTERM'), 0);
    assert.ok(!existsSync(path));
  });

  describe('what is in the way', async () => {
    const site = ofTests(await openSite([], []));

    const refused = async (host: string, message: RegExp) => {
      const server = await site.build();
      const isTold = (error: Error) => error instanceof UsageError && message.test(error.message);
      await assert.rejects(listen(server, { host, port: 0 }), isTold);
    };

    it('a file, a folder and a link are left as they are', async () => {
      using folder = temporaryFolder();
      const [file, link] = [join(folder.path, 'file'), join(folder.path, 'link')];
      writeFileSync(file, 'mine');
      symlinkSync(file, link);
      for (const path of [file, link, folder.path]) await refused(path, /expected none or a socket, found/);
      assert.equal(statSync(file).size, 4);
    });

    it('a socket of another program that listens is left to it', async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, 'other.sock');
      const other = createServer((socket) => socket.end('other')).listen(path);
      await refused(path, /found a program that listens there/);
      assert.ok(existsSync(path));
      await new Promise((closed) => other.close(closed));
    });

    it('a folder that is not there, or a file in its place', async () => {
      using folder = temporaryFolder();
      writeFileSync(join(folder.path, 'file'), '');
      const none = join(folder.path, 'none', 's');
      await refused(none, /socket `[^`]*`: expected a folder that exists, found none/);
      await refused(join(folder.path, 'file', 's'), /expected a folder, found a file/);
    });
  });

  it('its peer is believed like a trusted proxy; limits are those of whom it names', async (t) => {
    using folder = temporaryFolder();
    await using site = await openSite();
    const path = join(folder.path, 's');
    mock.restoreAll();
    t.mock.method(performance, 'now', () => 0);
    const server = await site.build({ isAtSocket: true });
    await listen(server, { host: path, port: 0 });
    const from = async (headers: Record<string, string>) =>
      (await askSocket(path, '/search?query=panel', headers)).status;
    const one = { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' };
    for (let i = 0; i < 30; i++) assert.equal(await from(one), 200);
    assert.equal(await from(one), 429);
    // In front of what the proxy added, a caller may write what it likes.
    assert.equal(await from({ 'x-forwarded-for': '203.0.113.10, 198.51.100.1' }), 429);
    assert.equal(await from({ 'x-forwarded-for': '198.51.100.2' }), 200);
    assert.equal(await from({}), 200);
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'search.example.org' };
    assert.match((await askSocket(path, '/docs', headers)).body, /https:\/\/search\.example\.org/);
  });
});

describe('an address of IPv6', () => {
  for (const [host, says] of Object.entries({
    '::1': '[::1]',
    '[::1]': '[::1]',
    '::': '[::',
    '[::]': '[::',
  })) {
    it(`${host} is listened at, and said in brackets`, async (t) => {
      if (!hasIPv6()) return t.skip('no IPv6 on this machine');
      await using site = await openSite([], []);
      const server = await site.build();
      const address = await listen(server, { host: readConfig({ COLLOQUY_HOST: host }).host, port: 0 });
      assert.ok(address.startsWith(`http://${says}`), address);
      const { port } = new URL(address);
      assert.equal((await fetch(`http://[::1]:${port}/healthz`)).status, 200);
      // Both families: one address of the older one is that caller, in whichever form it comes.
      if (says === '[::') assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
      const form = { method: 'POST', body: 'theme=dark', redirect: 'manual' } as const;
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://[::1]:${port}` };
      assert.equal((await fetch(`http://[::1]:${port}/theme`, { ...form, headers })).status, 303);
    });
  }
});

function hasIPv6(): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
}

/** A request over a unix socket. */
async function askSocket(socketPath: string, path: string, headers: Record<string, string> = {}) {
  const request = ask({ socketPath, path, headers, agent: false }).end();
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
