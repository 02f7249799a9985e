// An engine's query as a query of OpenSearch. It has filters only: nothing is scored.

import { EngineLimit, EngineUnavailable } from '../../../model/engine-errors.ts';
import { type Conditions, idsAmong, MAX_PREFIX_TOKENS, type Word } from '../../../model/query.ts';
import { type Kind, MAX_TIME } from '../../../model/record.ts';
import type { Hidden } from '../../../model/removals.ts';
import { Turns } from '../../../model/waiting.ts';
import { type API, pathOf } from '../cluster/client.ts';
import { arrivalOf, keywordOf } from '../cluster/documents.ts';
import { indexNames, shardsOf } from '../cluster/indices.ts';
import { type Dsl, ofAllShards, SEE_HEALTH, type Searcher } from '../cluster/search.ts';
import type { View } from '../state/views.ts';

interface Within {
  /** The record belongs to one of these posts; null or absent: no condition. */
  readonly posts?: readonly string[] | null;
  /** The record came in after this arrival; 0 or absent: no condition. */
  readonly since?: number | undefined;
}

export function queryIn(view: View, conditions: Conditions, { posts = null, since = 0 }: Within = {}): Dsl {
  const { filter, mustNot } = clausesOf(view.kind, conditions);
  if (posts !== null) filter.push({ terms: { post: posts } });
  if (since > 0) filter.push(arrivedIn(view, since));
  return joined(filter, [...mustNot, ...overlaysOf(view)]);
}

/** Every record of a view that meets these filters too. */
export function allIn(view: View, ...filter: readonly Dsl[]): Dsl {
  return joined(filter, overlaysOf(view));
}

/** Records after this arrival, up to the last one of the view: a torn view has records of the next. */
export function arrivedIn({ generation }: View, since: number): Dsl {
  const last = arrivalOf(generation);
  return since < last ? { range: { n: { gt: since, lte: last } } } : NOTHING;
}

export function idsQuery(ids: readonly string[]): Dsl {
  return { ids: { values: ids } };
}

/** `named`: finds documents by the ids of their records. */
export function hiddenQuery(what: Hidden, named = idsQuery): Dsl {
  if ('community' in what) return { term: { community: what.community } };
  if ('ids' in what) return named(what.ids);
  return { terms: { post: what.threads.filter((post) => post !== '') } };
}

function overlaysOf({ overlays }: View): Dsl[] {
  return overlays.map(({ what }) => hiddenQuery(what));
}

function joined(filter: readonly Dsl[], mustNot: readonly object[]): Dsl {
  if (filter.length === 0 && mustNot.length === 0) return { match_all: {} };
  return { bool: { ...(filter.length > 0 && { filter }), ...(mustNot.length > 0 && { must_not: mustNot }) } };
}

function clausesOf(kind: Kind, conditions: Conditions): { filter: Dsl[]; mustNot: Dsl[] } {
  const { communities, sites, posts, records, excludedRecords } = conditions;
  const filter = [
    ...conditions.words.map(anyOf),
    ...namesIn('community', communities),
    ...sitesIn(sites),
    ...namesIn('post', posts),
    ...(records === null ? [] : [idsQuery(idsAmong(kind, records))]),
    ...scoresFrom(conditions),
    ...timesFrom(conditions),
  ];
  const excludedIds = idsAmong(kind, excludedRecords);
  const mustNot = [
    ...(conditions.excludedWords.length === 0 ? [] : [anyOf(conditions.excludedWords)]),
    ...namesIn('community', conditions.excludedCommunities),
    ...sitesIn(conditions.excludedSites),
    ...namesIn('post', conditions.excludedPosts),
    ...(excludedIds.length === 0 ? [] : [idsQuery(excludedIds)]),
  ];
  return { filter, mustNot };
}

/** At least one of the words; single tokens are joined into one clause. */
function anyOf(words: readonly Word[]): Dsl {
  const terms = words.flatMap((word) => (word.kind === 'term' ? [word.token] : []));
  const clauses = [
    ...(terms.length === 0 ? [] : [terms.length === 1 ? { term: { t: terms[0] } } : { terms: { t: terms } }]),
    ...words.flatMap((word) => (word.kind === 'term' ? [] : [clauseOf(word)])),
  ];
  return clauses.length === 1 ? clauses[0]! : { bool: { should: clauses, minimum_should_match: 1 } };
}

function clauseOf(word: Exclude<Word, { readonly kind: 'term' }>): Dsl {
  return word.kind === 'prefix'
    ? { prefix: { t: word.prefix } }
    : { match_phrase: { t: word.tokens.join(' ') } };
}

function namesIn(field: string, names: readonly string[] | null): Dsl[] {
  return names === null || names.length === 0 ? [] : [{ terms: { [field]: names } }];
}

