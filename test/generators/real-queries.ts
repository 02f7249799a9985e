// Random queries made of what real records hold: words, phrases, communities, sites, scores and times that are there.

import { type QueryItem, siteKeys, type Word } from '../../src/model/query.ts';
import { type StoredRecord, searchedTexts } from '../../src/model/record.ts';
import { tokens } from '../../src/text/tokenizer.ts';

/** Numbers from 0 up to 1, by mulberry32 (Tommy Ettinger, public domain): the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 up to `end`, which it is never. */
export type Below = (end: number) => number;

export function randomBelow(seed: number): Below {
  const random = randomOf(seed);
  return (end) => Math.floor(random() * end);
}

export function pick<T>(below: Below, from: readonly T[]): T {
  return from[below(from.length)]!;
}

/** An item that finds (or leaves out) this record, or one like it. */
export function itemOf(below: Below, record: StoredRecord): QueryItem {
  const negated = below(4) === 0;
  switch (below(10)) {
    case 0:
      return { kind: 'community', name: record.community, negated };
    case 1:
      return {
        kind: 'score',
        min: record.score - below(3),
        max: below(2) === 0 ? null : record.score + below(50),
      };
    case 2:
      return { kind: 'after', time: record.created - below(5_000_000) };
    case 3: {
      const keys = siteKeys(record);
      if (keys.length > 0) return { kind: 'site', domain: pick(below, keys), negated };
      break;
    }
    case 4:
      if (below(3) === 0) return { kind: 'before', time: record.created + below(5_000_000) };
      break;
    case 5: {
      const post = record.kind === 'comment' ? record.post : record.id;
      if (below(3) === 0 && post !== '') return { kind: 'post', id: post, negated };
      break;
    }
  }
  const held = tokens(pick(below, searchedTexts(record)));
  if (held.length === 0) return { kind: 'community', name: record.community, negated };
  const words = Array.from({ length: 1 + below(2) }, () => wordOf(below, held));
  return { kind: 'words', words, negated };
}

function wordOf(below: Below, held: readonly string[]): Word {
  const at = below(held.length);
  const token = held[at]!;
  const phrase = held.slice(at, at + 2 + below(3));
  if (below(2) === 0 && phrase.length > 1) return { kind: 'phrase', tokens: phrase, typed: phrase.join(' ') };
  if (below(5) === 0 && token.length > 4)
    return { kind: 'prefix', prefix: token.slice(0, 4), typed: token.slice(0, 4) };
  return { kind: 'term', token, typed: token };
}
