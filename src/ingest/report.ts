// The report of an import, for programs and people. A note that many sources have is printed once, with a few names.

import {
  addTally,
  REJECTIONS,
  type Rejection,
  SKIPS,
  type Skip,
  type Tally,
  totalOf,
} from './normalise/outcome.ts';

/** Scripts rely on these names and their meaning (docs/importing.md). */
export interface ImportReport extends Readonly<Omit<Counts, 'add'>> {
  readonly seconds: number;
  readonly records_per_second: number;
  /** Path of the file that lists the rejected lines; null if none was rejected. */
  readonly rejects_file: string | null;
  readonly sources: readonly SourceReport[];
}

export interface SourceReport {
  readonly name: string;
  /** The name on the command line: the file itself, or the folder or archive that has it. */
  readonly source: string;
  readonly read: number;
  readonly rejected: Tally<Rejection>;
  /**
   * `whole`: read to the end. `broken`: it ends early, is damaged or has changed; confirmed parts are imported.
   * `stopped`: by the user. `passed_over`: an unknown format, in a folder. `refused`: an unknown format, named by the
   * user. `unreadable`: we have no right to read it.
   */
  readonly state: 'whole' | 'broken' | 'stopped' | 'passed_over' | 'refused' | 'unreadable';
  /** Lines (values, rows) that an earlier run had imported; 0: this run began at the start. */
  readonly resumed_behind_line: number;
  readonly notes: readonly string[];
}

export function isComplete(report: Pick<ImportReport, 'sources'>): boolean {
  return report.sources.every(({ state }) => state === 'whole' || state === 'passed_over');
}

/** A named source of which nothing could be imported, and why, in one line. */
interface EmptySource {
  readonly source: string;
  readonly why: string;
}

/** Stopped and resumed sources are not empty, nor those whose records were skipped on purpose. */
export function emptySources(report: Pick<ImportReport, 'sources'>): EmptySource[] {
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
  if (total === 0) return note ?? 'it contains no records';
  const [reason] = (Object.keys(rejected) as Rejection[]).sort((a, b) => rejected[b]! - rejected[a]!);
  return `everything in it was rejected, ${number(total)} in all, ${reason}: ${REJECTIONS[reason!]}`;
}

const NUMBERS = ['read', 'added', 'replaced', 'unchanged', 'communities', 'cut'] as const;

/** `read = added + replaced + unchanged + communities + Σ skipped + Σ rejected`. */
export class Counts {
  /** Objects that should be records, in this run: after a resume, those after the checkpoint. */
  read = 0;
  added = 0;
  replaced = 0;
  unchanged = 0;
  readonly skipped: Tally<Skip> = {};
  readonly rejected: Tally<Rejection> = {};
  /** Rows that describe a community; they go into the catalogue. */
  communities = 0;
  /** Records with a text over 1 MiB, which was cut, or a domain of over 255 characters, which was left out. */
  cut = 0;

  add(other: Partial<Counts>): void {
    for (const name of NUMBERS) this[name] += other[name] ?? 0;
    addTally(this.skipped, other.skipped ?? {});
    addTally(this.rejected, other.rejected ?? {});
  }
}

const UNREAD = {
  passed_over: 'files that are nothing an import reads',
  refused: 'sources that are nothing an import reads',
  unreadable: 'files or folders that may not be read',
} as const;

type Row = readonly [label: string, n: number, note?: string];

/** How fast so many were read. `started`: in milliseconds, of performance.now. */
export function paceOf(read: number, started: number): Pick<ImportReport, 'seconds' | 'records_per_second'> {
  const seconds = (performance.now() - started) / 1000;
  return {
    seconds: Math.round(seconds * 1000) / 1000,
    records_per_second: Math.round(read / Math.max(seconds, 0.001)),
  };
}

type Read = Pick<ImportReport, 'read' | 'skipped' | 'rejected' | 'seconds' | 'records_per_second'>;

