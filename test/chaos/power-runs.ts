// Power cuts: from the recording of a workload, what could be on disk at places all through it; each is opened and held
// against what was acknowledged by then.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomNumbers } from '../../bench/corpus.ts';
import { checkIndex } from '../../src/engines/embedded/check.ts';
import { same } from './acknowledged.ts';
import type { DatabaseChange, DiskEvent } from './disk-recording.ts';
import { DiskState } from './disk-states.ts';
import { contentsIn, filesWithWords, leftovers, writeNothing } from './folder-state.ts';
import type { Workload } from './power-workload.ts';

export interface PowerReport {
  states: number;
  badOpens: number;
  /** States in which something acknowledged was missing or another. */
  lost: number;
  /** States that hold a step that was begun and not acknowledged. */
  later: number;
  /** A line each; empty where all is well. */
  readonly problems: string[];
}

export interface PowerOptions {
  readonly workload: Workload;
  /** How many, about. */
  readonly states: number;
  readonly seed: number;
  readonly folder: string;
  readonly onState?: (report: PowerReport) => void;
}

export async function runPowerCuts(options: PowerOptions): Promise<PowerReport> {
  const { workload, folder } = options;
  const { events } = workload;
  const report: PowerReport = { states: 0, badOpens: 0, lost: 0, later: 0, problems: [] };
  const random = randomNumbers(options.seed);
  const state = new DiskState();
  const share = options.states / events.length;
  let done = 0;
  let begun = 0;
  for (const [place, event] of events.entries()) {
    state.advance(event);
    if (event.kind === 'mark') [done, begun] = marked(event.mark, done, begun);
    const commit = commitBehind(events, place);
    for (let left = share; left > 0 && random() < left; left--) {
      const home = join(folder, 'state');
      rmSync(home, { recursive: true, force: true });
      const words = state.write(home, random, commit);
      const where = `seed ${options.seed}, behind event ${place} (${wordsOf(event)}), step ${done}–${begun}, ${words}`;
      await inspect(home, workload, done, begun, where, report);
      options.onState?.(report);
    }
  }
  return report;
}

function marked(mark: string, done: number, begun: number): [number, number] {
  const [word, number] = mark.split(' ');
  return word === 'done' ? [Number(number), begun] : [done, Number(number)];
}

/** null: none is under way. */
function commitBehind(events: readonly DiskEvent[], place: number): readonly DatabaseChange[] | null {
  const next = events[place + 1];
  return events[place]!.kind === 'commit begins' && next?.kind === 'commit' ? next.changes : null;
}

function wordsOf(event: DiskEvent): string {
  const { kind } = event;
  return 'path' in event ? `${kind} ${event.path}` : kind === 'mark' ? event.mark : kind;
}

async function inspect(
  home: string,
  { states, erasedAt, erased }: Workload,
  done: number,
  begun: number,
  where: string,
  report: PowerReport,
): Promise<void> {
  report.states++;
  try {
    const found = await contentsIn(home);
    const at = [...Array(begun - done + 1).keys()]
      .map((i) => done + i)
      .find((step) => same(found, states[step]!));
    if (at === undefined) {
      report.lost++;
      report.problems.push(`${where}: ${found.size} records, expected ${states[done]!.size}`);
    } else if (at > done) report.later++;
    const files = done >= erasedAt ? filesWithWords(home, erased) : [];
    if (files.length > 0) report.problems.push(`${where}: erased texts in ${files.join(', ')}`);
    const { problems } = await checkIndex(home);
    report.problems.push(...problems.map((problem) => `${where}: check: ${problem}`));
    // Where there was no manifest yet, the first writer only makes one.
    for (let writers = 0; writers < 2; writers++) await writeNothing(home);
    const left = leftovers(home);
    if (left.length > 0) report.problems.push(`${where}: left over: ${left.join(', ')}`);
  } catch (error) {
    report.badOpens++;
    report.problems.push(`${where}: ${(error as Error).message}`);
  }
}
