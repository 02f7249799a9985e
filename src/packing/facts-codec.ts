// In the row of a record (record-codec.ts): what a comment answers, and which facts other copies lent. The two high
// bits of the flags say what of it the row has.
//
//   0    a comment whose parent is unknown, a post
//   64   the parent is the post
//   128  text parent
//   192  u8 more; text parent where the two low bits of `more` are 2; a lent fact as often as its other bits say
//
// The two low bits of `more` are those that the flags would have: 0, 1 or 2. A lent fact:
//
//   u8 fact (its place in FACTS) + 4 where the lender is withdrawn, f64 retrieved, f64 score, varint hash

import { FACTS, type Lent, type StoredRecord } from '../model/record.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

const SHIFT = 6;
const ANSWERS_POST = 1;
const WITH_PARENT = 2;
const MORE = 3;

/** In the flags, for who reads a row without making a record of it: what a comment answers, or that there is more. */
export const FACT_BITS = {
  answersPost: ANSWERS_POST << SHIFT,
  withParent: WITH_PARENT << SHIFT,
  more: MORE << SHIFT,
} as const;

const LENT_WITHDRAWN = 4;
const NOTHING: readonly Lent[] = [];

export function factFlags(record: StoredRecord): number {
  return (record.lent.length > 0 ? MORE : parentState(record)) << SHIFT;
}

export function writeFacts(writer: ByteWriter, record: StoredRecord): void {
  const { lent } = record;
  const state = parentState(record);
  if (lent.length > 0) writer.byte(state | (lent.length << 2));
  if (record.kind === 'comment' && state === WITH_PARENT) writer.text(record.parent);
  for (const { fact, withdrawn, retrieved, score, hash } of lent) {
    writer.byte(FACTS.indexOf(fact) | (withdrawn ? LENT_WITHDRAWN : 0));
    writer.float64(retrieved);
    writer.float64(score);
    writer.varint(hash);
  }
}

interface ReadFacts {
  readonly parent: string;
  readonly lent: readonly Lent[];
}

/** `post` is that of a comment. */
export function readFacts(reader: ByteReader, flags: number, post: string): ReadFacts {
  const state = flags >>> SHIFT;
  const more = state === MORE ? reader.byte() : state;
  const parentBits = more & 3;
  const parent = parentBits === ANSWERS_POST ? post : parentBits === WITH_PARENT ? reader.text() : '';
  const lent = more >>> 2 === 0 ? NOTHING : Array.from({ length: more >>> 2 }, () => readLent(reader));
  return { parent, lent };
}

function readLent(reader: ByteReader): Lent {
  const head = reader.byte();
  return {
    fact: FACTS[head & 3]!,
    withdrawn: (head & LENT_WITHDRAWN) !== 0,
    retrieved: reader.float64(),
    score: reader.float64(),
    hash: reader.varint(),
  };
}

function parentState(record: StoredRecord): number {
  if (record.kind === 'post' || record.parent === '') return 0;
  return record.parent === record.post ? ANSWERS_POST : WITH_PARENT;
}