/** What became of all that was read. `others` stand behind what was skipped and rejected. */
export function countLines(
  { read, skipped, rejected, records_per_second, seconds }: Read,
  { taken, passedOver = 'skipped', others = [] }: CountRows,
): string[] {
  const rows: Row[] = [
    ['read', read, `${number(records_per_second)} a second, ${seconds} s`],
    ...taken,
    ...Object.entries(skipped).map(
      ([reason, n]): Row => [reason === 'where' ? passedOver : 'skipped', n, SKIPS[reason as Skip]],
    ),
    ...Object.entries(rejected).map(
      ([reason, n]): Row => ['rejected', n, `${reason}: ${REJECTIONS[reason as Rejection]}`],
    ),
    ...others,
  ];
  const width = Math.max(...rows.map(([, n]) => number(n).length));
  return rows.map(([label, n, note]) =>
    `${label.padEnd(12)}${number(n).padStart(width)}${note === undefined ? '' : `  ${note}`}`.trimEnd(),
  );
}

interface CountRows {
  readonly taken: readonly Row[];
  /** What is not asked for; absent: it counts as skipped. */
  readonly passedOver?: string;
  readonly others?: readonly Row[];
}

export function reportTable(report: ImportReport): string {
  const { added, replaced, unchanged, communities, cut } = report;
  const unread = Object.entries(UNREAD).map(([state, meaning]): Row => {
    const n = report.sources.filter((source) => source.state === state).length;
    return [state.replace('_', ' '), n, meaning];
  });
  const cutRow: Row = ['cut', cut, 'texts over 1 MiB, or domains over 255 characters'];
  const taken = Object.entries({ added, replaced, unchanged });
  const lines = countLines(report, {
    taken: communities > 0 ? [...taken, ['communities', communities]] : taken,
    others: [cutRow, ...unread].filter(([, n]) => n > 0),
  });
  if (report.rejects_file !== null && totalOf(report.rejected) > 0) {
    lines.push(`The rejected lines are listed in ${report.rejects_file}`);
  }
  return `${[...lines, ...noteLines(report.sources)].join('\n')}\n`;
}

export function number(n: number): string {
  return n.toLocaleString('en');
}

const NAMES_SHOWN = 3;
/** Further kinds of notes are only counted. */
const GROUPS_SHOWN = 20;

interface Note extends Pick<SourceReport, 'name' | 'state'> {
  readonly note: string;
}

/** One line for a note of a single source; two for notes that differ only in what they quote. */
export function noteLines(sources: readonly SourceReport[]): string[] {
  const notes = sources.flatMap(({ name, state, notes }) =>
    notes.map((note): Note => ({ name, note, state })),
  );
  const groups = [...Map.groupBy(notes, groupOf).values()];
  const lines = groups.slice(0, GROUPS_SHOWN).flatMap(linesOf);
  const left = groups.slice(GROUPS_SHOWN).flat().length;
  return left === 0 ? lines : [...lines, `and ${number(left)} notes of other kinds`];
}

/** The note without numbers and quoted parts (the fields that were found, the beginning of a text). */
function groupOf({ note, state }: Note): string {
  const quoted = /`[^`]*`(?:, `[^`]*`)*(?:, …)?/g;
  return `${state} ${note.replace(quoted, '…').replace(/\d+/g, '0')}`;
}

function linesOf(group: readonly Note[]): string[] {
  const [first] = group;
  if (first === undefined) return [];
  if (group.length === 1) return [`${first.name}: ${first.note}`];
  const names = group.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const left = group.length - names.length;
  const others = left === 0 ? '' : ` and ${number(left)} more`;
  return [
    `${number(group.length)} ${WORD_OF[first.state]}, such as: ${first.note}`,
    `  ${names.join(', ')}${others}`,
  ];
}

const WORD_OF: Readonly<Record<SourceReport['state'], string>> = {
  whole: 'notes',
  broken: 'damaged',
  stopped: 'stopped',
  passed_over: 'passed over',
  refused: 'not read',
  unreadable: 'not readable',
};
