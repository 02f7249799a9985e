// `npm run test:long -- opensearch-try [--data FOLDER] [--nodes N] [--port PORT]`: fetches OpenSearch where it was not
// fetched yet, boots a cluster, moves a data folder into it, or the sample, and serves it until Ctrl-C. Everything is
// on loopback; what was moved goes with the cluster, and the folder keeps its own index.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { onStopSignal } from '../../src/cli/command-line.ts';
import { temporaryFolder } from '../helpers.ts';
import { freePorts, TestCluster } from '../opensearch/cluster.ts';
import { fetchHome } from '../opensearch/home.ts';
import { homeFolder } from '../opensearch/test-cluster.ts';

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PROGRAM = fileOf('bin/colloquy.mjs');
const SAMPLE = ['sample/posts.ndjson', 'sample/comments.ndjson'].map(fileOf);
const OWN_SETTINGS = /^COLLOQUY_(?:ENGINE|DATA|OPENSEARCH_.*)$/;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    port: { type: 'string' },
  },
});

let isStopped = false;
let running: ChildProcess | null = null;
using _signals = onStopSignal(() => {
  isStopped = true;
  running?.kill('SIGTERM');
});

try {
  await tryIt();
} catch (error) {
  // A terminal tells the nodes of Ctrl-C too.
  if (!isStopped) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}

async function tryIt(): Promise<void> {
  const count = Number(values.nodes);
  if (!Number.isInteger(count) || count < 1 || count > 5) {
    throw new Error(`option \`--nodes\`: expected 1 to 5, found \`${values.nodes}\``);
  }
  const home = fetchHome(homeFolder());
  if ('reason' in home) throw new Error(`OpenSearch cannot be had: ${home.reason}`);
  console.error(`OpenSearch starts (${count === 1 ? '1 node' : `${count} nodes`}) …`);
  await using cluster = await TestCluster.start(home, { nodes: count });
  console.error(`OpenSearch is ready: ${cluster.addresses.join(' ')}`);
  using made = values.data === undefined ? temporaryFolder() : null;
  // npm changes to the project's folder.
  const folder = made?.path ?? resolve(process.env.INIT_CWD ?? '.', values.data!);
  const cleared = Object.entries(process.env).filter(([name]) => !OWN_SETTINGS.test(name));
  const env = {
    ...Object.fromEntries(cleared),
    COLLOQUY_DATA: folder,
    // What commands print names it.
    COLLOQUY_PORT: values.port ?? String((await freePorts(1))[0]),
    COLLOQUY_OPENSEARCH_NODES: cluster.addresses.join(','),
    COLLOQUY_OPENSEARCH_SHARDS: String(count),
    COLLOQUY_OPENSEARCH_REPLICAS: count === 1 ? '0' : '1',
  };
  if (made !== null) {
    await colloquy(['import', ...SAMPLE], env);
    await colloquy(['keys', 'create', '--account', 'you@example.org'], env);
  }
  await colloquy(['move', '--to', 'opensearch'], env);
  await colloquy(['serve'], { ...env, COLLOQUY_ENGINE: 'opensearch' });
}

/** Runs a command to its end, which must be a good one. Does nothing once the program is to stop. */
async function colloquy(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (isStopped) return;
  console.error(`\n$ colloquy ${words.join(' ')}`);
  running = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(running, 'exit');
  running = null;
  if (code !== 0 && !isStopped) throw new Error(`\`colloquy ${words[0]}\` ended with exit code ${code}`);
}
