// The part of a source that `--where` asks for: which lines are worth reading, and which records are imported.

import { communityKey } from '../../model/community.ts';
import {
  type Conditions,
  conditionsOf,
  matches,
  type Query,
  type Word,
  wordStandsIn,
} from '../../model/query.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Outcome } from '../normalise/outcome.ts';

/** A query is about posts and comments, so rows that describe a community never match. */
export function isSelected(outcome: Outcome, selection: Selection | null): boolean {
  if (selection === null) return true;
  return outcome.kind === 'record' ? selection.takes(outcome.record) : outcome.kind !== 'community';
}

export class Selection {
  readonly #conditions: Conditions;
  /** One regular expression for each list of needles; the first finds suspects too. */
  readonly #first: RegExp | null;
  readonly #needles: readonly RegExp[];

  /** `community`: that of records without one; null: they are rejected. */
  constructor(query: Query, community: string | null) {
    this.#conditions = conditionsOf(query);
    // The longest needles are usually the rarest, and decide for most lines.
    const lists = needlesOf(this.#conditions, community === null ? null : communityKey(community))
      .slice()
      .sort((a, b) => shortestOf(b) - shortestOf(a));
    this.#needles = lists.map((needles) => new RegExp(alternatives(needles), 'i'));
    this.#first = lists[0] === undefined ? null : new RegExp(`${alternatives(lists[0])}|${SUSPECT}`, 'gi');
  }

  takes(record: StoredRecord): boolean {
    return matches(record, this.#conditions);
  }

  /**
   * A test of the lines of the block, in their order: false only if no record of the line can match. `start`, `end`:
   * its bytes in the block. null: every line may match.
   */
  testOf(block: Buffer): ((start: number, end: number) => boolean) | null {
    const first = this.#first;
    if (first === null) return null;
    // One byte a character.
    const text = block.toString('latin1');
    /** The first needle or suspect that is not before the current lines; −1: not searched for. */
    let found = -1;
    return (start, end) => {
      if (found < start) {
        first.lastIndex = start;
        found = first.exec(text)?.index ?? Infinity;
      }
      if (found >= end) return false;
      const line = text.slice(start, end);
      return this.#needles.every((needle) => needle.test(line)) || isUncertain(line);
    };
  }
}

function alternatives(needles: Needles): string {
  return needles.map((needle) => RegExp.escape(needle)).join('|');
}

function shortestOf(needles: Needles): number {
  return Math.min(...needles.map(({ length }) => length));
}

export interface Where {
  readonly query: Query;
  /** Its canonical form, for checkpoints and the log of imports. Not empty. */
  readonly text: string;
}

// Finds pieces of ASCII that every line with a matching record contains, in any case. `isUncertain` recognises the
// lines to which this does not apply.

/** The line has at least one of these. Never empty. */
type Needles = readonly string[];

/**
 * A line must meet all lists; none: every line may match. `community`: that of records without one, in lower case;
 * null: such records are rejected.
 */
function needlesOf(conditions: Conditions, community: string | null): readonly Needles[] {
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

// Whether the raw bytes of a line (one byte for each character) show its ASCII tokens. A token is in the line
// literally, in any case, unless something in the line decodes to an ASCII letter or digit, or vanishes between two.

/**
 * The beginnings of such sequences: a NUL (dropped), a byte beyond ASCII (`é`, a soft hyphen), an entity (`&eacute;`),
 * an escape \u. The other escapes of JSON (\n, \" …) are characters that separate tokens.
 */
const SUSPECT = String.raw`[\0\x80-\xff&]|\\u`;

// UTF-8 sequences of characters that are harmless in any context (raw-line.test.ts tries each): punctuation and signs,
// Greek, Cyrillic and Hebrew letters, kana, Han, Hangul, emoji.
const CONTINUATION = String.raw`[\x80-\xbf]`;
const HARMLESS_UTF8 = [
  String.raw`\xc2[\xa0-\xa7\xa9\xab\xac\xae\xb0\xb1\xb6\xb7\xbb\xbf]`,
  String.raw`\xce[\x86\x88-\x8a\x8c\x8e-\xa1\xa3-\xbf]`,
  String.raw`\xcf[\x80-\x8e]`,
  String.raw`[\xd0\xd1]${CONTINUATION}`,
  String.raw`\xd7[\x90-\xaa]`,
  String.raw`\xe2\x80[\x90-\xa7\xb0-\xbb\xbd]`,
  String.raw`\xe2\x82[\xa9\xac]`,
  String.raw`\xe3\x80[\x81\x82\x8c-\x8f]`,
  String.raw`\xe3\x81[\x81-\xbf]`,
  String.raw`\xe3\x82[\x80-\x96\xa1-\xbf]`,
  String.raw`\xe3\x83[\x80-\xbe]`,
  String.raw`\xe4[\xb8-\xbf]${CONTINUATION}`,
  String.raw`[\xe5-\xe9]${CONTINUATION}{2}`,
  String.raw`\xea[\xb0-\xbf]${CONTINUATION}`,
  String.raw`[\xeb\xec]${CONTINUATION}{2}`,
  String.raw`\xed[\x80-\x9d]${CONTINUATION}`,
  String.raw`\xf0\x9f[\x8c-\x9b\xa4-\xa7]${CONTINUATION}`,
];

// The same as escapes of JSON. Half of a surrogate pair becomes U+FFFD, which separates tokens.
const HARMLESS_ESCAPES = [
  String.raw`\\u00[aA]0`,
  String.raw`\\u20(?:1[0-9a-fA-F]|2[0-7])`,
  String.raw`\\u04[0-7][0-9a-fA-F]`,
  String.raw`\\ud83[dD]\\u[dD][eE][0-4][0-9a-fA-F]`,
];

// Entities that separate tokens (text/entities.ts decodes twice), and an ampersand that begins none. After `&amp;`, an
// entity may begin that is decoded the second time.
const SIGN = '(?:[gl]t|quot);';
const HARMLESS_AMPERSANDS = [`&${SIGN}`, `&amp;(?:${SIGN}|amp;)`, `&(?:amp;)?(?!#?[A-Za-z0-9]+;)`];

const HARMLESS = `(?:${[...HARMLESS_UTF8, ...HARMLESS_ESCAPES, ...HARMLESS_AMPERSANDS].join('|')})+`;

/** Runs of harmless characters, and anything else as its group. */
const HARMLESS_OR_NOT = new RegExp(`${HARMLESS}|(${SUSPECT})`, 'g');

/** False only if each ASCII token of the texts appears literally in the line, ignoring case. */
export function isUncertain(line: string): boolean {
  HARMLESS_OR_NOT.lastIndex = 0;
  for (let found = HARMLESS_OR_NOT.exec(line); found !== null; found = HARMLESS_OR_NOT.exec(line)) {
    if (found[1] !== undefined) return true;
  }
  return false;
}
