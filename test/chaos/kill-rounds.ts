// Kills: a process works through the steps of a round (kill-steps.ts) on one folder and is killed again and again,
// until the round is through; after each kill the folder is held against what was acknowledged.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomNumbers } from '../../bench/corpus.ts';
import { checkIndex } from '../../src/engines/embedded/check.ts';
import { Acknowledged, type Batch, type Contents, judge, same } from './acknowledged.ts';
import { markOf } from './dumps.ts';
import { contentsIn, filesWithWords, leftovers, timeToOpen, writeNothing } from './folder-state.ts';
import { absenceAt, type LogLine, makeSteps, type Step } from './kill-steps.ts';
import { type Moment, runAndKill } from './killed-process.ts';

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** Records of each of the three editions of the dump. */
  readonly records: number;
  /** Where the folders are made; left as it is where something is wrong. */
  readonly folder: string;
  readonly onKill?: (report: KillReport) => void;
}

export interface KillReport {
  kills: number;
  rounds: number;
  /** Kills after which an acknowledged record was missing or in another form. */
  lost: number;
  /** Kills after which a part of a batch was there, or a record that nothing accounts for. */
  half: number;
  /** Kills after which something removed was there. */
  revived: number;
  /** Kills by what was under way. */
  readonly killsAt: Map<string, number>;
  failedOpens: number;
  /** Batches under way at a kill that were there as a whole, and not at all. */
  wholeBatches: number;
  absentBatches: number;
  acknowledgedBatches: number;
  /** Files of broken-off writes that kills left, and that were still there when the round was through. */
  orphans: number;
  orphansLeft: number;
  /** Milliseconds, one a kill. */
  readonly openMs: number[];
  /** A line each; empty where all is well. */
  readonly problems: string[];
}

const MAX_WAIT_MS = 2000;
const MIN_WAIT_MS = 20;
/** Calls that change files or begin and end transactions: of a step at the least, and for each batch. */
const CALLS_OF_A_STEP = 60;
const CALLS_A_BATCH = 14;

export async function runKills(options: KillOptions): Promise<KillReport> {
  const report: KillReport = {
    ...{ kills: 0, rounds: 0, lost: 0, half: 0, revived: 0, killsAt: new Map(), failedOpens: 0 },
    ...{ wholeBatches: 0, absentBatches: 0, acknowledgedBatches: 0, orphans: 0, orphansLeft: 0 },
    ...{ openMs: [], problems: [] },
  };
  const steps = makeSteps(options);
  const undisturbed = await undisturbedContents(options, steps);
  const random = randomNumbers(options.seed);
  while (report.kills < options.kills && report.problems.length === 0) {
    const round = new Round(options, steps, report, random);
    await round.run(undisturbed);
  }
  return report;
}

async function undisturbedContents({ folder }: KillOptions, steps: readonly Step[]): Promise<Contents> {
  const data = join(folder, 'undisturbed');
  const backup = `${data}-backup`;
  const plan = { data, log: `${data}.log`, batchRecords: 1000, backup, steps, firstStep: 0, countFrom: 0 };
  await runAndKill(plan, { kind: 'never' }, join(folder, 'compiled'));
  return await contentsIn(data);
}

class Round {
  readonly #options: KillOptions;
  readonly #steps: readonly Step[];
  readonly #report: KillReport;
  readonly #random: () => number;
  readonly #data: string;
  readonly #batchRecords: number;
  readonly #acknowledged = new Acknowledged();
  #step = 0;
  #runs = 0;

  constructor(options: KillOptions, steps: readonly Step[], report: KillReport, random: () => number) {
    this.#options = options;
    this.#steps = steps;
    this.#report = report;
    this.#random = random;
    this.#data = join(options.folder, `round-${report.rounds}`);
    // Small ones live in the manifest, large ones in files.
    this.#batchRecords = Math.round(100 * 50 ** random());
  }

