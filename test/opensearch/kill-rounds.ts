// Kills of nodes and of processes that import, remove and walk, on a cluster of three nodes, and what a caller sees all
// the while. After a few kills the work is brought to its end and compared with what was acknowledged, record by
// record; then it begins anew in other indices.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { ServiceError } from '../../src/errors.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import type { Query } from '../../src/model/query.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { EVERYTHING, everything, queryOf } from '../engine-suite.ts';
import type { TestCluster } from './cluster.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import type { Line, Role, Walked } from './kill-child.ts';
import {
  BATCH,
  batchOf,
  type Counts,
  communityOf,
  type Fault,
  KillModel,
  type Problem,
  removalStep,
  SOURCE,
} from './kill-model.ts';
import { open } from './place.ts';

/** A node that is no manager, at any moment; one in the midst of what an import makes it do; or a process of ours. */
export const TARGETS = ['node', 'manager in a bulk', 'node in a merge', 'import', 'remove', 'walk'] as const;
export type Target = (typeof TARGETS)[number];

/** What became of what was killed. */
export interface Kill {
  readonly target: Target;
  /** Longest time without an answer to a caller, from the kill on. In milliseconds, as all of them. */
  readonly silentMs: number;
  /** Until each of the three had done something again. */
  readonly goesOnMs: number;
}

export interface KillReport {
  readonly kills: Kill[];
  readonly problems: Problem[];
  /** Answers and refusals that callers got, by what they saw. */
  readonly seen: Map<string, number>;
  readonly faults: Record<Fault, number>;
  /** Acknowledged. */
  batches: number;
  removals: number;
  walks: number;
  /** Of the three processes. */
  readonly refused: Map<string, number>;
}

export interface KillOptions {
  readonly cluster: TestCluster;
  readonly kills: number;
  /** In turn. */
  readonly targets: readonly Target[];
  readonly random: () => number;
  readonly onKill: (report: KillReport) => void;
  readonly onProblem: (problem: Problem) => void;
  /** Begins no round behind it (`performance.now`). */
  readonly endBy?: number;
}

const ROLES: readonly Role[] = ['import', 'remove', 'walk'];
/** Kills in the same indices. */
const ROUND = 10;
/** How long everything may take to go on, in milliseconds. */
const PATIENCE_MS = 180_000;
/** Time budget of a question. */
const BUDGET_MS = 2_000;
const POLL_MS = 50;

export async function runKills(options: KillOptions): Promise<KillReport> {
  const report: KillReport = {
    ...{ kills: [], problems: [], seen: new Map(), refused: new Map() },
    ...{ batches: 0, removals: 0, walks: 0 },
    faults: { lost: 0, doubled: 0, half: 0, wrong: 0 },
  };
  const { cluster, kills, endBy = Infinity } = options;
  while (report.kills.length < kills && performance.now() < endBy) {
    const settings = { ...freshSettings(cluster.addresses, 1), shards: 3 };
    {
      await using round = new Round(settings, report, options, await open(settings));
      await round.begin();
      for (let i = 0; i < ROUND && report.kills.length < kills && performance.now() < endBy; i++) {
        await round.kill();
        options.onKill(report);
      }
      await round.end();
    }
    await deleteIndices(settings);
  }
  return report;
}

class Round implements AsyncDisposable {
  readonly #settings: OpenSearchSettings;
  readonly #report: KillReport;
  readonly #options: KillOptions;
  readonly #engine: SearchEngine;
  readonly #model = new KillModel();
  readonly #workers = new Map<Role, KilledWorker>();
  /** What each of them has done, and what it is at. */
  readonly #done: Record<Role, number> = { import: 0, remove: 0, walk: 0 };
  #walkedFrom: ReturnType<KillModel['now']> = [];
  #lastAnswer = performance.now();
  #silentMs = 0;
  #isReading = true;
  #reading: Promise<void> = Promise.resolve();

