// The engines that the benchmark is held against: tantivy (tantivy/), built where a Rust toolchain is at hand, and
// Lucene (lucene/), where a JDK and Maven are. Each indexes what the engine holds, and answers in a process of its own,
// one request at a time, while the engine waits.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SearchEngine } from '../src/model/engine.ts';
import type { StoredComment } from '../src/model/record.ts';
import { bytesOf, filesOf } from './measure.ts';
import { type PeerRequest, type PeerResponse, peerLine } from './peer-questions.ts';

/** A program that takes `build FOLDER` and `ask FOLDER`. */
export interface PeerProgram {
  readonly name: 'Lucene' | 'tantivy';
  readonly command: readonly [program: string, ...args: string[]];
}

/** Written when an index is whole. */
const BUILT = 'built.json';

interface Built {
  readonly records: number;
  readonly cpuSeconds: number;
}

export interface PeerFigures extends Built {
  readonly segments: number;
  readonly bytes: number;
  readonly openMs: number;
}

/** Those whose tools are at hand; `missing` is told why another is not. Throws where a program cannot be built. */
export function peerPrograms(missing: (why: string) => void): PeerProgram[] {
  const programs = [luceneProgram(), tantivyProgram()];
  return programs.flatMap((found) => {
    if (typeof found !== 'string') return [found];
    missing(found);
    return [];
  });
}

function tantivyProgram(): PeerProgram | string {
  if (!runs('cargo', ['--version']))
    return 'without tantivy: there is no cargo, the tool of Rust, on the path';
  const target = process.env.CARGO_TARGET_DIR ?? join(tmpdir(), 'colloquy-bench-tantivy');
  execFileSync('cargo', ['build', '--release', '--locked', '--quiet'], {
    cwd: join(import.meta.dirname, 'tantivy'),
    env: { RUSTFLAGS: '-C target-cpu=native', ...process.env, CARGO_TARGET_DIR: target },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const name = 'colloquy-bench-tantivy';
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return { name: 'tantivy', command: [join(target, 'release', file)] };
}

/** Vectors are an incubating module of Java: without it, Lucene decodes postings number by number. */
function luceneProgram(): PeerProgram | string {
  const { JAVA_HOME } = process.env;
  const java = JAVA_HOME === undefined ? 'java' : join(JAVA_HOME, 'bin', 'java');
  // A program of several source files: https://openjdk.org/jeps/458.
  const version = Number(/ (\d+)/.exec(runs(java, ['--version']) ?? '')?.[1] ?? 0);
  if (version < 22) return 'without Lucene: there is no JDK 22 or newer in JAVA_HOME or on the path';
  if (!runs('mvn', ['--version'])) return 'without Lucene: there is no Maven on the path';
  const folder = join(import.meta.dirname, 'lucene');
  const jars = join(tmpdir(), 'colloquy-bench-lucene');
  const copy = [
    '-q',
    '-B',
    '-f',
    join(folder, 'pom.xml'),
    'dependency:copy-dependencies',
    `-DoutputDirectory=${jars}`,
  ];
  execFileSync('mvn', copy, { stdio: ['ignore', 'ignore', 'inherit'] });
  const vectors = ['--add-modules', 'jdk.incubator.vector', '--enable-native-access=ALL-UNNAMED'];
  const main = join(folder, 'Main.java');
  return { name: 'Lucene', command: [java, '-Xmx2g', ...vectors, '-cp', join(jars, '*'), main] };
}

/** What it printed; null where it cannot be run. */
function runs(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

/** Indexes every comment of the engine, unless the folder has them. */
export async function buildPeer(program: PeerProgram, folder: string, engine: SearchEngine): Promise<void> {
  if (existsSync(join(folder, BUILT))) return;
  rmSync(folder, { recursive: true, force: true });
  const building = start(program, 'build', folder);
  const output = linesOf(building);
  for await (const batch of engine.scan('comment', { items: [] }, 'newest')) {
    const lines = batch.map((record) => peerLine(record as StoredComment)).join('\n');
    if (!building.stdin!.write(`${lines}\n`)) await once(building.stdin!, 'drain');
  }
  building.stdin!.end();
  const built = await output.next();
  await ended(program.name, building);
  writeFileSync(join(folder, BUILT), `${built.value}\n`);
}

export class Peer implements AsyncDisposable {
  readonly name: PeerProgram['name'];
  readonly figures: PeerFigures;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    name: PeerProgram['name'],
    process: ChildProcess,
    lines: AsyncIterator<string>,
    figures: PeerFigures,
  ) {
    this.name = name;
    this.#process = process;
    this.#lines = lines;
    this.figures = figures;
  }

  static async open(program: PeerProgram, folder: string): Promise<Peer> {
    const asking = start(program, 'ask', folder);
    const lines = linesOf(asking);
    const opened = JSON.parse((await lines.next()).value);
    const built: Built = JSON.parse(readFileSync(join(folder, BUILT), 'utf8'));
    const files = filesOf(folder).filter((file) => !file.endsWith(BUILT));
    return new Peer(program.name, asking, lines, { ...built, ...opened, bytes: bytesOf(files) });
  }

  async ask(request: PeerRequest): Promise<PeerResponse> {
    this.#process.stdin!.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`expected an answer of ${this.name}, found its end`);
    return JSON.parse(value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin!.end();
    await ended(this.name, this.#process);
  }
}

function start(
  { command: [program, ...args] }: PeerProgram,
  what: 'build' | 'ask',
  folder: string,
): ChildProcess {
  return spawn(program, [...args, what, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string> {
  return createInterface({ input: stdout!, crlfDelay: Infinity })[Symbol.asyncIterator]();
}

async function ended(name: string, process: ChildProcess): Promise<void> {
  if (process.exitCode === null) await once(process, 'exit');
  if (process.exitCode !== 0) throw new Error(`expected ${name} to end with 0, found ${process.exitCode}`);
}
