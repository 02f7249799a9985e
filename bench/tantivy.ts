// tantivy as an opponent: its program (tantivy/) is built where a Rust toolchain is at hand, indexes what the engine
// holds, and answers in a process of its own, one request at a time, while the engine waits.

import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SearchEngine } from '../src/model/engine.ts';
import type { StoredComment } from '../src/model/record.ts';
import { bytesOf, filesOf } from './measure.ts';
import { type PeerRequest, type PeerResponse, peerLine } from './tantivy-questions.ts';

const CRATE = join(import.meta.dirname, 'tantivy');
/** Written when an index is whole. */
const BUILT = 'built.json';

interface Built {
  readonly records: number;
  readonly cpuSeconds: number;
}

export interface TantivyFigures extends Built {
  readonly segments: number;
  readonly bytes: number;
  readonly openMs: number;
}

/** The program; null where there is no cargo. Throws where the program cannot be built. */
export function tantivyProgram(): string | null {
  try {
    execFileSync('cargo', ['--version'], { stdio: 'ignore' });
  } catch {
    return null;
  }
  const target = process.env.CARGO_TARGET_DIR ?? join(tmpdir(), 'colloquy-bench-tantivy');
  const env = { RUSTFLAGS: '-C target-cpu=native', ...process.env, CARGO_TARGET_DIR: target };
  execFileSync('cargo', ['build', '--release', '--locked', '--quiet'], {
    cwd: CRATE,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const name = 'colloquy-bench-tantivy';
  return join(target, 'release', process.platform === 'win32' ? `${name}.exe` : name);
}

/** Indexes every comment of the engine, unless the folder has them. */
export async function buildTantivy(program: string, folder: string, engine: SearchEngine): Promise<void> {
  if (existsSync(join(folder, BUILT))) return;
  rmSync(folder, { recursive: true, force: true });
  const building = start(program, ['build', folder]);
  const output = linesOf(building);
  for await (const batch of engine.scan('comment', { items: [] }, 'newest')) {
    const lines = batch.map((record) => peerLine(record as StoredComment)).join('\n');
    if (!building.stdin!.write(`${lines}\n`)) await once(building.stdin!, 'drain');
  }
  building.stdin!.end();
  const built = await output.next();
  await ended(building);
  writeFileSync(join(folder, BUILT), `${built.value}\n`);
}

export class Tantivy implements AsyncDisposable {
  readonly figures: TantivyFigures;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(process: ChildProcess, lines: AsyncIterator<string>, figures: TantivyFigures) {
    this.#process = process;
    this.#lines = lines;
    this.figures = figures;
  }

  static async open(program: string, folder: string): Promise<Tantivy> {
    const asking = start(program, ['ask', folder]);
    const lines = linesOf(asking);
    const opened = JSON.parse((await lines.next()).value);
    const built: Built = JSON.parse(readFileSync(join(folder, BUILT), 'utf8'));
    const files = filesOf(folder).filter((file) => !file.endsWith(BUILT));
    return new Tantivy(asking, lines, { ...built, ...opened, bytes: bytesOf(files) });
  }

  async ask(request: PeerRequest): Promise<PeerResponse> {
    this.#process.stdin!.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('expected an answer of tantivy, found its end');
    return JSON.parse(value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin!.end();
    await ended(this.#process);
  }
}

function start(program: string, args: readonly string[]): ChildProcess {
  const options: SpawnOptions = { stdio: ['pipe', 'pipe', 'inherit'] };
  return spawn(program, args, options);
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string> {
  return createInterface({ input: stdout!, crlfDelay: Infinity })[Symbol.asyncIterator]();
}

async function ended(process: ChildProcess): Promise<void> {
  if (process.exitCode === null) await once(process, 'exit');
  if (process.exitCode !== 0) throw new Error(`expected tantivy to end with 0, found ${process.exitCode}`);
}
