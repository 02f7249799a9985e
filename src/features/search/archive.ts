// The content of an archive, for its start page: records per year, its largest communities, and example queries.
// Computed once per state of the index, in the background: no page waits for it longer than PATIENCE_MS. Contract
// 25.24.

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { Examples, FormName } from '../../http/views/search-form.ts';
import { log } from '../../log.ts';
import { type Community, communityKey } from '../../model/community.ts';
import type { NameField, OneAnswer, OneOfMany, SearchEngine, TimelineBucket } from '../../model/engine.ts';
import { EngineUnavailable, IndexDamage } from '../../model/engine-errors.ts';
import { MAX_SHOWN_BYTES, pageRequest } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { nextBucket } from '../../model/timeline.ts';
import { rowQuery } from '../../search/edit-query.ts';
import { orDamage, type SearchService, stateOf } from '../../search/search-service.ts';
import { tokens } from '../../text/tokenizer.ts';

export interface Archive {
  /** Of the kinds that can be read. */
  readonly kinds: Readonly<Partial<Record<Kind, ArchivedKind>>>;
  readonly communities: readonly ArchivedCommunity[];
  readonly examples: Examples;
}

interface ArchivedKind {
  /** Ascending, without gaps, in UTC; empty without records. */
  readonly years: readonly TimelineBucket[];
  readonly communities: number;
}

export interface ArchivedCommunity extends Community {
  readonly counts: Readonly<Record<Kind, number>>;
}

/** Milliseconds that a page waits for a result. */
const PATIENCE_MS = 150;

/** Milliseconds for the queries of one step: nobody waits for them. */
const BUDGET_MS = 20_000;

/** Milliseconds without a new attempt after a failure. */
const REST_MS = 10_000;

const SHOWN = 12;

/** Rows of each kind from which they are chosen. A community in neither is smaller than both last rows together. */
const CANDIDATES = 24;

const DOMAINS = 20;

const SAMPLE = 200;

const EVERYTHING: Query = { items: [] };

/** The result for one state of the index. What is known of its communities is looked up on each request. */
interface Found extends Omit<Archive, 'communities'> {
  readonly communities: readonly FoundCommunity[];
}

interface FoundCommunity {
  readonly counts: Readonly<Record<Kind, number>>;
  readonly kind: Kind;
  readonly answer: OneAnswer;
}

interface Kept {
  /** State of the index to which it belongs. */
  readonly state: string;
  /** null if it failed. */
  readonly found: Promise<Found | null>;
  isReady: boolean;
}

export class ArchiveService implements Disposable {
  readonly #engine: SearchEngine;
  readonly #search: SearchService;
  #kept: Kept | null = null;
  #isOver = false;
  #restsUntil = 0;

  constructor(engine: SearchEngine, search: SearchService) {
    this.#engine = engine;
    this.#search = search;
  }

  /** Computes the result for the next page, however long it takes. Never rejects. */
  async warm(): Promise<void> {
    await this.#found();
  }

