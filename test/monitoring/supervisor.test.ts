// What the service manager hears of a server.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { missing, serve } from '../processes.ts';

/** Takes messages as systemd does, and prints a line for each. A file that comes along is closed: the sender waits. */
const MANAGER = `
import array, os, socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
print('bound', flush=True)
while True:
    text, others, _, _ = manager.recvmsg(4096, socket.CMSG_SPACE(64))
    for level, kind, data in others:
        if kind == socket.SCM_RIGHTS:
            for file in array.array('i', data[:len(data) - len(data) % 4]):
                os.close(file)
    if text != b'BARRIER=1':
        print(text.decode().replace('\\n', ' '), flush=True)
`;

describe('the service manager', () => {
  it('hears that the server is ready and that it stops', {
    skip: missing('systemd-notify', 'python3'),
  }, async () => {
    using folder = temporaryFolder();
    const socket = join(folder.path, 'notify');
    const manager = spawn('python3', ['-c', MANAGER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let heard = '';
      manager.stdout.setEncoding('utf8').on('data', (text: string) => {
        heard += text;
      });
      await once(manager.stdout, 'data');
      const words = ['--data', join(folder.path, 'data'), '--no-sample'];
      await using server = await serve(words, { NOTIFY_SOCKET: socket, COLLOQUY_THREADS: '1' });
      while (!heard.includes('READY=1')) await once(manager.stdout, 'data');
      assert.doesNotMatch(heard, /STOPPING/);
      assert.equal(await server.kill('SIGTERM'), 0);
      while (!heard.includes('STOPPING=1')) await once(manager.stdout, 'data');
      assert.equal(heard, 'bound\nREADY=1 STATUS=answers queries\nSTOPPING=1 STATUS=finishes answers\n');
      assert.equal(server.output.stderr, '');
    } finally {
      manager.kill();
    }
  });

  it('is not told where systemd-notify is not there: the log says so, and the server goes on', async () => {
    using folder = temporaryFolder();
    const words = ['--data', join(folder.path, 'data'), '--no-sample'];
    const settings = { NOTIFY_SOCKET: join(folder.path, 'notify'), PATH: folder.path, COLLOQUY_THREADS: '1' };
    await using server = await serve(words, settings);
    while (!server.output.stderr.includes('\n')) await new Promise(setImmediate);
    assert.equal((await fetch(`${server.address}/livez`)).status, 200);
    assert.equal(await server.kill('SIGTERM'), 0);
    const lines = server.output.stderr.trimEnd().split('\n');
    const msg = 'systemd-notify could not tell the service manager';
    for (const [i, state] of ['READY=1', 'STOPPING=1'].entries()) {
      const { level, msg: told, state: of } = JSON.parse(lines[i]!);
      assert.deepEqual([level, told, of, lines.length], ['warn', msg, state, 2]);
    }
  });
});
