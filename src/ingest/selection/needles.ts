// Finds pieces of ASCII that every line with a matching record contains, in any case. raw-line.ts recognises the lines
// to which this does not apply.

import { type Conditions, type Word, wordStandsIn } from '../../model/query.ts';

/** The line has at least one of these. Never empty. */
export type Needles = readonly string[];

/**
 * A line must meet all lists; none: every line may match. `community`: that of records without one, in lower case;
 * null: such records are rejected.
 */
export function needlesOf(conditions: Conditions, community: string | null): readonly Needles[] {
  const lists = [
    ...conditions.words.map((words) => anyOf(words, needlesOfWord)),
    conditions.communities === null
      ? null
      : anyOf(conditions.communities, (name) => (name === community ? null : needlesOfCommunity(name))),
  ];
  return lists.filter((needles) => needles !== null);
}

/** null: one of them can be in a line without any known piece. */
function anyOf<T>(wanted: readonly T[], needlesOfOne: (one: T) => Needles | null): Needles | null {
  const lists = wanted.map(needlesOfOne);
  return lists.includes(null) ? null : [...new Set(lists.flatMap((needles) => needles ?? []))];
}

/** A token of ASCII stands in the text as it is, but for its case (contract 3.4). */
const ASCII_TOKEN = /^[a-z0-9]+$/;

function needlesOfWord(word: Word): Needles | null {
  const needle = needleOf(word);
  if (needle === null) return null;
  return WITHDRAWN.some((text) => wordStandsIn(word, text)) ? [needle, ...WITHDRAWAL_FIELDS] : [needle];
}

function needleOf(word: Word): string | null {
  switch (word.kind) {
    case 'term':
      return ASCII_TOKEN.test(word.token) ? word.token : null;
    case 'prefix':
      return ASCII_TOKEN.test(word.prefix) ? word.prefix : null;
    case 'phrase': {
      const known = word.tokens.filter((token) => ASCII_TOKEN.test(token));
      return known.sort((a, b) => b.length - a.length)[0] ?? null;
    }
  }
}

/** These texts may replace the text of the line (contract 6.9). */
const WITHDRAWN = ['[deleted]', '[removed]'];
/** The fields whose words cause that. */
const WITHDRAWAL_FIELDS = ['was_deleted_later', 'removal_type'];

/**
 * JSON has one way to write these characters, its escapes of the form \u apart. The community of `u/name` is
 * `u_name`, and a number may be written in several ways.
 */
function needlesOfCommunity(name: string): Needles | null {
  const written = name.replace(/^u_/, '');
  return /^[a-z0-9_.:-]+$/.test(written) && /[a-z_:]/.test(written) ? [written] : null;
}