function sitesIn(sites: readonly string[] | null): Dsl[] {
  return namesIn('sites', sites?.map(keywordOf) ?? null);
}

/** An empty range finds nothing. */
function scoresFrom({ minScore, maxScore }: Conditions): Dsl[] {
  if (minScore === -Infinity && maxScore === Infinity) return [];
  const gte = minScore === -Infinity ? {} : { gte: minScore };
  const lte = maxScore === Infinity ? {} : { lte: maxScore };
  return [minScore > maxScore ? NOTHING : { range: { score: { ...gte, ...lte } } }];
}

function timesFrom({ from, to }: Conditions): Dsl[] {
  if (from <= 0 && to > MAX_TIME) return [];
  return [from >= to ? NOTHING : { range: { created: { gte: from, lt: to } } }];
}

const NOTHING: Dsl = { match_none: {} };

/** Prefixes that are cached for one view. */
const MAX_KNOWN = 10_000;

const known = new WeakMap<View, Map<string, Promise<boolean>>>();

/**
 * Throws an EngineLimit for the first prefix that has too many tokens, and what `Searcher.search` throws. OpenSearch
 * explains a prefix by listing its terms, shard by shard. First each shard lists so few that all together are not too
 * many. If one has more, every shard lists all, and their union is counted. Tokens of removed records count until a
 * merge.
 */
export async function checkPrefixes(searcher: Searcher, view: View, conditions: Conditions): Promise<void> {
  const prefixes = [...conditions.words.flat(), ...conditions.excludedWords].filter(
    (word) => word.kind === 'prefix',
  );
  if (prefixes.length === 0 || view.pit === null) return;
  const different = [...new Set(prefixes.map(({ prefix }) => prefix))];
  const broad = new Map<string, boolean>();
  await Promise.all(
    different.map(async (prefix) => broad.set(prefix, await isBroad(searcher, view, prefix))),
  );
  const word = prefixes.find(({ prefix }) => broad.get(prefix));
  if (word !== undefined) throw new EngineLimit({ limit: 'prefix_tokens', word });
}

async function isBroad(searcher: Searcher, view: View, prefix: string): Promise<boolean> {
  const ofView = known.getOrInsertComputed(view, () => new Map<string, Promise<boolean>>());
  for (let looking = ofView.get(prefix); looking !== undefined; looking = ofView.get(prefix)) {
    // If whoever looks it up fails, the next one does.
    const found = await searcher.deadline.within(looking.catch(() => null));
    if (found !== null) return found;
  }
  const looking = listsTooMany(searcher, view.kind, prefix);
  if (ofView.size < MAX_KNOWN) ofView.set(prefix, looking);
  looking.catch(() => ofView.delete(prefix));
  return await looking;
}

async function listsTooMany(searcher: Searcher, kind: Kind, prefix: string): Promise<boolean> {
  const { settings } = searcher.client;
  const index = indexNames(settings)[kind];
  const few = Math.floor(MAX_PREFIX_TOKENS / shardsOf(settings, kind));
  const first = await listed(searcher, index, { value: prefix, rewrite: `top_terms_${few}` });
  if (first?.every((tokens) => tokens.split(' ').length < few) === true) return false;
  const all = await listed(searcher, index, { value: prefix, rewrite: 'scoring_boolean' });
  return all === null || (await tokensIn(all)).size > MAX_PREFIX_TOKENS;
}

/** What each shard lists; null: one has more than a query may have clauses. */
async function listed(searcher: Searcher, index: string, prefix: Dsl): Promise<readonly string[] | null> {
  const { body } = await searcher.request<API.Indices_ValidateQuery_ResponseBody>({
    ...{ path: `${pathOf(index)}/_validate/query`, query: { rewrite: true, all_shards: true } },
    body: { query: { prefix: { t: prefix } } },
  });
  const { valid, _shards, explanations = [] } = body;
  if (_shards?.failures?.some(({ reason }) => reason?.type === 'too_many_clauses') === true) return null;
  if (valid !== true || !ofAllShards(_shards) || explanations.length !== _shards!.total) {
    const found = JSON.stringify({ valid, _shards });
    throw new EngineUnavailable(`OpenSearch: a prefix cannot be looked up: ${found}; ${SEE_HEALTH}`);
  }
  return explanations.map(({ explanation = '' }) => explanation);
}

/** The different tokens that the explanations name: `t:panel t:pans`; `t:pan*` of a shard without any. */
export async function tokensIn(explanations: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  const turns = new Turns();
  for (const explanation of explanations) {
    await turns.next();
    for (const clause of explanation.split(' ')) if (!clause.endsWith('*')) found.add(clause);
  }
  return found;
}
