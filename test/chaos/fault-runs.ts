// A scenario under faults: for n = 1, 2, … the nth call fails, until a run has none left. Each time the old state must
// answer, the same work must succeed once the fault is gone, and nothing may be left over.

import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkIndex } from '../../src/engines/embedded/check.ts';
import { StorageError, storageError, UsageError } from '../../src/errors.ts';
import { KINDS } from '../../src/model/record.ts';
import { type Contents, contentsOf, same } from './acknowledged.ts';
import type { FaultStep, Place, Scenario } from './fault-scenarios.ts';
import { Fault, type FaultKind } from './faults.ts';
import { type Watch, watchFileCalls } from './file-calls.ts';
import { contentsIn, leftovers, openEngine, writeNothing } from './folder-state.ts';

export interface FaultReport {
  /** Runs in which a call failed. */
  runs: number;
  /** Those in which a step failed because of it; the others went on without. */
  failedSteps: number;
  /** Different messages of the steps that failed, paths left out. */
  readonly messages: Set<string>;
  /** A line each; empty where all is well. */
  readonly problems: string[];
}

/** A scenario with its folders made, and what the data folder holds before the first step and behind each. */
export interface PreparedScenario {
  readonly scenario: Scenario;
  readonly folder: string;
  readonly states: readonly Contents[];
}

/** Everything is made inside of `folder`. */
export async function prepareScenario(scenario: Scenario, folder: string): Promise<PreparedScenario> {
  const template = templateIn(folder);
  const folders = { data: join(template, 'data'), sources: join(template, 'sources') };
  for (const path of [...Object.values(folders), temporary(folder)]) mkdirSync(path, { recursive: true });
  await scenario.prepare(folders.data, folders.sources);
  return {
    scenario,
    folder,
    states: await undisturbedStates(scenario, template, join(folder, 'undisturbed')),
  };
}

/** `stride`: only every so manieth call fails. */
export async function runFaults(
  { scenario, folder, states }: PreparedScenario,
  kind: FaultKind,
  stride: number,
  report: FaultReport,
): Promise<void> {
  const { TMPDIR } = process.env;
  using _ = { [Symbol.dispose]: () => setTemporary(TMPDIR) };
  setTemporary(temporary(folder));
  for (let number = 1; ; number = next(number, kind, stride)) {
    const fault = new Fault(kind, number);
    const run = new FaultRun(scenario, states, fault, folder, report);
    const before = report.problems.length;
    await run.all(templateIn(folder));
    if (fault.hit === null) return;
    report.runs++;
    const found = report.problems.splice(before);
    report.problems.push(
      ...found.map((line) => `${scenario.name}, ${kind} at ${number} (${fault.hit}): ${line}`),
    );
  }
}

function templateIn(folder: string): string {
  return join(folder, 'template');
}

function temporary(folder: string): string {
  return join(folder, 'temporary');
}

