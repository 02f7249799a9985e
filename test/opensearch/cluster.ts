// A real OpenSearch cluster on loopback: one node, or several processes that can be killed one by one. Everything is
// below a folder of its own, in memory where there is a file system for that and the cluster does not live long.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../processes.ts';
import type { Home } from './home.ts';

export interface ClusterOptions {
  /** Processes. Absent: 1. */
  readonly nodes?: number;
  /** Absent: 512m. */
  readonly heap?: string;
  /** True: code is compiled as for a long life. Absent: quickly, which takes less of a short one. */
  readonly isLongLived?: boolean;
  /** Words for each Java machine, beside those of `startProcess`. Absent: none. */
  readonly machine?: readonly string[];
  /** Of every node, beside those of `settingsOf`. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
}

/** How a process is started. */
type ProcessOptions = Required<Omit<ClusterOptions, 'nodes'>>;

/** Nobody: nodes refuse to run as root. */
const NOBODY = 65_534;
/** How long a cluster may take to come up, in milliseconds. */
const PATIENCE_MS = 300_000;
const PARTS = ['config', 'data', 'logs', 'tmp'];

const LOG = `status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
`;

interface TestNode {
  readonly name: string;
  readonly folder: string;
  readonly http: number;
  readonly transport: number;
  /** Whether it makes the cluster; others join it. */
  readonly isFirst: boolean;
  process: ChildProcess | null;
}

export class TestCluster implements AsyncDisposable {
  readonly #home: Home;
  readonly #folder: string;
  readonly #options: ProcessOptions;
  readonly #nodes: TestNode[];
  readonly #guard: ChildProcess;

