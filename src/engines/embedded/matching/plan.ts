// The conditions of a query as posting lists of one segment.
//
// Reading ahead: where a question comes to bytes that the process has not read before, they may have to come from a
// disk, and what follows too. Blocks of dictionaries, lists and rows are then asked for together, so that the question
// waits for the slowest of them and not for one after the other. Where nothing is new, this costs nothing.

import { type Conditions, idsAmong, type Word } from '../../../model/query.ts';
import type { RecordName } from '../../../model/record.ts';
import {
  atLeast,
  atMost,
  BAND,
  type Band,
  COMMUNITY,
  ID,
  pairKey,
  postKey,
  SITE,
  SLICES,
  type Slice,
  TOKEN,
} from '../format/keys.ts';
import { neighbourCode, ownCode } from '../format/neighbours.ts';
import { isPair, tokenClass } from '../format/pairs.ts';
import { newPages } from '../format/segment-file.ts';
import { intersectionList, type PostingList, unionList } from '../index/posting-list.ts';
import type { Segment } from '../index/segment.ts';
import type { WordPool } from '../sets/chunk.ts';
import { type Link, narrowed } from './links.ts';
import type { Prefix } from './prefixes.ts';

/** A phrase that its lists do not settle: `list` has the docs with all its pairs and tokens. */
export interface OpenPhrase {
  readonly tokens: readonly string[];
  readonly list: PostingList;
  /** In the order of the phrase; some neighbours may have none. */
  readonly links: readonly Link[];
  /** As `followLinks` takes it. */
  readonly isLinked: boolean;
}

/** One requirement: in `sure`, or in `maybe` and then found to contain one of the phrases. */
interface Requirement {
  readonly sure: PostingList | null;
  /** The docs of the lists of all `phrases`. */
  readonly maybe: PostingList | null;
  readonly phrases: readonly OpenPhrase[];
  /** Upper bound of the docs that meet it. */
  readonly count: number;
}

/** Both ends are in it. Lists settle all but the slices that a bound cuts in two, at most two: see the column. */
export interface ScoreBounds {
  readonly min: number;
  readonly max: number;
  /** Lists of docs that are beyond those slices. */
  readonly outside: readonly PostingList[];
  readonly cut: readonly Slice[];
}

export interface SegmentPlan {
  /** All of them, the rarest first. */
  readonly required: readonly Requirement[];
  readonly excluded: readonly PostingList[];
  /** Excluded phrases that their lists do not settle. */
  readonly suspected: readonly OpenPhrase[];
  /** null: the lists settle them. */
  readonly scores: ScoreBounds | null;
  /** `from <= docId < to`. */
  readonly from: number;
  readonly to: number;
}

/** null: nothing in this segment can match. The lists may keep what they read in memory of `pool`. */
export function planSegment(
  segment: Segment,
  conditions: Conditions,
  prefixes: ReadonlyMap<string, Prefix>,
  pool: WordPool,
): SegmentPlan | null {
  const from = segment.firstAt(conditions.from);
  const to = segment.firstAt(conditions.to);
  if (from >= to || conditions.minScore > conditions.maxScore) return null;
  const required: Requirement[] = [];
  const excluded: PostingList[] = [];
  const suspected: OpenPhrase[] = [];
  if (conditions.records !== null) {
    required.push(requirement(segment, recordLists(segment, conditions.records, pool).map(sure), pool));
    if (required[0]!.count === 0) return null;
  }
  const require = (names: readonly string[] | null, keyOf: (name: string) => string) => {
    if (names === null) return;
    const lists = names.map((name) => sure(segment.list(keyOf(name), pool)));
    required.push(requirement(segment, lists, pool));
  };
  require(conditions.communities, (name) => COMMUNITY + name);
  require(conditions.sites, (domain) => SITE + domain);
  require(conditions.posts, (id) => postKey(segment.kind, id));
  for (const anyOf of conditions.words) {
    required.push(
      requirement(
        segment,
        anyOf.map((word) => wordLists(segment, word, prefixes, pool)),
        pool,
      ),
    );
    if (required.at(-1)!.count === 0) return null;
  }
  const exclude = (key: string) => pushList(excluded, segment.list(key, pool));
  for (const name of conditions.excludedCommunities) exclude(COMMUNITY + name);
  for (const domain of conditions.excludedSites) exclude(SITE + domain);
  for (const id of conditions.excludedPosts) exclude(postKey(segment.kind, id));
  // Most exclude none, and are asked of each segment.
  if (conditions.excludedRecords.length > 0)
    excluded.push(...recordLists(segment, conditions.excludedRecords, pool));
  for (const word of conditions.excludedWords) {
    const lists = wordLists(segment, word, prefixes, pool);
    pushList(excluded, lists.sure);
    if (lists.open !== null) suspected.push(lists.open);
  }
  const scores = planScores(segment, conditions, { required, excluded }, pool);
  if (required.some(({ count }) => count === 0)) return null;
  required.sort((a, b) => a.count - b.count);
  return { required, excluded, suspected, scores, from, to };
}

