// Which records match: a look at every one of them, within a time budget; and samples of them. The specification as
// code.

import { ServiceError } from '../../src/errors.ts';
import {
  compareRanks,
  MAX_IN_GROUPS,
  rankKey,
  rankOf,
  type Sample,
  type SamplePage,
  type WordCounts,
  type WordsRequest,
} from '../../src/model/analyses.ts';
import type { Page } from '../../src/model/engine.ts';
import { EngineLimit } from '../../src/model/engine-errors.ts';
import { contentHash } from '../../src/model/hash.ts';
import { compareIds, countedBytes } from '../../src/model/pages.ts';
import {
  type Conditions,
  MAX_PREFIX_TOKENS,
  matches,
  type PrefixWord,
  tokensOf as textsOf,
} from '../../src/model/query.ts';
import { type StoredRecord, searchedTexts } from '../../src/model/record.ts';
import { groupOf } from '../../src/model/timeline.ts';
import { tokens } from '../../src/text/tokenizer.ts';

/** Records looked at between two looks at the clock. */
const CLOCK_EVERY = 256;

/** Throws `query_timeout`, an EngineLimit. */
export function matchingOf(
  records: readonly StoredRecord[],
  conditions: Conditions,
  timeoutMs: number,
): StoredRecord[] {
  const deadline = performance.now() + timeoutMs;
  const broad = broadPrefix(records, conditions);
  if (broad !== undefined) throw new EngineLimit({ limit: 'prefix_tokens', word: broad });
  const matching: StoredRecord[] = [];
  let looked = 0;
  for (const record of records) {
    if (looked++ % CLOCK_EVERY === 0 && performance.now() >= deadline) {
      throw tooLate(timeoutMs);
    }
    if (matches(record, conditions)) matching.push(record);
  }
  return matching;
}

export function tooLate(timeoutMs: number): ServiceError {
  return new ServiceError('query_timeout', `the query took longer than ${timeoutMs} ms`, { retryAfter: 1 });
}

/** By rank. `matching` in any order. */
export function sampleOf(matching: readonly StoredRecord[], sample: Sample): StoredRecord[] {
  const { size, seed, per } = sample;
  const key = rankKey(seed);
  const ranked = matching.map((record) => ({ record, rank: rankOf(key, contentHash(record)) }));
  ranked.sort((a, b) => compareRanks(a.rank, b.rank) || compareIds(a.record.id, b.record.id));
  const taken = new Map<string | number, number>();
  const records = ranked.flatMap(({ record }) => {
    const group = groupOf(record, sample);
    const before = taken.get(group) ?? 0;
    taken.set(group, before + 1);
    return before < size ? [record] : [];
  });
  if (per !== undefined && records.length > MAX_IN_GROUPS) throw new EngineLimit({ limit: 'sample_groups' });
  return records;
}

export function samplePageOf(matching: readonly StoredRecord[], request: SamplePage): Page {
  const { maxBytes = Infinity } = request;
  const records = sampleOf(matching, request);
  const bytes = records.reduce((sum, record) => sum + countedBytes(record), 0);
  if (bytes > maxBytes) throw new EngineLimit({ limit: 'sample_bytes', maxBytes });
  return { records, next: null, hasMore: records.length < matching.length, isShort: false };
}

/** `of`: what the question's `of` matches; null: it has none. */
export function wordsOf(
  matching: readonly StoredRecord[],
  of: readonly StoredRecord[] | null,
  request: WordsRequest,
): WordCounts {
  const [sample, ofSample] = [matching, of ?? []].map((all) => tokensOf(sampleOf(all, request)));
  const words = new Set([...sample!.counts.keys(), ...ofSample!.counts.keys()]);
  const uses = [...words].map((word) => ({
    word,
    count: sample!.counts.get(word) ?? 0,
    of: ofSample!.counts.get(word) ?? 0,
  }));
  return {
    sample: sample!.texts,
    ...(of && { ofSample: ofSample!.texts }),
    words: uses
      .filter((one) => one.count + one.of >= request.least)
      .sort((a, b) => (a.word < b.word ? -1 : 1)),
  };
}

function tokensOf(records: readonly StoredRecord[]) {
  const all = records.flatMap((record) => [
    ...new Set(searchedTexts(record).flatMap((text) => tokens(text))),
  ]);
  const counts = new Map<string, number>();
  for (const token of all) counts.set(token, (counts.get(token) ?? 0) + 1);
  return { texts: { records: records.length, tokens: all.length }, counts };
}

/** The first prefix of the query that begins more than MAX_PREFIX_TOKENS tokens of these records. */
function broadPrefix(records: Iterable<StoredRecord>, conditions: Conditions): PrefixWord | undefined {
  const words = [...conditions.words.flat(), ...conditions.excludedWords];
  const prefixes = words.filter((word) => word.kind === 'prefix');
  if (prefixes.length === 0) return undefined;
  const texts = [...records].flatMap(textsOf);
  return prefixes.find(({ prefix }) => {
    const behind = new Set<string>();
    for (const text of texts) for (const token of text) if (token.startsWith(prefix)) behind.add(token);
    return behind.size > MAX_PREFIX_TOKENS;
  });
}
