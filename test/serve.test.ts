// `colloquy serve` as a process: what it prints, and how it ends.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from './helpers.ts';
import { commentLine } from './import/import-helpers.ts';
import { colloquy, serve } from './processes.ts';

/**
 * Run before the program: writes on stderr what its threads have said, each thing once, when it says that it is
 * ready.
 */
const WATCH_THREADS = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel';
  import { isMainThread } from 'node:worker_threads';
  const said = new Set();
  subscribe('worker_threads', ({ worker }) => {
    worker.on('message', (reply) => said.add(reply.started ? 'started' : 'value' in reply ? 'answered' : 'failed'));
  });
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  if (isMainThread) stdout.write = (text, ...rest) => {
    if (text.includes('is ready')) stderr.write(JSON.stringify([...said]));
    return write(text, ...rest);
  };
`)}`;

/** In one thread, where threads play no part. */
const ONE_THREAD = { COLLOQUY_THREADS: '0' };

describe('colloquy serve', () => {
  for (const [signal, settings] of [
    ['SIGTERM', {}],
    ['SIGINT', ONE_THREAD],
  ] as const) {
    it(`prints one line when ready, answers, and ends with 0 on ${signal}, even when it comes twice`, async () => {
      using folder = temporaryFolder();
      const running = await serve(['--data', folder.path, '--no-sample'], settings);
      const { address } = running;
      const response = await fetch(`${address}/healthz`);
      assert.deepEqual(await response.json(), { status: 'ok', posts: 'ok', comments: 'ok' });
      running.process.kill(signal);
      running.process.kill(signal);
      assert.equal(await running.ended, 0);
      assert.equal(running.output.stdout, `Colloquy is ready: ${address}\n`);
      assert.equal(running.output.stderr, '');
    });
  }

  it('its line stands when a thread that answers has started and has answered, before any request', async () => {
    using folder = temporaryFolder();
    const watched = { node: ['--import', WATCH_THREADS] };
    const words = ['--data', folder.path, '--no-sample'];
    const running = await serve(words, { COLLOQUY_THREADS: '1' }, watched);
    assert.equal(await running.kill('SIGTERM'), 0);
    assert.deepEqual(JSON.parse(running.output.stderr), ['started', 'answered']);
  });

  it('with nothing imported it serves the sample, and says what to do next', async () => {
    using folder = temporaryFolder();
    const running = await serve(['--data', folder.path], ONE_THREAD);
    assert.equal(await running.kill('SIGTERM'), 0);
    const { level, msg } = JSON.parse(running.output.stderr);
    assert.match(`${level} ${msg}`, /^info Nothing .* small invented sample/);
    assert.match(msg, new RegExp(`keys create --account \\S+ --data ${folder.path}\n`));
    assert.match(msg, new RegExp(`import \\S+ --data ${folder.path}$`));
  });

  it('the first page after the first import said that its records are invented', async () => {
    using folder = temporaryFolder();
    const [dump, data] = [join(folder.path, 'RC'), join(folder.path, 'data')];
    writeFileSync(dump, commentLine('a', { body: 'solar' }));
    const running = await serve(['--data', data], ONE_THREAD);
    const { address } = running;
    assert.match(await (await fetch(address)).text(), /These records are invented/);
    assert.equal((await colloquy(['import', dump, '--data', data])).code, 0);
    const page = await (await fetch(`${address}/search?query=solar&kind=comments`)).text();
    assert.match(page, /<h1 id="total">1 comment/);
    assert.doesNotMatch(page, /These records are invented/);
    assert.equal(await running.kill('SIGTERM'), 0);
  });

  it('the hint after `keys create` has the port that serves, and finds something; no note of it stays', async () => {
    using folder = temporaryFolder();
    const running = await serve(['--data', folder.path], ONE_THREAD);
    const made = await colloquy(['keys', 'create', '--account', 'a@b.org', '--data', folder.path]);
    const [, address] = /curl .* "(http:\S+)"/.exec(made.stderr)!;
    const headers = { authorization: `Bearer ${made.stdout.trim()}` };
    const { total_count } = (await (await fetch(address!, { headers })).json()) as { total_count: number };
    assert.ok(total_count > 0);
    assert.equal(await running.kill('SIGTERM'), 0);
    assert.ok(!readdirSync(folder.path).includes('.listening'));
  });

  it('a port in use is one clear line and 2', async () => {
    using folder = temporaryFolder();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const words = ['serve', '--data', folder.path, '--port', port, '--no-sample'];
    const { code, stderr } = await colloquy(words, '', ONE_THREAD);
    taken.close();
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`^colloquy: [^\n]*\`${port}\`[^\n]*in use[^\n]*--port[^\n]*\n$`));
  });

  const wrong: readonly (readonly [flags: string, message: RegExp])[] = [
    ['--port 65536', /`--port`: expected 0 to 65535, found `65536`/],
    ['--port http', /`--port`: expected 0 to 65535, found `http`/],
    [
      '--host a/b',
      /`--host`: expected a host name, an address, or an absolute path [^\n]* socket, found `a\/b`/,
    ],
    ['--prot 1', /unknown option '--prot'/],
  ];
  for (const [flags, message] of wrong) {
    it(`${flags} is 2, and says what would be right`, async () => {
      const { code, stdout, stderr } = await colloquy(['serve', ...flags.split(' ')], '', ONE_THREAD);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    });
  }

  it('a control character in a flag reached the terminal', async () => {
    const { code, stderr } = await colloquy(['serve', '--host', 'a\u001b[31m'], '', ONE_THREAD);
    assert.equal(code, 2);
    assert.match(stderr, /`--host`: expected [^\n]*, found `a\ufffd\[31m`\n$/);
  });
});
