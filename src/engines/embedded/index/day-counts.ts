// How many records of a segment live by day, and what they lack: read from columns, without the dead.

import { DayCounter, type DayFacts, type DayTable, isEarly } from '../../../model/day-table.ts';
import { DAY } from '../../../model/time.ts';
import { RETRIEVED_IN_ROW, UNRATED, WITHDRAWN } from '../format/fact-columns.ts';
import { CHUNK_DOCS, CHUNK_WORDS } from '../sets/chunk.ts';
import type { Segment } from './segment.ts';
import { type DeadDocs, isDead } from './view.ts';

/**
 * What the counts of docs `from` to before `to` change by where `before` were the dead ones and `now` are; `before`
 * null: nothing was counted.
 */
export function dayChange(
  segment: Segment,
  before: DeadDocs | null,
  now: DeadDocs,
  { from, to }: { readonly from: number; readonly to: number },
): DayTable {
  const counter = new DayCounter();
  if (before === null) {
    for (let at = from; at < to; ) {
      const end = Math.min(to, at - (at % CHUNK_DOCS) + CHUNK_DOCS);
      countLive(segment, now, { from: at, to: end }, counter);
      at = end;
    }
  } else {
    for (const doc of differing(before, now, from, to)) {
      counter.add(factsOf(segment, doc), isDead(now, doc) ? -1 : 1);
    }
  }
  return counter.table();
}

const WITHDRAWN_BIT = 31 - Math.clz32(WITHDRAWN);

/** Of the chunk that is counted. */
const retrieved = new Uint32Array(CHUNK_DOCS);
const sentiment = new Uint32Array(CHUNK_DOCS);
const marks = new Uint32Array(CHUNK_DOCS);

/**
 * Docs of one chunk, from its columns. Hot: no object for a doc, and no branch on what is different from one to the
 * next.
 */
function countLive(
  segment: Segment,
  dead: DeadDocs,
  { from, to }: { readonly from: number; readonly to: number },
  counter: DayCounter,
): void {
  const chunk = Math.floor(from / CHUNK_DOCS);
  const columns = [
    ['retrieved', retrieved],
    ['sentiment', sentiment],
    ['marks', marks],
  ] as const;
  segment.readFacts(chunk, columns);
  const created = segment.created.chunk(chunk);
  const isRated = segment.kind === 'comment' ? 1 : 0;
  const words = dead[chunk] ?? null;
  const base = chunk * CHUNK_DOCS;
  for (let doc = from; doc < to; ) {
    const day = Math.floor(created[doc - base]! / DAY);
    const end = Math.min(to, segment.firstAt((day + 1) * DAY, doc));
    let [records, withdrawn, unrated, timed, early] = [0, 0, 0, 0, 0];
    for (; doc < end; doc++) {
      const at = doc - base;
      if (words !== null && (words[at >>> 5]! >>> (at & 31)) & 1) continue;
      records++;
      withdrawn += (marks[at]! >>> WITHDRAWN_BIT) & 1;
      // 0 where it is unrated.
      const rating = sentiment[at]! ^ UNRATED;
      unrated += isRated & ~((rating | -rating) >>> 31);
      let copied = retrieved[at]!;
      if (copied === RETRIEVED_IN_ROW) copied = segment.retrievedAt(doc);
      if (copied === 0) continue;
      timed++;
      if (isEarly(copied, created[at]!)) early++;
    }
    if (records > 0) counter.addAll(day, [records, withdrawn, unrated, timed, early]);
  }
}

/** The docs from `from` to before `to`, both multiples of 32 or the end, that are dead in one of the two alone. Up. */
function* differing(before: DeadDocs, now: DeadDocs, from: number, to: number): Generator<number> {
  for (let word = from >>> 5; word << 5 < to; word++) {
    const chunk = Math.floor(word / CHUNK_WORDS);
    const at = word % CHUNK_WORDS;
    let bits = (before[chunk]?.[at] ?? 0) ^ (now[chunk]?.[at] ?? 0);
    while (bits !== 0) {
      yield (word << 5) + 31 - Math.clz32(bits & -bits);
      bits &= bits - 1;
    }
  }
}

function factsOf(segment: Segment, doc: number): DayFacts {
  return {
    created: segment.created.at(doc),
    withdrawn: segment.withdrawnAt(doc),
    unrated: segment.kind === 'comment' && segment.sentimentAt(doc) === null,
    retrieved: segment.retrievedAt(doc),
  };
}
