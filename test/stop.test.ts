// Whoever starts Colloquy can stop it: through npm, through a foreign Node, by Ctrl-C to the whole group of processes.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { temporaryFolder } from './helpers.ts';
import { project } from './project.ts';

describe('stopping', { timeout: 60_000 }, () => {
  it('npm start ends with npm, and the port is free again', async () => {
    using folder = temporaryFolder();
    const npm = start(folder.path, 'npm', ['start'], { COLLOQUY_THREADS: '0' });
    const address = await ready(npm);
    npm.kill('SIGTERM');
    await refused(address);
  });

  it('Ctrl-C to the whole group of processes is one wish to stop: exit code 0', async () => {
    using folder = temporaryFolder();
    const server = start(folder.path, process.execPath, ['bin/colloquy.mjs', 'serve']);
    const address = await ready(server);
    const ended = once(server, 'exit');
    process.kill(-server.pid!, 'SIGINT');
    process.kill(-server.pid!, 'SIGINT');
    assert.deepEqual(await ended, [0, null]);
    await refused(address);
  });
});

/** In a group of its own, on a free port. */
function start(
  folder: string,
  program: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): ChildProcess {
  const env = { ...process.env, COLLOQUY_DATA: folder, COLLOQUY_PORT: '0', ...settings };
  return spawn(program, words, { cwd: project, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** The address that the server prints. */
async function ready(server: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of server.stdout!) {
    text += chunk;
    const address = /ready: (http:\S+)/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`not ready: ${text}`);
}

/** Resolves when nobody answers any more; the test's own time limit is the end of patience. */
async function refused(address: string): Promise<void> {
  for (;;) {
    try {
      await fetch(`${address}/healthz`);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
