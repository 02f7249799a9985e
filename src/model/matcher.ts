// Does this record match? The specification of matching as code: obvious first, fast never. Whoever has a whole record
// asks this: the reference engine, and an import or `filter` of a part of a dump.

import { tokens } from '../text/tokenizer.ts';
import { type Conditions, idsAmong } from './conditions.ts';
import { MAX_PREFIX_TOKENS, type PrefixWord, type Word } from './query.ts';
import { type StoredRecord, searchedTexts } from './record.ts';
import { siteKeys } from './sites.ts';

/** The tokens of each searched text, in order. Kept as long as the record itself is. */
export function tokensOf(record: StoredRecord): readonly (readonly string[])[] {
  const known = tokensByRecord.get(record);
  if (known !== undefined) return known;
  const made = searchedTexts(record).map((text) => tokens(text));
  tokensByRecord.set(record, made);
  return made;
}

const tokensByRecord = new WeakMap<StoredRecord, readonly (readonly string[])[]>();

export function matches(record: StoredRecord, conditions: Conditions): boolean {
  const { communities, sites, posts, records } = conditions;
  if (record.created < conditions.from || record.created >= conditions.to) return false;
  if (record.score < conditions.minScore || record.score > conditions.maxScore) return false;
  if (communities !== null && !communities.includes(record.community)) return false;
  if (conditions.excludedCommunities.includes(record.community)) return false;
  const post = record.kind === 'post' ? record.id : record.post;
  if (posts !== null && !posts.includes(post)) return false;
  if (conditions.excludedPosts.includes(post)) return false;
  if (records !== null && !idsAmong(record.kind, records).includes(record.id)) return false;
  if (idsAmong(record.kind, conditions.excludedRecords).includes(record.id)) return false;
  if (sites !== null || conditions.excludedSites.length > 0) {
    const keys = siteKeys(record);
    if (sites !== null && !sites.some((site) => keys.includes(site))) return false;
    if (conditions.excludedSites.some((site) => keys.includes(site))) return false;
  }
  if (conditions.words.length === 0 && conditions.excludedWords.length === 0) return true;
  const texts = tokensOf(record);
  const holds = (word: Word) => texts.some((text) => textHolds(text, word));
  return conditions.words.every((anyOf) => anyOf.some(holds)) && !conditions.excludedWords.some(holds);
}

/** Whether the word stands in the text alone. */
export function wordStandsIn(word: Word, text: string): boolean {
  return textHolds(tokens(text), word);
}

function textHolds(text: readonly string[], word: Word): boolean {
  switch (word.kind) {
    case 'term':
      return text.includes(word.token);
    case 'prefix':
      return text.some((token) => token.startsWith(word.prefix));
    case 'phrase':
      return text.some((_, at) => word.tokens.every((token, i) => text[at + i] === token));
  }
}

/** The first prefix of the query with more than MAX_PREFIX_TOKENS different tokens behind it in these records. */
export function broadPrefix(records: Iterable<StoredRecord>, conditions: Conditions): PrefixWord | undefined {
  const words = [...conditions.words.flat(), ...conditions.excludedWords];
  const prefixes = words.filter((word) => word.kind === 'prefix');
  if (prefixes.length === 0) return undefined;
  const texts = [...records].flatMap(tokensOf);
  return prefixes.find(({ prefix }) => {
    const behind = new Set<string>();
    for (const text of texts) for (const token of text) if (token.startsWith(prefix)) behind.add(token);
    return behind.size > MAX_PREFIX_TOKENS;
  });
}