/** The keys that `planSegment` looks up, but for those of records and bands, which are few or close together. */
function keysOf(segment: Segment, conditions: Conditions): string[] {
  const { words, excludedWords } = conditions;
  return [
    ...[...(conditions.communities ?? []), ...conditions.excludedCommunities].map((name) => COMMUNITY + name),
    ...[...(conditions.sites ?? []), ...conditions.excludedSites].map((domain) => SITE + domain),
    ...[...(conditions.posts ?? []), ...conditions.excludedPosts].map((id) => postKey(segment.kind, id)),
    ...[...words.flat(), ...excludedWords].flatMap(keysOfWord),
  ];
}

function keysOfWord(word: Word): readonly string[] {
  if (word.kind === 'term') return [TOKEN + word.token];
  return word.kind === 'prefix' ? [] : forms.getOrInsertComputed(word.tokens, formOf).keys;
}

/** Of the records that are here, a list each; most segments are passed over without a look into their dictionary. */
function recordLists(segment: Segment, records: readonly RecordName[], pool: WordPool): PostingList[] {
  return idsAmong(segment.kind, records).flatMap((id) =>
    segment.mayHold(id) ? (segment.list(ID + id, pool) ?? []) : [],
  );
}

interface WordLists {
  readonly sure: PostingList | null;
  readonly open: OpenPhrase | null;
}

function sure(list: PostingList | null): WordLists {
  return { sure: list, open: null };
}

const NO_PHRASES: readonly OpenPhrase[] = [];

/** Any of the alternatives. */
function requirement(segment: Segment, alternatives: readonly WordLists[], pool: WordPool): Requirement {
  const [first] = alternatives;
  // Most are one list in each segment: a question of few matches should not wait for more.
  if (alternatives.length === 1 && first!.open === null) {
    return { sure: first!.sure, maybe: null, phrases: NO_PHRASES, count: first!.sure?.count ?? 0 };
  }
  const sureList = unionList(
    alternatives.flatMap((lists) => lists.sure ?? []),
    segment.docs,
    pool,
  );
  const phrases = alternatives.flatMap(({ open }) => open ?? []);
  const maybe = unionList(
    phrases.map(({ list }) => list),
    segment.docs,
    pool,
  );
  return { sure: sureList, maybe, phrases, count: (sureList?.count ?? 0) + (maybe?.count ?? 0) };
}

function pushList(lists: PostingList[], list: PostingList | null): void {
  if (list !== null) lists.push(list);
}

function wordLists(
  segment: Segment,
  word: Word,
  prefixes: ReadonlyMap<string, Prefix>,
  pool: WordPool,
): WordLists {
  switch (word.kind) {
    case 'term':
      return sure(segment.list(TOKEN + word.token, pool));
    case 'prefix':
      return sure(prefixes.get(word.prefix)!.list(segment, pool));
    case 'phrase':
      return phraseLists(segment, word.tokens, pool);
  }
}

/** Two neighbours: where among the keys their pair or they themselves stand, −1 for nowhere, and their codes. */
type Joint = ReturnType<typeof formOf>['joints'][number];

/** Made once for each phrase of a query, not for each segment. */
const forms = new WeakMap<readonly string[], ReturnType<typeof formOf>>();

/** The keys of a phrase: pairs that are indexed, and tokens that stand in none of them. */
function formOf(phrase: readonly string[]) {
  const classes = phrase.map(tokenClass);
  const arePair = phrase.map((_, i) => i > 0 && isPair(classes[i - 1]!, classes[i]!));
  const pairs = phrase.map((token, i) => (arePair[i] ? pairKey(phrase[i - 1]!, token) : ''));
  const single = phrase.filter((_, i) => !arePair[i] && !arePair[i + 1]);
  const keys = [...new Set([...pairs.filter((key) => key !== ''), ...single.map((token) => TOKEN + token)])];
  /** By key: a code that no other token has stands for it beside its neighbours. */
  const isCoded = keys.map((key) => key.startsWith(TOKEN) && ownCode(key.slice(TOKEN.length)) !== 0);
  const joints = phrase.slice(1).map((second, i) => ({
    pair: keys.indexOf(pairs[i + 1]!),
    first: keys.indexOf(TOKEN + phrase[i]!),
    second: keys.indexOf(TOKEN + second),
    firstCode: neighbourCode(phrase[i]!),
    secondCode: neighbourCode(second),
  }));
  return { keys, isCoded, joints };
}

