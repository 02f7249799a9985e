// What an import came to: the report that `import --json` prints, and what it says of single sources.

import { addTally, REJECTIONS, type Rejection, type Skip, type Tally, totalOf } from './reasons.ts';

/**
 * Names and meaning are what scripts rely on (docs/commands.md).
 * `read = added + replaced + unchanged + communities + Σ skipped + Σ rejected`.
 */
export interface ImportReport {
  /** Objects that should be records, in this run: after a resume, those behind the resume point. */
  readonly read: number;
  /** Ids that were not in the index. */
  readonly added: number;
  /** Ids whose record is now another. */
  readonly replaced: number;
  /** Copies that rank no higher than what the index has. */
  readonly unchanged: number;
  /** By reason (SKIPS). */
  readonly skipped: Tally<Skip>;
  /** By reason (REJECTIONS). */
  readonly rejected: Tally<Rejection>;
  /** Rows that describe a community: they go into the catalogue. */
  readonly communities: number;
  /** Records with a text over 1 MiB, cut there. */
  readonly cut: number;
  readonly seconds: number;
  readonly records_per_second: number;
  /** Path of the file that lists the rejected lines; null where none was rejected. */
  readonly rejects_file: string | null;
  readonly sources: readonly SourceReport[];
}

export interface SourceReport {
  readonly name: string;
  /** What was given on the command line: the file itself, or the folder or archive that it was found in. */
  readonly source: string;
  readonly read: number;
  /** By reason (REJECTIONS), of this source. */
  readonly rejected: Tally<Rejection>;
  /**
   * `whole`: read to its end; `broken`: it ends early or is damaged, what was readable is in; `stopped`: by the user;
   * `passed_over`: a file in a folder that is nothing an import reads; `refused`: the same, where it was given by name;
   * `unreadable`: a file or folder that may not be read.
   */
  readonly state: 'whole' | 'broken' | 'stopped' | 'passed_over' | 'refused' | 'unreadable';
  /** Lines (values, rows) in front of this that an earlier run had taken in; 0: from the start. */
  readonly resumed_behind_line: number;
  /** One line each. */
  readonly notes: readonly string[];
}

/** True where every source was read to its end, or is none. */
export function isComplete(report: ImportReport): boolean {
  return report.sources.every(({ state }) => state === 'whole' || state === 'passed_over');
}

/** A source, as it was given, of which nothing at all could be taken in, and why: one line. */
export interface EmptySource {
  readonly source: string;
  readonly why: string;
}

/** What was stopped, or goes on behind what an earlier run took in, is not empty; nor is what was skipped on purpose. */
export function emptySources(report: ImportReport): EmptySource[] {
  return [...Map.groupBy(report.sources, ({ source }) => source)]
    .filter(([, parts]) => !parts.some(holdsSomething))
    .map(([source, parts]) => ({ source, why: whyEmpty(parts) }));
}

function holdsSomething({ read, rejected, state, resumed_behind_line }: SourceReport): boolean {
  return state === 'stopped' || resumed_behind_line > 0 || read > totalOf(rejected);
}

function whyEmpty(parts: readonly SourceReport[]): string {
  const rejected: Tally<Rejection> = {};
  for (const part of parts) addTally(rejected, part.rejected);
  const total = totalOf(rejected);
  const [note] = parts.flatMap(({ notes }) => notes);
  if (total === 0) return note ?? 'it holds no records';
  const [reason] = (Object.keys(rejected) as Rejection[]).sort((a, b) => rejected[b]! - rejected[a]!);
  return `all it holds was rejected, ${total.toLocaleString('en')} in all, ${reason}: ${REJECTIONS[reason!]}`;
}

const NUMBERS = ['read', 'added', 'replaced', 'unchanged', 'communities', 'cut'] as const;

/** Counts that grow while an import runs. */
export class Counts {
  read = 0;
  added = 0;
  replaced = 0;
  unchanged = 0;
  communities = 0;
  cut = 0;
  readonly skipped: Tally<Skip> = {};
  readonly rejected: Tally<Rejection> = {};

  /** Adds what is there of the numbers. */
  add(other: Partial<Counts>): void {
    for (const name of NUMBERS) this[name] += other[name] ?? 0;
    addTally(this.skipped, other.skipped ?? {});
    addTally(this.rejected, other.rejected ?? {});
  }
}