  private constructor(home: Home, folder: string, options: ProcessOptions, nodes: TestNode[]) {
    this.#home = home;
    this.#folder = folder;
    this.#options = options;
    this.#nodes = nodes;
    const guard = fileURLToPath(new URL('guard.ts', import.meta.url));
    this.#guard = spawn(process.execPath, [guard, folder], { stdio: ['pipe', 'ignore', 'ignore'] });
    // A test that leaves it behind still ends: the guard ends the nodes then.
    this.#guard.unref();
    (this.#guard.stdin as unknown as { unref(): void }).unref();
  }

  /** Resolves when all nodes have found each other. Throws with the last lines of a node that did not come up. */
  static async start(
    home: Home,
    {
      nodes: count = 1,
      heap = '512m',
      isLongLived = false,
      machine = [],
      settings = {},
    }: ClusterOptions = {},
  ): Promise<TestCluster> {
    const below = existsSync('/dev/shm') && !isLongLived ? '/dev/shm' : tmpdir();
    const folder = mkdtempSync(join(below, 'colloquy-opensearch-'));
    handOver(folder);
    const nodes = await newNodes(folder, 1, count);
    const cluster = new TestCluster(home, folder, { heap, isLongLived, machine, settings }, nodes);
    try {
      for (const [i] of nodes.entries()) cluster.startNode(i);
      await cluster.ready();
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  /** So many more nodes. Resolves when all have found each other. */
  async grow(count: number): Promise<void> {
    const from = this.#nodes.length;
    this.#nodes.push(...(await newNodes(this.#folder, from + 1, count)));
    for (let number = from; number < from + count; number++) this.startNode(number);
    await this.ready();
  }

  /** Of every node, running or not, in order. */
  get addresses(): readonly string[] {
    return this.#nodes.map(({ http }) => `http://127.0.0.1:${http}`);
  }

  /** Where each node keeps its data. */
  get dataFolders(): readonly string[] {
    return this.#nodes.map(({ folder }) => join(folder, 'data'));
  }

  isRunning(number: number): boolean {
    return this.#nodes[number]!.process !== null;
  }

  /** Of the processes that are running. */
  get processIds(): readonly number[] {
    return this.#nodes.flatMap(({ process: running }) => running?.pid ?? []);
  }

  /** With what it had on disk. It must not be running. */
  startNode(number: number): void {
    const node = this.#nodes[number]!;
    node.process = startProcess(this.#home, { node, peers: this.#nodes, ...this.#options });
    this.#guard.stdin!.write(`${node.process.pid}\n`);
  }

  /** Resolves when it is gone. */
  async killNode(number: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const node = this.#nodes[number]!;
    const { process: running } = node;
    if (running === null) return;
    node.process = null;
    if (running.exitCode === null && running.signalCode === null) {
      const ended = once(running, 'exit');
      running.kill(signal);
      await ended;
    }
    this.#guard.stdin!.write(`-${running.pid}\n`);
  }

  /** Resolves when every running node answers and sees all that run, and, if asked, has every copy of each shard. */
  async ready({ green = false } = {}): Promise<void> {
    const running = this.#nodes.filter((node) => node.process !== null);
    const wanted = `wait_for_nodes=${running.length}&timeout=1s${green ? '&wait_for_status=green' : ''}`;
    const deadline = performance.now() + PATIENCE_MS;
    for (const node of running) {
      // A node that was killed is missed late: each is asked by its own address.
      while (!(await isReady(`http://127.0.0.1:${node.http}/_cluster/health?${wanted}`))) {
        const { exitCode } = node.process!;
        if (exitCode !== null || performance.now() > deadline) {
          throw new Error(`OpenSearch did not come up (exit code ${exitCode}): ${lastLines(node)}`);
        }
        await sleep(200);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((_, number) => this.killNode(number)));
    this.#guard.stdin!.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Below a folder, counted from `first`: 1 makes a cluster. */
async function newNodes(folder: string, first: number, count: number): Promise<TestNode[]> {
  const ports = await freePorts(2 * count);
  return Array.from({ length: count }, (_, i) => {
    const name = `n${first + i}`;
    const [http, transport] = [ports[2 * i]!, ports[2 * i + 1]!];
    return { name, folder: join(folder, name), http, transport, isFirst: first === 1, process: null };
  });
}

interface Starting extends ProcessOptions {
  readonly node: TestNode;
  readonly peers: readonly TestNode[];
}

function startProcess(home: Home, starting: Starting): ChildProcess {
  const { node, peers, heap, isLongLived, machine: given, settings } = starting;
  const { folder } = node;
  for (const part of ['', ...PARTS]) {
    mkdirSync(join(folder, part), { recursive: true });
    handOver(join(folder, part));
  }
  writeFileSync(join(folder, 'config/opensearch.yml'), '');
  writeFileSync(join(folder, 'config/log4j2.properties'), LOG);
  const out = openSync(outOf(node), 'a');
  const machine = [`-Xms${heap}`, `-Xmx${heap}`, '-XX:+UseSerialGC', ...given];
  if (existsSync(home.classes)) machine.push(`-XX:SharedArchiveFile=${home.classes}`);
  if (!isLongLived) machine.push('-XX:TieredStopAtLevel=1');
  const properties = {
    'java.io.tmpdir': join(folder, 'tmp'),
    'opensearch.path.home': home.path,
    'opensearch.path.conf': join(folder, 'config'),
    'opensearch.distribution.type': 'tar',
  };
  return spawn(
    home.java,
    [
      ...[...machine, '-XX:+ExitOnOutOfMemoryError', '--enable-native-access=ALL-UNNAMED'],
      ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
      ...['-cp', `${home.path}/lib/*`, 'org.opensearch.bootstrap.OpenSearch'],
      ...Object.entries({ ...settingsOf(node, peers), ...settings }).map(
        ([name, value]) => `-E${name}=${value}`,
      ),
    ],
    { cwd: folder, stdio: ['ignore', out, out], ...(isRoot() && { uid: NOBODY, gid: NOBODY }) },
  );
}

/** Those that the operator is told to set, and those of a cluster for tests. */
function settingsOf({ name, folder, http, transport }: TestNode, peers: readonly TestNode[]): object {
  return {
    ...{ 'indices.query.bool.max_clause_count': 100_001, 'search.max_buckets': 1_000_000 },
    'action.auto_create_index': false,
    ...{ 'cluster.name': 'colloquy-test', 'node.name': name, 'network.host': '127.0.0.1' },
    ...{ 'http.port': http, 'transport.port': transport },
    ...{ 'path.data': join(folder, 'data'), 'path.logs': join(folder, 'logs') },
    'cluster.routing.allocation.disk.threshold_enabled': false,
    // This collector leaves garbage until the heap is full, which the other way of counting takes for use.
    'indices.breaker.total.use_real_memory': false,
    'discovery.seed_hosts': peers.map((peer) => `127.0.0.1:${peer.transport}`).join(','),
    'cluster.initial_cluster_manager_nodes': peers
      .filter(({ isFirst }) => isFirst)
      .map((peer) => peer.name)
      .join(','),
  };
}

interface Health {
  readonly timed_out: boolean;
}

async function isReady(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) });
    const { timed_out: isShort } = (await answer.json()) as Health;
    return answer.ok && !isShort;
  } catch {
    return false;
  }
}

function outOf({ folder }: TestNode): string {
  return join(folder, 'out.log');
}

function lastLines(node: TestNode): string {
  return readFileSync(outOf(node), 'utf8').slice(-2_000);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** To the user that nodes run as. */
function handOver(path: string): void {
  if (isRoot()) chownSync(path, NOBODY, NOBODY);
}

/**
 * Starts a node and ends it, where none has left its classes yet: those that start later need not find, read and verify
 * them again, and are up with less than half of the processor's time (Java's class data sharing, JEP 350). A Java
 * machine that cannot keep them keeps none.
 */
export async function keepClasses(home: Home): Promise<void> {
  if (existsSync(home.classes)) return;
  const name = 'classes.jsa';
  // Into the folder that a node starts in: it runs as a user who may not write elsewhere.
  await using cluster = await TestCluster.start(home, { machine: [`-XX:ArchiveClassesAtExit=${name}`] });
  const written = join(cluster.dataFolders[0]!, '..', name);
  await cluster.killNode(0, 'SIGTERM');
  if (!existsSync(written)) return;
  copyFileSync(written, `${home.classes}.new`);
  renameSync(`${home.classes}.new`, home.classes);
}