  /** For the index at the last `refresh`; null if it is not known in time. */
  async now(): Promise<Archive | null> {
    const cut = new AbortController();
    const found = await Promise.race([this.#found(), delay(PATIENCE_MS, null, { signal: cut.signal })]);
    cut.abort();
    if (found === null) return null;
    const { kinds, examples } = found;
    const communities = found.communities.map((one) => ({ ...this.#communityOf(one), counts: one.counts }));
    return { kinds, communities, examples };
  }

  /** From now on, running work may fail because the engine ends: that is not logged. */
  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  /** null if it fails. */
  async #found(): Promise<Found | null> {
    const state = await stateOf(this.#engine).catch(() => null);
    if (state === null) return null;
    if (this.#kept?.state === state) return await this.#kept.found;
    // One at a time: during an import, each page would start another.
    const isBusy = this.#kept !== null && !this.#kept.isReady;
    if (isBusy || performance.now() < this.#restsUntil) return null;
    const kept: Kept = { state, found: this.#reckonAt(state), isReady: false };
    this.#kept = kept;
    const found = await kept.found;
    kept.isReady = true;
    if (found === null && this.#kept === kept) this.#kept = null;
    return found;
  }

  /** null if it fails, or if the index has left that state: what was removed must not be shown. */
  async #reckonAt(state: string): Promise<Found | null> {
    try {
      const found = await this.#reckon();
      await this.#engine.refresh();
      return (await stateOf(this.#engine)) === state ? found : null;
    } catch (error) {
      this.#restsUntil = performance.now() + REST_MS;
      const isExpected = error instanceof EngineUnavailable || error instanceof ServiceError;
      if (!isExpected && !this.#isOver) log.warn({ err: error }, 'the start page has no figures');
      return null;
    }
  }

  async #reckon(): Promise<Found> {
    const answers = await this.#askBoth([
      {
        ...{ query: EVERYTHING, timeline: { step: 'year' } },
        breakdowns: [
          { field: 'community', size: CANDIDATES, distinct: true },
          { field: 'domain', size: DOMAINS },
        ],
      },
    ]);
    const kinds: Partial<Record<Kind, ArchivedKind>> = {};
    for (const kind of KINDS) {
      const [answer] = answers[kind] ?? [];
      if (answer === undefined) continue;
      const [communities] = answer.breakdowns!;
      kinds[kind] = { years: answer.timeline!.buckets, communities: communities!.distinct! };
    }
    const names = KINDS.flatMap((kind) => namesIn(answers[kind], 'community'));
    const communities = await this.#largest([...new Set(names.map(communityKey))]);
    const examples = await this.#examples(kinds, communities, (kind) => namesIn(answers[kind], 'domain'));
    return { kinds, communities, examples };
  }

  async #largest(names: readonly string[]): Promise<FoundCommunity[]> {
    if (names.length === 0) return [];
    const page = pageRequest('newest', null, { limit: 1, maxBytes: MAX_SHOWN_BYTES });
    const answers = await this.#askBoth(names.map((name) => ({ query: within(name), page, evidence: true })));
    const all = names.map((_, at) => {
      const [post, comment] = [answers.post?.[at], answers.comment?.[at]];
      const counts = { post: post?.total ?? 0, comment: comment?.total ?? 0 };
      const kind: Kind = counts.post > 0 ? 'post' : 'comment';
      return { counts, kind, answer: kind === 'post' ? post : comment };
    });
    return all
      .filter((one): one is FoundCommunity => (one.answer?.total ?? 0) > 0)
      .sort((a, b) => sum(b.counts) - sum(a.counts))
      .slice(0, SHOWN);
  }

  #communityOf({ kind, answer }: FoundCommunity): Community {
    return this.#search.present(kind, answer)[0]!.subreddit;
  }

  /** From the community with the most records of a kind, posts if there are any, that is not for adults. */
  async #examples(
    kinds: Archive['kinds'],
    communities: readonly FoundCommunity[],
    domainsOf: (kind: Kind) => readonly string[],
  ): Promise<Examples> {
    const kind: Kind = (kinds.post?.years.length ?? 0) > 0 ? 'post' : 'comment';
    const years = kinds[kind]?.years ?? [];
    const chosen = communities
      .filter(({ counts }) => counts[kind] > 0)
      .sort((a, b) => b.counts[kind] - a.counts[kind])
      .map((one) => this.#communityOf(one))
      .find(({ nsfw }) => !nsfw);
    if (chosen === undefined || years.length === 0) return NO_EXAMPLES;
    const page = pageRequest('top', null, { limit: SAMPLE, maxBytes: MAX_SHOWN_BYTES });
    const [answer] = await this.#ask(kind, [{ query: within(chosen.name), page }]);
    return await this.#thatFind(
      examplesOf({
        ...{ kind, community: chosen.name, domains: domainsOf(kind), years },
        records: answer!.page!.records.slice(0, SAMPLE),
      }),
    );
  }

  async #thatFind({ kind, queries }: Examples): Promise<Examples> {
    const all = Object.entries(queries);
    if (all.length === 0) return NO_EXAMPLES;
    const asked = all.map(([, text]) => ({ query: this.#search.interpret(text).query }));
    const answers = await this.#ask(kind, asked);
    return { kind, queries: Object.fromEntries(all.filter((_, at) => answers[at]!.total > 0)) };
  }

  /** For the kinds that can be read. Throws for any other failure: a count without a kind would be wrong. */
  async #askBoth(questions: readonly Omit<OneOfMany, 'kind'>[]) {
    const found: Partial<Record<Kind, readonly OneAnswer[]>> = {};
    for (const kind of KINDS) {
      const answers = await orDamage(this.#ask(kind, questions));
      if (!(answers instanceof IndexDamage)) found[kind] = answers;
    }
    return found;
  }

  async #ask(kind: Kind, questions: readonly Omit<OneOfMany, 'kind'>[]): Promise<readonly OneAnswer[]> {
    const all = questions.map((question) => ({ ...question, kind }));
    return (await this.#engine.askAll(all, { timeoutMs: BUDGET_MS })).answers;
  }
}

function within(name: string): Query {
  return { items: [{ kind: 'community', name, negated: false }] };
}

function namesIn(answers: readonly OneAnswer[] | undefined, field: NameField): string[] {
  const breakdown = answers?.[0]?.breakdowns?.find((one) => one.field === field);
  return (breakdown?.rows ?? []).map(({ name }) => name);
}

function sum({ post, comment }: Readonly<Record<Kind, number>>): number {
  return post + comment;
}

const NO_EXAMPLES: Examples = { kind: 'post', queries: {} };

interface ExampleSource {
  readonly kind: Kind;
  readonly community: string;
  /** Highest score first. */
  readonly records: readonly StoredRecord[];
  /** Of the whole archive, commonest first. */
  readonly domains: readonly string[];
  /** Of the whole archive, ascending; not empty. */
  readonly years: readonly TimelineBucket[];
}

/** Each would find something in records like these; forms without suitable words are left out. */
function examplesOf(source: ExampleSource): Examples {
  const { kind, records, years } = source;
  // Titles of posts, since they say what a post is about.
  const texts = records.map((one) => tokens(one.kind === 'post' ? one.title : one.body.slice(0, 2_000)));
  const told = texts.map((text) => text.filter(isTelling));
  const [word, other, ...others] = commonest(told);
  const left = [other, ...others].find((one) =>
    told.some((text) => text.includes(word ?? '') && !text.includes(one ?? '')),
  );
  const [phrase] = commonest(texts.map(pairs));
  const community = rowQuery('community', source.community);
  const site = firstSite(source.domains);
  const [{ score: best } = { score: 0 }] = records;
  const score = best < 1 ? null : 10 ** Math.floor(Math.log10(best));
  const busiest = years.reduce((most, year) => (year.count > most.count ? year : most));
  const last = years.findLast((year) => year.count > 0) ?? busiest;
  const queries: Record<FormName, string | null> = {
    word: word ?? null,
    without: word && left ? `${word} -${left}` : null,
    phrase: phrase === undefined ? null : `"${phrase}"`,
    prefix: word && word.length > 4 ? `${word.slice(0, Math.max(4, word.length - 3))}*` : null,
    anyOf: word && other ? `${word}|${other}` : null,
    community,
    notCommunity: community === null ? null : `-${community}`,
    site,
    notSite: site === null ? null : `-${site}`,
    score: score === null ? null : `score:${score}`,
    after: `after:${readableDay(last.start)}`,
    year: `after:${readableDay(busiest.start)} before:${readableDay(nextBucket('year', busiest.start))}`,
    post: kind === 'post' && records[0] !== undefined ? `post:${records[0].id}` : null,
    several: community !== null && word ? `${word} ${community}` : null,
  };
  const made = Object.entries(queries).filter(([, query]) => query !== null);
  return { kind, queries: Object.fromEntries(made) };
}

/** Whether a word is meaningful alone: letters only, and no function word. */
function isTelling(token: string): boolean {
  return /^\p{L}[\p{L}\p{M}]{3,19}$/u.test(token) && !FUNCTION_WORDS.has(token);
}

function pairs(text: readonly string[]): string[] {
  return text.slice(1).flatMap((token, at) => {
    const before = text[at]!;
    return isTelling(before) && isTelling(token) && before !== token ? [`${before} ${token}`] : [];
  });
}

/** Words that at least two texts have: by the number of texts, then by code unit. */
function commonest(texts: readonly (readonly string[])[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const one of new Set(text)) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([name]) => name);
}

function firstSite(domains: readonly string[]): string | null {
  const outside = domains.find((name) => !name.toLowerCase().startsWith('self.')) ?? domains[0];
  return outside === undefined ? null : rowQuery('domain', outside);
}

/** Words that say nothing alone, in lower case. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  readFileSync(new URL('function-words.txt', import.meta.url), 'utf8')
    .trim()
    .split(/\s+/),
);