  constructor(settings: OpenSearchSettings, report: KillReport, options: KillOptions, engine: SearchEngine) {
    this.#settings = settings;
    this.#report = report;
    this.#options = options;
    this.#engine = engine;
  }

  async begin(): Promise<void> {
    for (const role of ROLES) this.#start(role);
    await this.#allGoOn();
    await this.#options.cluster.ready({ green: true });
    this.#lastAnswer = performance.now();
    this.#reading = this.#read();
  }

  /** Kills what is next, starts it again, and waits until everything goes on. */
  async kill(): Promise<void> {
    const { cluster, random, targets } = this.#options;
    const target = targets[this.#report.kills.length % targets.length]!;
    await sleep(random() * 1_000);
    this.#silentMs = 0;
    const role = ROLES.find((one) => one === target);
    let began: number;
    if (role === undefined) {
      const number = await this.#aimAt(target);
      began = performance.now();
      await cluster.killNode(number);
      await sleep(random() * 2_000);
      cluster.startNode(number);
    } else {
      began = performance.now();
      await this.#workers.get(role)!.kill();
      await this.#resume(role);
    }
    await this.#allGoOn();
    const goesOnMs = performance.now() - began;
    await cluster.ready({ green: true });
    const silentMs = Math.max(this.#silentMs, performance.now() - this.#lastAnswer);
    this.#report.kills.push({ target, silentMs, goesOnMs });
  }

  /** The place of the node to be killed, once it is at what the target says. */
  async #aimAt(target: Target): Promise<number> {
    const { addresses } = this.#options.cluster;
    const manager = await managerOf(addresses);
    if (target === 'node') return (manager + 1 + Math.floor(this.#options.random() * 2)) % addresses.length;
    if (target === 'manager in a bulk') {
      const tasks = `${addresses[manager]}/_tasks?nodes=_local&actions=indices:data/write/bulk*`;
      for (;;) {
        const { nodes } = await told<{ readonly nodes: object }>(tasks);
        if (Object.keys(nodes).length > 0) return manager;
      }
    }
    const path = `${addresses[manager]}/${this.#settings.prefix}-comments/_forcemerge?max_num_segments=1`;
    for (;;) {
      // Broken off with the node.
      let isMerging = true;
      const merging = fetch(path, { method: 'POST' })
        .then((answer) => answer.arrayBuffer())
        .catch(() => undefined)
        .finally(() => {
          isMerging = false;
        });
      while (isMerging) {
        const { nodes } = await told<Merges>(`${addresses[manager]}/_nodes/stats/indices/merge`);
        const node = Object.values(nodes).find(({ indices }) => indices.merges.current > 0);
        if (node !== undefined) return Number(node.name.slice(1)) - 1;
      }
      await merging;
      await sleep(POLL_MS);
    }
  }

  /** Ends the work, does what was under way again, and compares all records with those acknowledged. */
  async end(): Promise<void> {
    this.#isReading = false;
    await this.#reading;
    await Promise.all([...this.#workers.values()].map((worker) => worker.kill()));
    this.#workers.clear();
    const engine = this.#engine;
    const number = Number((await engine.checkpoints('comment')).get(SOURCE) ?? 0);
    await engine.index('comment', packRecords(batchOf(number)), { source: SOURCE, state: `${number + 1}` });
    this.#model.isIn(number);
    const { what, batch } = removalStep(this.#done.remove);
    if (batch + 3 <= number) {
      const removal = batch + 1;
      if (what === 'restore') await engine.restore(removal, ['comment']);
      else await engine.hide(removal, 'comment', { community: communityOf(batch) });
      this.#model.hasRemoved(this.#done.remove);
    }
    await engine.refresh();
    const expected = this.#model.seen.flatMap((seen) => recordsIn(seen, number));
    this.#compare(await everything(engine, 'comment'), expected);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isReading = false;
    await Promise.all([...this.#workers.values()].map((worker) => worker.kill()));
    await this.#reading;
    await this.#engine[Symbol.asyncDispose]();
  }

  #compare(found: readonly StoredRecord[], expected: readonly StoredRecord[]): void {
    const byId = new Map(found.map((record) => [record.id, record]));
    const doubled = found.length - byId.size;
    if (doubled > 0) this.#note({ fault: 'doubled', words: `${doubled} records at the end of a round` });
    const lost = expected.filter(({ id }) => !byId.has(id));
    if (lost.length > 0) this.#note({ fault: 'lost', words: `${lost.length} records at the end of a round` });
    const other = expected.filter(
      ({ id, score }) => byId.get(id) !== undefined && byId.get(id)!.score !== score,
    );
    const more = byId.size - (expected.length - lost.length);
    if (other.length > 0 || more > 0) {
      this.#note({ fault: 'wrong', words: `${other.length} older copies, ${more} too many at the end` });
    }
  }

  #start(role: Role): void {
    const worker = new KilledWorker({
      ...{ role, settings: this.#settings, from: this.#done[role] },
      onLine: (line) => this.#hear(role, line),
      onFailure: (words) => this.#note({ fault: 'wrong', words }),
    });
    this.#workers.set(role, worker);
  }

  /** As whoever starts it again: an import goes on where its checkpoint is. */
  async #resume(role: Role): Promise<void> {
    if (role === 'import') {
      const states = await untilTaken(() => this.#engine.checkpoints('comment'));
      const state = Number(states.get(SOURCE) ?? 0);
      const acknowledged = this.#model.batchesIn;
      if (state < acknowledged || state > acknowledged + 1) {
        this.#note({ fault: 'wrong', words: `checkpoint ${state} with ${acknowledged} batches in` });
      }
      if (state > acknowledged) this.#model.isIn(acknowledged);
      this.#done.import = state;
    }
    if (role === 'remove') this.#model.brokeOff(this.#done.remove);
    this.#start(role);
  }

  #hear(role: Role, { what, number, came }: Line): void {
    const model = this.#model;
    if (what === 'refused') {
      if (role === 'remove') model.brokeOff(number);
      count(this.#report.refused, `${role}: ${came}`.slice(0, 150));
      return;
    }
    if (what === 'begin') {
      if (role === 'import') model.importing(number);
      if (role === 'remove') model.removing(number);
      if (role === 'walk') this.#walkedFrom = model.now();
      return;
    }
    this.#done[role] = number + 1;
    if (role === 'import') {
      model.isIn(number);
      this.#report.batches++;
    } else if (role === 'remove') {
      model.hasRemoved(number);
      this.#report.removals++;
    } else {
      this.#report.walks++;
      // What another process began before may be heard behind it.
      const from = this.#walkedFrom;
      const { counts, doubled } = came as Walked;
      if (doubled > 0) this.#note({ fault: 'doubled', words: `${doubled} in a walk` });
      const who = number % 2 === 0 ? 'a scan' : 'an export';
      if (counts !== null) setTimeout(() => this.#check(from, counts, who), POLL_MS);
    }
  }

  /** As long as the round goes: everything, and what came again, by community. */
  async #read(): Promise<void> {
    while (this.#isReading) {
      await this.#ask('everything', EVERYTHING, (from, counts) => this.#check(from, counts, 'everything'));
      await this.#ask('what came again', queryOf('score:2..'), (from, counts) => {
        for (const problem of this.#model.checkAgain(from, counts)) this.#note(problem);
      });
      await sleep(POLL_MS);
    }
  }

  async #ask(
    words: string,
    query: Query,
    check: (from: ReturnType<KillModel['now']>, counts: Counts) => void,
  ): Promise<void> {
    const from = this.#model.now();
    try {
      await this.#engine.refresh();
      const breakdowns = [{ field: 'community', size: 1_000 } as const];
      const { total, breakdowns: found } = await this.#engine.ask({
        ...{ kind: 'comment', query, breakdowns, timeoutMs: BUDGET_MS },
      });
      const now = performance.now();
      this.#silentMs = Math.max(this.#silentMs, now - this.#lastAnswer);
      this.#lastAnswer = now;
      count(this.#report.seen, '200');
      await sleep(POLL_MS);
      const counts = Object.fromEntries(found![0]!.rows.map(({ name, count: rows }) => [name, rows]));
      const sum = Object.values(counts).reduce((all, each) => all + each, 0);
      if (sum !== total) this.#note({ fault: 'wrong', words: `${words}: total ${total}, rows ${sum}` });
      check(from, counts);
    } catch (error) {
      count(this.#report.seen, statusOf(error));
    }
  }

  #check(from: ReturnType<KillModel['now']>, counts: Counts, who: string): void {
    for (const { fault, words } of this.#model.check(from, counts)) {
      this.#note({ fault, words: `${who}: ${words}` });
    }
  }

  #note(problem: Problem): void {
    this.#report.faults[problem.fault]++;
    this.#report.problems.push(problem);
    this.#options.onProblem(problem);
  }

  async #allGoOn(): Promise<void> {
    const before = { ...this.#done };
    const deadline = performance.now() + PATIENCE_MS;
    while (ROLES.some((role) => this.#done[role] <= before[role])) {
      if (performance.now() > deadline) {
        const words = `they stand still: ${JSON.stringify(this.#done)}, ${this.#report.problems.at(-1)?.words}`;
        throw new Error(words);
      }
      await sleep(POLL_MS);
    }
  }
}

const CHILD = fileURLToPath(new URL('kill-child.ts', import.meta.url));

interface WorkerPlan {
  readonly role: Role;
  readonly settings: OpenSearchSettings;
  readonly from: number;
  readonly onLine: (line: Line) => void;
  /** It ended though nobody ended it. */
  readonly onFailure: (words: string) => void;
}

/** One of the processes that are killed (kill-child.ts), and what it told until then. */
class KilledWorker {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #told: Promise<void>;

  constructor({ role, settings, from, onLine, onFailure }: WorkerPlan) {
    this.#process = spawn(process.execPath, [CHILD, role, JSON.stringify(settings), String(from)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const lines = createInterface({ input: this.#process.stdout! });
    this.#told = once(lines, 'close').then(() => undefined);
    lines.on('line', (line) => {
      // The last one may be cut.
      if (line.endsWith('}')) onLine(JSON.parse(line) as Line);
    });
    this.#ended = once(this.#process, 'close').then(([code]) => {
      if (code !== null) onFailure(`${role} ended by itself (${code}): ${errors}`);
    });
  }

  /** Resolves when all that it told was heard. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await Promise.all([this.#ended, this.#told]);
  }
}

/** Of a batch, as it is once so many others have come behind it. */
function recordsIn(batch: number, last: number): StoredRecord[] {
  const own = batchOf(batch).slice(-BATCH);
  if (batch === last) return own;
  return own.map((record, i) => (i % 2 === 1 ? { ...record, score: 2 } : record));
}

function statusOf(error: unknown): string {
  if (error instanceof EngineUnavailable) return '503 engine_unavailable';
  if (error instanceof ServiceError) return `503 ${error.code}`;
  return `500 ${error}`;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

interface Merges {
  readonly nodes: Readonly<
    Record<
      string,
      { readonly name: string; readonly indices: { readonly merges: { readonly current: number } } }
    >
  >;
}

async function told<T>(address: string): Promise<T> {
  return (await (await fetch(address)).json()) as T;
}

/** Place of the elected manager among the nodes, which all run. */
export async function managerOf(addresses: readonly string[]): Promise<number> {
  const path = `${addresses[0]}/_cat/cluster_manager?format=json`;
  const [{ node }] = await told<[{ readonly node: string }]>(path);
  return Number(node.slice(1)) - 1;
}

/** As whoever runs an import again that was refused. */
export async function untilTaken<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
    }
  }
}