  async run(undisturbed: Contents): Promise<void> {
    const { kills, folder } = this.#options;
    while (this.#step < this.#steps.length && this.#isWell()) {
      const isLast = this.#report.kills >= kills;
      const countFrom = this.#step + Math.floor(this.#random() ** 2 * (this.#steps.length - this.#step));
      const moment: Moment = isLast ? { kind: 'never' } : this.#moment(countFrom);
      const log = join(folder, `round-${this.#report.rounds}-${this.#runs++}.log`);
      const plan = {
        ...{ data: this.#data, backup: `${this.#data}-backup`, log, batchRecords: this.#batchRecords },
        ...{ steps: this.#steps.slice(this.#step), firstStep: this.#step, countFrom },
      };
      const { wasKilled, lines } = await runAndKill(plan, moment, join(folder, 'compiled'));
      const pending = this.#take(lines);
      if (wasKilled) {
        const kind = this.#steps[this.#step]?.kind ?? 'the end';
        this.#report.kills++;
        this.#report.killsAt.set(kind, (this.#report.killsAt.get(kind) ?? 0) + 1);
      }
      await this.#inspect(pending, wasKilled, JSON.stringify(moment));
      if (this.#isWell()) rmSync(log, { force: true });
      if (wasKilled) this.#options.onKill?.(this.#report);
    }
    if (this.#isWell()) await this.#finish(undisturbed);
    this.#report.rounds++;
  }

  #isWell(): boolean {
    return this.#report.problems.length === 0;
  }

  /** `countFrom`: the step from which calls are counted. */
  #moment(countFrom: number): Moment {
    const random = this.#random;
    if (random() < 0.3) return { kind: 'time', ms: MIN_WAIT_MS + random() * (MAX_WAIT_MS - MIN_WAIT_MS) };
    const isImport = this.#steps[countFrom]?.kind === 'import';
    const batches = isImport ? this.#options.records / this.#batchRecords : 0;
    const calls = CALLS_OF_A_STEP + batches * CALLS_A_BATCH;
    return {
      kind: 'call',
      number: 1 + Math.floor(random() * calls),
      when: random() < 0.5 ? 'before' : 'after',
    };
  }

  /** Returns the batch under way at the end. */
  #take(lines: readonly LogLine[]): Batch | null {
    let pending: Batch | null = null;
    for (const line of lines) {
      if ('begin' in line) pending = line.begin;
      if ('acknowledged' in line) {
        this.#acknowledged.add(this.#accepted(pending!));
        this.#report.acknowledgedBatches++;
        pending = null;
      }
      if ('done' in line) this.#step = line.done + 1;
    }
    return pending === null ? null : this.#accepted(pending);
  }

  /** What is removed does not come in again. */
  #accepted({ kind, records }: Batch): Batch {
    const absence = absenceAt(this.#steps, this.#step);
    return { kind, records: records.filter((record) => absence(record) === 'no') };
  }

  async #inspect(pending: Batch | null, wasKilled: boolean, moment: string): Promise<void> {
    const report = this.#report;
    const where = `seed ${this.#options.seed}, round ${report.rounds}, run ${this.#runs}, ${moment}`;
    const left = leftovers(this.#data);
    try {
      const openMs = await timeToOpen(this.#data);
      if (wasKilled) report.openMs.push(openMs);
    } catch (error) {
      report.failedOpens++;
      report.problems.push(`${where}: does not open: ${(error as Error).message}`);
      return;
    }
    report.orphans += left.length;
    const absence = absenceAt(this.#steps, this.#step);
    const verdict = judge(await contentsIn(this.#data), this.#acknowledged, pending, absence);
    if (verdict.revived.length > 0) {
      report.revived++;
      report.problems.push(`${where}: ${verdict.revived.length} removed are back, ${verdict.revived[0]}`);
    }
    if (verdict.lost.length > 0) {
      report.lost++;
      report.problems.push(`${where}: ${verdict.lost.length} lost, the first ${verdict.lost[0]}`);
    }
    if (verdict.pending === 'half' || verdict.foreign.length > 0) {
      report.half++;
      report.problems.push(`${where}: batch ${verdict.pending}, ${verdict.foreign.length} foreign`);
    }
    if (verdict.pending === 'whole') {
      report.wholeBatches++;
      this.#acknowledged.add(pending!);
    }
    if (verdict.pending === 'absent') report.absentBatches++;
    const { problems } = await checkIndex(this.#data);
    report.problems.push(...problems.map((problem) => `${where}: check: ${problem}`));
    if (this.#steps[this.#step - 1]?.kind === 'purge') this.#expectErased(where);
    if (this.#steps[this.#step - 1]?.kind === 'backup') await this.#expectBackup(where);
  }

  #expectErased(where: string): void {
    const absence = absenceAt(this.#steps, this.#step - 1);
    const removed = [...this.#acknowledged.records().values()].filter((record) => absence(record) === 'yes');
    const files = filesWithWords(
      this.#data,
      removed.map(({ id, retrieved }) => markOf(id, retrieved)),
    );
    if (files.length > 0) this.#report.problems.push(`${where}: removed texts in ${files.join(', ')}`);
  }

  /** It is the folder as it was when it was made; since then something may have been taken out, nothing came in. */
  async #expectBackup(where: string): Promise<void> {
    const backup = `${this.#data}-backup`;
    const absence = absenceAt(this.#steps, this.#step - 1);
    const verdict = judge(await contentsIn(backup), this.#acknowledged, null, absence);
    const isSame = verdict.lost.length + verdict.revived.length + verdict.foreign.length === 0;
    if (!isSame) this.#report.problems.push(`${where}: other contents in the backup`);
    const { problems } = await checkIndex(backup);
    this.#report.problems.push(...problems.map((problem) => `${where}: check of the backup: ${problem}`));
  }

  /** The folder is as if nothing had happened, and nothing of what was broken off is left. */
  async #finish(undisturbed: Contents): Promise<void> {
    const report = this.#report;
    const where = `seed ${this.#options.seed}, round ${report.rounds}`;
    await writeNothing(this.#data);
    const left = leftovers(this.#data);
    report.orphansLeft += left.length;
    if (left.length > 0) report.problems.push(`${where}: left over: ${left.join(', ')}`);
    const isSame = same(await contentsIn(this.#data), undisturbed);
    if (!isSame) report.problems.push(`${where}: other contents than of an undisturbed round`);
    else
      for (const path of [this.#data, `${this.#data}-backup`]) rmSync(path, { recursive: true, force: true });
  }
}
