// What the lists of a segment leave open. Phrases are settled by chains (format/chains.ts) or, where a phrase has
// tokens that stand in none, by the bytes of the texts (phrase-search.ts); each is looked for in the records that its
// own lists let through, because codes tell nothing of tokens that their record does not contain. The rest is settled
// by the stored text.

import { Buffer } from 'node:buffer';
import type { Conditions, Word } from '../../../model/query.ts';
import { tokens } from '../../../text/tokenizer.ts';
import { ChainReader, WINDOW_BYTES } from '../format/chains.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS, type Chunk, countOf, EMPTY, forEach, isEmpty, type WordPool } from '../sets/chunk.ts';
import { intersect, subtract, unite } from '../sets/chunk-operations.ts';
import type { Deadline } from './deadline.ts';
import { ABSENT, bytesOfPhrase, codesOfPhrase, FOUND, OPEN } from './phrase-search.ts';
import type { OpenPhrase, SegmentPlan } from './plan.ts';

/** Docs that match, and those of them of which only the text can tell. */
interface Settled {
  readonly result: Chunk;
  readonly open: Chunk;
}

/** `result`: the docs of a chunk that meet everything else and, of each phrase, its lists. */
export function settlePhrases(
  segment: Segment,
  { required, suspected }: SegmentPlan,
  result: Chunk,
  chunk: number,
  pool: WordPool,
  deadline: Deadline,
): Settled {
  let left = result;
  const open: Chunk[] = [];
  for (const { sure, phrases } of required) {
    if (phrases.length === 0) continue;
    let settled = sure === null ? EMPTY : intersect(sure.chunk(chunk, pool), left, pool);
    const maybe: Chunk[] = [];
    for (const phrase of phrases) {
      const isAlone = phrases.length === 1 && sure === null;
      const among = isAlone ? left : subtract(listed(phrase, left, chunk, pool), settled, pool);
      const found = lookFor(phrase, segment, among, chunk, pool, deadline);
      settled = unite([settled, found.sure], pool);
      maybe.push(found.open);
    }
    const unsettled = subtract(unite(maybe, pool), settled, pool);
    left = unite([settled, unsettled], pool);
    open.push(unsettled);
    if (isEmpty(left)) return { result: EMPTY, open: EMPTY };
  }
  for (const phrase of suspected) {
    const found = lookFor(phrase, segment, listed(phrase, left, chunk, pool), chunk, pool, deadline);
    left = subtract(left, found.sure, pool);
    open.push(found.open);
  }
  return { result: left, open: intersect(unite(open, pool), left, pool) };
}

function listed({ list }: OpenPhrase, docs: Chunk, chunk: number, pool: WordPool): Chunk {
  return intersect(list.chunk(chunk, pool), docs, pool);
}

/** Questions of a thread are answered one after the other. */
const room = Buffer.allocUnsafeSlow(WINDOW_BYTES);

/** `docs` have all pairs of the phrase and contain all its tokens. */
function lookFor(
  { tokens, isChain }: OpenPhrase,
  segment: Segment,
  docs: Chunk,
  chunk: number,
  pool: WordPool,
  deadline: Deadline,
): { readonly sure: Chunk; readonly open: Chunk } {
  if (isEmpty(docs)) return { sure: EMPTY, open: EMPTY };
  const inTexts = lookerInTexts(tokens, segment);
  const look = isChain ? lookerInChains(tokens, segment, docs, inTexts) : inTexts;
  const sure = pool.numbers(countOf(docs));
  let found = 0;
  const open: number[] = [];
  const base = chunk * CHUNK_DOCS;
  forEach(docs, (doc) => {
    deadline.step();
    const state = look(base + doc);
    if (state === FOUND) sure[found++] = doc;
    else if (state === OPEN) open.push(doc);
  });
  return {
    sure: { kind: 'array', values: pool.shorten(sure, found) },
    open: open.length === 0 ? EMPTY : { kind: 'array', values: Uint16Array.from(open) },
  };
}

/** Says of ascending docs whether they contain the phrase: ABSENT, FOUND or OPEN. */
type Looker = (doc: number) => number;

/** Of docs that the chains leave open, it asks `inTexts`. */
function lookerInChains(tokens: readonly string[], segment: Segment, docs: Chunk, inTexts: Looker): Looker {
  const codes = codesOfPhrase(tokens);
  const reader = new ChainReader(
    segment.source,
    segment.chains,
    segment.docs,
    room,
    CHUNK_DOCS / countOf(docs),
  );
  return (doc) => {
    reader.find(doc);
    const state = codes.lookIn(reader.bytes, reader.start, reader.end);
    return state === OPEN ? inTexts(doc) : state;
  };
}

function lookerInTexts(tokens: readonly string[], segment: Segment): Looker {
  const phrase = bytesOfPhrase(tokens);
  return (doc) => {
    const { bytes, parts } = segment.textsInRow(doc);
    let state = ABSENT;
    for (let i = 0; i < parts.texts && state !== FOUND; i++) {
      const one = phrase.lookIn(bytes, parts.textStarts[i]!, parts.textEnds[i]!);
      if (one !== ABSENT) state = one;
    }
    return state;
  };
}

/** True if the searched texts of a record meet every included word of the query and contain no excluded one. */
export function textMatches(searched: readonly string[], conditions: Conditions): boolean {
  const texts = searched.map((text) => tokens(text));
  const holds = (word: Word) => texts.some((text) => textHolds(text, word));
  return conditions.words.every((anyOf) => anyOf.some(holds)) && !conditions.excludedWords.some(holds);
}

/**
 * Written apart from model/query.ts on purpose: the reference engine answers by that one, and the tests that compare
 * the two engines compare these as well.
 */
function textHolds(text: readonly string[], word: Word): boolean {
  switch (word.kind) {
    case 'term':
      return text.includes(word.token);
    case 'prefix':
      return text.some((token) => token.startsWith(word.prefix));
    case 'phrase':
      return holdsPhrase(text, word.tokens);
  }
}

function holdsPhrase(text: readonly string[], phrase: readonly string[]): boolean {
  const first = phrase[0]!;
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    let i = 1;
    while (i < phrase.length && text[at + i] === phrase[i]) i++;
    if (i === phrase.length) return true;
  }
  return false;
}