/** The docs that have all its keys. Two tokens that are a pair need no more. */
function phraseLists(segment: Segment, phrase: readonly string[], pool: WordPool): WordLists {
  const { keys, isCoded, joints } = forms.getOrInsertComputed(phrase, formOf);
  const lists: PostingList[] = [];
  for (const key of keys) {
    const list = segment.list(key, pool);
    if (list === null) return sure(null);
    lists.push(list);
  }
  if (joints.length === 1 && joints[0]!.pair >= 0) return sure(lists[0]!);
  const links: Link[] = [];
  const isWhole = joints.map((joint, at) => isLinkedAt(joint, at, lists, links)).every(Boolean);
  const needed = isWhole ? lists.filter((_, i) => !isCoded[i]) : lists;
  const all = intersectionList(needed, (list) => narrowed(list, links));
  return { sure: null, open: { tokens: phrase, list: all, links, isLinked: isWhole } };
}

/**
 * Adds to `links` what tells of the neighbours from the token numbered `at`; false: nothing does. Of two tokens with
 * payloads it is the rarer, or the first where it is asked for the one before it too.
 */
function isLinkedAt(
  { pair, first, second, firstCode, secondCode }: Joint,
  at: number,
  lists: readonly PostingList[],
  links: Link[],
): boolean {
  if (pair >= 0) {
    const list = lists[pair]!;
    if (list.hasPayloads) links.push({ list, at, isPair: true, before: 0, behind: 0 });
    return list.hasPayloads === true;
  }
  const last = links.at(-1);
  if (last?.at === at && !last.isPair) {
    links[links.length - 1] = { ...last, behind: secondCode };
    return true;
  }
  const [one, other] = [lists[first], lists[second]].map((list) => (list?.hasPayloads ? list : null));
  if (one && !(other && other.count < one.count)) {
    links.push({ list: one, at, isPair: false, before: 0, behind: secondCode });
  } else if (other) links.push({ list: other, at: at + 1, isPair: false, before: firstCode, behind: 0 });
  return Boolean(one ?? other);
}

/** Lists of bands settle the bounds, but for the scores of the slice that a bound cuts in two: those are looked up. */
function planScores(
  segment: Segment,
  { minScore, maxScore }: Conditions,
  { required, excluded }: { readonly required: Requirement[]; readonly excluded: PostingList[] },
  pool: WordPool,
): SegmentPlan['scores'] {
  if (minScore === -Infinity && maxScore === Infinity) return null;
  const bandList = (band: Band) => segment.list(BAND + band.name, pool);
  const outside: PostingList[] = [];
  const settle = (inside: Band | null, beyond: Band | null, isCut: boolean) => {
    if (inside !== null) required.push(requirement(segment, [sure(bandList(inside))], pool));
    else if (beyond !== null) pushList(isCut ? outside : excluded, bandList(beyond));
  };
  const cutBelow = SLICES.find(({ min, max }) => min < minScore && minScore <= max);
  const least = cutBelow?.min ?? minScore;
  settle(atLeast(least), atMost(least - 1), cutBelow !== undefined);
  const cutAbove = SLICES.find(({ min, max }) => min <= maxScore && maxScore < max);
  const most = cutAbove?.max ?? maxScore;
  settle(atMost(most), atLeast(most + 1), cutAbove !== undefined);
  const cut = [cutBelow, cutAbove].filter((slice) => slice !== undefined);
  return cut.length === 0 ? null : { min: minScore, max: maxScore, outside, cut: [...new Set(cut)] };
}

/** A question of the thread, which answers one at a time. */
let pagesBefore = 0;

export function beginQuestion(): void {
  pagesBefore = newPages;
}

/** Whether the question has come to bytes that nobody had read. */
export function isReadingNew(): boolean {
  return newPages > pagesBefore;
}

/** The blocks of dictionaries that planning the query for these segments will look into. */
export function readBlocksAhead(segments: readonly Segment[], conditions: Conditions): void {
  for (const segment of segments) {
    for (const key of keysOf(segment, conditions)) segment.dictionary.readAhead(key);
  }
}

interface RowPlace {
  readonly segment: Segment;
  readonly doc: number;
}

/** The rows of a page: asked for together as soon as the question is seen to read what is new. */
export class RowsAhead {
  #isDone = false;

  /** To be called before each row is read. `places`: those that are not read yet, perhaps some too many. */
  look(places: () => Iterable<RowPlace>): void {
    if (this.#isDone || !isReadingNew()) return;
    this.#isDone = true;
    for (const { segment, doc } of places()) segment.readAhead(doc);
  }
}
