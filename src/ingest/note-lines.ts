// Notes about single sources, for people. If many sources have the same note, it is printed once, with a few names.

import type { SourceReport } from './report.ts';

const NAMES_SHOWN = 3;
/** Further kinds of notes are only counted. */
const GROUPS_SHOWN = 20;

interface Note {
  readonly name: string;
  readonly note: string;
  readonly state: SourceReport['state'];
}

/** One line for a note of a single source; two for notes that differ only in what they quote. */
export function noteLines(sources: readonly SourceReport[]): string[] {
  const notes = sources.flatMap(({ name, state, notes }) =>
    notes.map((note): Note => ({ name, note, state })),
  );
  const groups = [...Map.groupBy(notes, groupOf).values()];
  const lines = groups.slice(0, GROUPS_SHOWN).flatMap(linesOf);
  const left = groups.slice(GROUPS_SHOWN).flat().length;
  return left === 0 ? lines : [...lines, `and ${left.toLocaleString('en')} notes of other kinds`];
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
  const others = left === 0 ? '' : ` and ${left.toLocaleString('en')} more`;
  return [
    `${group.length.toLocaleString('en')} ${WORD_OF[first.state]}, such as: ${first.note}`,
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