/** Where the system's folder for temporary files is. */
function setTemporary(path: string | undefined): void {
  if (path === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = path;
}

/** A record is read by a call of its own: of these ever fewer are tried. */
function next(number: number, kind: FaultKind, stride: number): number {
  return kind === 'unreadable' ? Math.ceil(number * 1.2) + stride - 1 : number + stride;
}

/** What the folder holds before the first step, and behind each. */
async function undisturbedStates(scenario: Scenario, template: string, home: string): Promise<Contents[]> {
  cpSync(template, home, { recursive: true });
  await using engine = await openEngine(join(home, 'data'));
  const states = [await contentsOf(engine)];
  for (const step of scenario.steps) {
    await step.run({ data: join(home, 'data'), sources: join(home, 'sources'), engine });
    await engine.refresh();
    states.push(await contentsOf(engine));
  }
  return states;
}

class FaultRun {
  readonly #scenario: Scenario;
  readonly #states: readonly Contents[];
  readonly #fault: Fault;
  readonly #home: string;
  readonly #temporary: string;
  readonly #report: FaultReport;

  constructor(
    scenario: Scenario,
    states: readonly Contents[],
    fault: Fault,
    folder: string,
    report: FaultReport,
  ) {
    this.#scenario = scenario;
    this.#states = states;
    this.#fault = fault;
    this.#home = join(folder, 'run');
    this.#temporary = temporary(folder);
    this.#report = report;
  }

  async all(template: string): Promise<void> {
    for (const path of [this.#home, this.#temporary]) rmSync(path, { recursive: true, force: true });
    mkdirSync(this.#temporary);
    cpSync(template, this.#home, { recursive: true });
    const data = join(this.#home, 'data');
    const sources = join(this.#home, 'sources');
    {
      using watch = watchFileCalls([this.#home, this.#temporary], this.#fault);
      await this.#steps(data, sources, watch);
    }
    try {
      await this.#expectTidy(data);
    } catch (error) {
      this.#expect(false, `at the end: ${(error as Error).stack}`);
    }
  }

  /** Whoever comes next finds all that was done, and tidies up. */
  async #expectTidy(data: string): Promise<void> {
    await writeNothing(data);
    this.#expect(same(await contentsIn(data), this.#states.at(-1)!), 'other contents at the end');
    // Nobody deletes a folder of temporary files where deleting failed once: the next import of another process does.
    const isKept = this.#fault.hit?.startsWith('promises.rm ') === true;
    const left = [...leftovers(data), ...(isKept ? [] : readdirSync(this.#temporary))];
    this.#expect(left.length === 0, `left over: ${left.join(', ')}`);
    const { problems } = await checkIndex(data);
    this.#expect(problems.length === 0, `check: ${problems.join('; ')}`);
  }

  async #steps(data: string, sources: string, watch: Watch): Promise<void> {
    const engine = await this.#open(data);
    try {
      for (const [number, step] of this.#scenario.steps.entries()) {
        await this.#step(step, number, { data, sources, engine });
      }
    } finally {
      await this.#close(engine);
    }
    const open = watch.openPaths();
    this.#expect(open.length === 0, `left open: ${open.join(', ')}`);
  }

  /** A kind that cannot be read is an error of its first question, and looked at again after a while. */
  async #open(data: string): Promise<Place['engine']> {
    let engine: Place['engine'] | null = null;
    try {
      engine = await openEngine(data);
      for (const kind of KINDS) await engine.ask({ kind, query: { items: [] } });
      return engine;
    } catch (error) {
      this.#note(error);
      this.#fault.lift();
      await engine?.[Symbol.asyncDispose]();
      return await openEngine(data);
    }
  }

  async #step(step: FaultStep, number: number, place: Place): Promise<void> {
    try {
      await step.run(place);
      return;
    } catch (error) {
      if (this.#fault.hit === null) throw error;
      this.#note(error);
    }
    this.#report.failedSteps++;
    const [before, after] = [this.#states[number]!, this.#states[number + 1]!];
    await this.#expectState(place, before, after, step, 'behind the fault');
    this.#fault.lift();
    await this.#expectState(place, before, after, step, 'when the fault is gone');
    try {
      await step.run(place);
      await place.engine.refresh();
      this.#expect(
        same(await contentsOf(place.engine), after),
        `${step.name}: other contents when done again`,
      );
    } catch (error) {
      this.#expect(false, `${step.name}: fails again: ${(error as Error).stack}`);
    }
  }

  /** The engine that met the fault answers as before, or as behind the step. */
  async #expectState(
    place: Place,
    before: Contents,
    after: Contents,
    step: FaultStep,
    when: string,
  ): Promise<void> {
    try {
      const found = await contentsOf(place.engine);
      const isOne =
        same(found, before) ||
        same(found, after) ||
        (step.isGradual === true && between(found, before, after));
      this.#expect(isOne, `${step.name}: wrong answers ${when}`);
    } catch (error) {
      this.#expect(false, `${step.name}: no answers ${when}: ${(error as Error).stack}`);
    }
  }

  async #close(engine: Place['engine']): Promise<void> {
    try {
      await engine[Symbol.asyncDispose]();
    } catch (error) {
      this.#note(error);
    }
    this.#fault.lift();
  }

  /** Told as the command line tells it: one line that says where, and what to do next. */
  #note(error: unknown): void {
    const told = storageError(error, (error as NodeJS.ErrnoException).path ?? 'data folder') as Error;
    const line = [this.#home, this.#temporary].reduce(
      (text, path) => text.replaceAll(path, '…'),
      told.message,
    );
    const isClear = (told instanceof StorageError || told instanceof UsageError) && /…|`-`/.test(line);
    this.#expect(isClear, `an error that does not say where or what to do: ${told.stack}`);
    const names = line.replace(/[\w-]{8,}\.seg/g, 'x.seg');
    this.#report.messages.add(names.replace(/(rejects\/|colloquy-import-)[\w.-]+/g, '$1x'));
  }

  #expect(isSo: boolean, otherwise: string): void {
    if (!isSo) this.#report.problems.push(otherwise);
  }
}

/** Every record as before or as after, none missing. */
function between(found: Contents, before: Contents, after: Contents): boolean {
  const isKnown = [...found].every(([key, text]) => [before.get(key), after.get(key)].includes(text));
  return isKnown && [...before.keys()].every((key) => found.has(key));
}
