// The part of a source that `--where` asks for: which lines are worth reading, and which records are imported.

import { communityKey } from '../../model/community.ts';
import { type Conditions, conditionsOf, matches, type Query } from '../../model/query.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Outcome } from '../normalise/outcome.ts';
import { type Needles, needlesOf } from './needles.ts';
import { isUncertain, SUSPECT } from './raw-line.ts';

/** null: everything is imported. */
export function selectionOf({ where = null, community = null }: SelectionOptions): Selection | null {
  return where === null ? null : new Selection(where, community);
}

/** A query is about posts and comments, so rows that describe a community never match. */
export function isSelected(outcome: Outcome, selection: Selection | null): boolean {
  if (selection === null) return true;
  return outcome.kind === 'record' ? selection.takes(outcome.record) : outcome.kind !== 'community';
}

interface SelectionOptions {
  readonly where?: Query | null;
  /** The community of records without one; null: they are rejected. */
  readonly community?: string | null;
}

export class Selection {
  readonly #conditions: Conditions;
  /** One regular expression for each list of needles; the first finds suspects too. */
  readonly #first: RegExp | null;
  readonly #needles: readonly RegExp[];

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

  /** null: every line may match. */
  linesOf(block: Buffer): RawTest | null {
    return this.#first === null ? null : new RawTest(block, this.#first, this.#needles);
  }
}

class RawTest {
  /** One byte a character. */
  readonly #text: string;
  readonly #first: RegExp;
  readonly #needles: readonly RegExp[];
  /** The first needle or suspect that is not before the current lines; −1: not searched for. */
  #found = -1;

  constructor(block: Buffer, first: RegExp, needles: readonly RegExp[]) {
    this.#text = block.toString('latin1');
    this.#first = first;
    this.#needles = needles;
  }

  /** False only if no record of the line can match. `start`, `end`: its bytes in the block. */
  mayMatch(start: number, end: number): boolean {
    if (this.#found < start) {
      this.#first.lastIndex = start;
      this.#found = this.#first.exec(this.#text)?.index ?? Infinity;
    }
    if (this.#found >= end) return false;
    const line = this.#text.slice(start, end);
    return this.#needles.every((needle) => needle.test(line)) || isUncertain(line);
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
