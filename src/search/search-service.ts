// One search, from request to envelope: interpret → cursor → engine → present → envelope. Records by id go the same
// way, without a query. Below, what a page is complete without if it fails, and the time range of the index's records.

import { setTimeout as delay } from 'node:timers/promises';
import { type ProblemCode, ServiceError } from '../errors.ts';
import { type Community, type KnowledgeSource, withKnowledge } from '../model/community.ts';
import {
  EMPTY_PAGE,
  type KindStats,
  MAX_NAMED_BYTES,
  type NamedRecords,
  namesOf,
  type OneAnswer,
  type SearchEngine,
} from '../model/engine.ts';
import { EngineLimit, EngineUnavailable, IndexDamage } from '../model/engine-errors.ts';
import type { PrintedRecords } from '../model/export.ts';
import { MAX_PAGE_BYTES, MAX_SHOWN_BYTES, type Order, pageRequest } from '../model/pages.ts';
import { conditionsOf, type Query } from '../model/query.ts';
import { KIND_NAMES, KINDS, type Kind } from '../model/record.ts';
import { DAY } from '../model/time.ts';
import { type Buckets, timelineBuckets } from '../model/timeline.ts';
import {
  cursorOf,
  readAskedNames,
  readCursor,
  readUnder,
  sinceOf,
  tellingLimits,
  withinBudget,
} from './asking.ts';
import { type ImpliedWindow, type Interpretation, interpretQuery } from './language/interpret.ts';
import {
  type ChosenFields,
  type CommentRecord,
  chooseFields,
  isOfKind,
  needsArrived,
  type PostRecord,
  presentRecords,
  type RecordOf,
  readFields,
} from './presenter.ts';

export interface Envelope {
  readonly type: Kind;
  readonly total_count: number;
  /** With all fields, unless some were chosen. */
  readonly data: readonly (PostRecord | CommentRecord)[] | readonly ChosenFields[];
  /** The query as understood, in canonical form. */
  readonly query: string;
  /** The query for the posts of comments, in canonical form; absent: any post. */
  readonly under?: string;
  /** `[[n]]`, or `[]` on a page without records. */
  readonly sort_key: readonly (readonly number[])[];
}

interface RecordsRequest {
  readonly kind: Kind;
  /** Ids, with or without prefix, and permalinks, separated by commas. */
  readonly ids: string;
  readonly fields?: string | null;
}

interface SearchRequest {
  readonly kind: Kind;
  /** As the caller wrote it; empty: every record. */
  readonly query: string;
  readonly order: Order;
  /** Records of a page, 0 (counts only) to MAX_LIMIT. */
  readonly limit: number;
  /** The cursor as the caller gave it; null or empty: the first page. */
  readonly after: string | null;
  /** Names of fields, as the caller gave them; absent, null or empty: those of the interface. */
  readonly fields?: string | null;
  /** Comments only: a query that their post matches; absent, null or empty: any post. */
  readonly under?: string | null;
  readonly since?: number;
  /** The records may be printed as text, in `printed` instead of `data`; absent: no. */
  readonly mayPrint?: boolean;
}

export type SearchResult = Awaited<ReturnType<SearchService['search']>>;

export interface PrintedPage extends PrintedRecords {
  /** Full details of each community; null: as printed. */
  readonly known: readonly (Community | null)[];
}

export interface SearchSettings {
  readonly impliedWindow: ImpliedWindow;
  readonly permalinkBase: string;
  readonly queryTimeoutMs: number;
}

type Found = Omit<NamedRecords, 'index'>;

export const MAX_LIMIT = 1000;
export const DEFAULT_LIMIT = 100;

export class SearchService {
  readonly #engine: SearchEngine;
  readonly #knowledge: KnowledgeSource;
  readonly #settings: SearchSettings;

  constructor(engine: SearchEngine, knowledge: KnowledgeSource, settings: SearchSettings) {
    this.#engine = engine;
    this.#knowledge = knowledge;
    this.#settings = settings;
  }

  /** A query as this archive understands it. Throws a ServiceError with its position. */
  interpret(text: string): Interpretation {
    return interpretQuery(text, this.#settings);
  }

  /** What is in the index, or why a kind cannot be read. Throws `query_timeout`. */
  stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    return withinBudget(this.#settings.queryTimeoutMs, async () => {
      await this.#engine.refresh();
      return await this.#engine.stats();
    });
  }

  /**
   * `printed`: the records as text, with `envelope.data` empty; null: they are in `envelope.data`. `implied`: the
   * filter that the implied window added, as in the echo; null if it added none. `dropped`: parts of the query, then of
   * `under`, that are not searched for. `isShort`: the page ended before `limit` records because of MAX_PAGE_BYTES.
   *
   * Throws a ServiceError if query, cursor or fields are invalid, or the time budget ran out.
   */
  async search(request: SearchRequest, signal?: AbortSignal) {
    const { query, echo, implied, dropped } = this.interpret(request.query);
    const under = readUnder(request.under ?? null);
    const { order, limit } = request;
    // Read even if no record is wanted, so that a bad one is never ignored.
    const position = readCursor(request.after, order);
    const page = limit === 0 ? null : pageRequest(order, position, { limit, maxBytes: MAX_PAGE_BYTES });
    const fields = readFields(request.fields ?? null, request.kind);
    await this.#engine.refresh();
    const { queryTimeoutMs: timeoutMs, permalinkBase } = this.#settings;
    const print = request.mayPrint === true && page !== null;
    const ask = () =>
      this.#engine.ask(
        {
          ...{ kind: request.kind, query, timeoutMs, evidence: true, arrived: needsArrived(fields) },
          ...(print && { print: { fields, permalinkBase } }),
          ...(page === null ? {} : { page }),
          ...(under === null ? {} : { under: under.query }),
          ...sinceOf(request),
        },
        signal,
      );
    const answer = await tellingLimits(request.query, ask, request.under ?? '');
    const { next, hasMore, isShort } = answer.page ?? EMPTY_PAGE;
    const envelope: Envelope = {
      ...{ type: request.kind, total_count: answer.total },
      data: answer.page?.records.length
        ? this.chosen(request.kind, { ...answer, ...answer.page }, fields)
        : [],
      query: echo,
      ...(under === null ? {} : { under: under.echo }),
      sort_key: next === null ? [] : [[cursorOf(next)]],
    };
    return {
      ...{ envelope, implied, arrival: answer.arrival, hasMore, isShort },
      printed: answer.printed === undefined ? null : this.#printed(answer.printed),
      dropped: [...dropped, ...(under?.dropped ?? [])],
    };
  }

  /** Throws `bad_ids`, `too_many_ids`, `records_too_large`, `bad_fields`, and as the engine does. */
  async records(request: RecordsRequest, signal?: AbortSignal) {
    const { kind } = request;
    const { permalinkBase, queryTimeoutMs: timeoutMs } = this.#settings;
    const asked = readAskedNames(request.ids, kind, permalinkBase);
    const fields = readFields(request.fields ?? null, kind);
    const ids = asked.flatMap(({ id }) => id ?? []);
    await this.#engine.refresh();
    const wanted = { kind, ids, timeoutMs, maxBytes: MAX_NAMED_BYTES };
    const told = { evidence: true, arrived: needsArrived(fields) };
    const found = await tellingLimits('', () => this.#engine.records({ ...wanted, ...told }, signal));
    const here = new Set(found.records.map(({ id }) => id));
    return {
      ...({ type: 'records', kind: KIND_NAMES[kind], query: null, index: found.index } as const),
      data: this.chosen(kind, found, fields),
      missing: asked.filter(({ id }) => id === null || !here.has(id)).map(({ typed }) => typed),
    };
  }

  /**
   * What prevents searching a kind; null: nothing. Starts the search threads if needed, and rejects if they cannot be
   * started.
   */
  async readiness(): Promise<Readonly<Record<Kind, IndexDamage | null>>> {
    await this.#engine.warm().catch((cause: unknown) => {
      if (cause instanceof EngineUnavailable) throw cause;
      throw new ServiceError('busy', 'the search threads do not start', { cause });
    });
    await this.#engine.refresh();
    return this.#engine.damages();
  }

  /** The records on the page of a response about this kind, with evidence, as the API gives them, in the same order. */
  present<K extends Kind>(kind: K, { page = EMPTY_PAGE, evidence = new Map() }: OneAnswer): RecordOf<K>[] {
    return this.#whole(kind, { records: page.records, evidence });
  }

  #printed(printed: PrintedRecords): PrintedPage {
    const { communities } = printed;
    const knowledge = this.#knowledge.knowledgeOf(communities.map(({ name }) => name));
    const known = communities.map((community) => {
      const said = knowledge.get(community.name);
      if (said === undefined) return null;
      const whole = withKnowledge(community, said);
      return whole.id === community.id && whole.nsfw === community.nsfw ? null : whole;
    });
    return { ...printed, known };
  }

  #whole<K extends Kind>(kind: K, { records, evidence = new Map() }: Found): RecordOf<K>[] {
    const knowledge = this.#knowledge.knowledgeOf([...namesOf(records)]);
    const { permalinkBase } = this.#settings;
    return presentRecords(records, { evidence, knowledge, permalinkBase }).map((record) => {
      if (isOfKind(record, kind)) return record;
      throw new Error(`expected a ${kind}, found the ${record.type} ${record.id}`);
    });
  }

  chosen(kind: Kind, found: Found, fields: readonly string[] | null): Envelope['data'] {
    const whole = this.#whole(kind, found);
    if (fields === null) return whole;
    const { records, arrived } = found;
    return whole.map((record, i) => chooseFields(record, records[i]!, fields, arrived?.[i] ?? null));
  }
}

const LIMITS: readonly ProblemCode[] = ['query_timeout', 'busy'];

/** null if this request alone fails: it reached a limit, or its kind is damaged. */
export async function orGiveUp<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const isTime = error instanceof ServiceError && LIMITS.includes(error.code);
    if (isTime || error instanceof EngineLimit || error instanceof IndexDamage) return null;
    throw error;
  }
}

/** The damage instead of the result if the kind cannot be read. Rejects for all other errors. */
export async function orDamage<T>(answer: Promise<T>): Promise<T | IndexDamage> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof IndexDamage) return error;
    throw error;
  }
}

/** Unix seconds of the first and last record of either kind. */
export interface TimeRange {
  readonly first: number;
  readonly last: number;
}

const EVERYTHING: Query = { items: [] };

/** Milliseconds that a page waits for a range, and a range for the engine. */
const PATIENCE_MS = 1_000;

export class TimeRanges {
  readonly #engine: SearchEngine;
  #known: Promise<TimeRange | null> = Promise.resolve(null);
  /** State of the index to which the range belongs. */
  #state: string | null = null;

  constructor(engine: SearchEngine) {
    this.#engine = engine;
  }

  /** null if there are no records, none can be read, or not in time: pages are complete without it. */
  async current(): Promise<TimeRange | null> {
    const cut = new AbortController();
    const late = delay(PATIENCE_MS, null, { signal: cut.signal }).catch(() => null);
    const known = await Promise.race([this.#now().catch(() => null), late]);
    cut.abort();
    return known;
  }

  async #now(): Promise<TimeRange | null> {
    const state = await stateOf(this.#engine);
    if (state !== this.#state) {
      const known = rangeOf(this.#engine, PATIENCE_MS);
      [this.#state, this.#known] = [state, known];
      // Empty or unreachable a moment ago: the next page asks again.
      void known.then((range) => {
        if (range === null && this.#known === known) this.#state = null;
      });
    }
    return await this.#known;
  }
}

/** Of the kinds that can be read. */
async function rangeOf(engine: SearchEngine, timeoutMs: number): Promise<TimeRange | null> {
  const ends = (['oldest', 'newest'] as const).flatMap((order) =>
    KINDS.map(async (kind) => {
      const page = pageRequest(order, null, { limit: 1, maxBytes: MAX_SHOWN_BYTES });
      const answer = await engine.ask({ kind, query: EVERYTHING, page, timeoutMs });
      return answer.page!.records[0]?.created ?? [];
    }),
  );
  const found = await Promise.allSettled(ends);
  const times = found.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
  return times.length === 0 ? null : { first: Math.min(...times), last: Math.max(...times) };
}

/** Most buckets of a word-sized drawing. */
const FEW_BUCKETS = 30;

/** Approximate length of a bucket, in days. */
const STEPS = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['quarter', 90],
] as const;

/** A few buckets over the range that a query can match; none if it can match nothing. */
export function fewBuckets(query: Query, { first, last }: TimeRange): Buckets {
  const { from, to } = conditionsOf(query);
  const range = { first: Math.max(first, from), last: Math.min(last, to - 1) };
  const days = (range.last - range.first) / DAY;
  const step = STEPS.find(([, length]) => days / length < FEW_BUCKETS - 1)?.[0] ?? 'year';
  return timelineBuckets(range, range, step);
}

/** The midnight (UTC) at which the last `years` years of a range begin; null if the range is no longer. */
export function startOfLast(years: number, { first, last }: TimeRange): number | null {
  const end = new Date((Math.floor(last / DAY) + 1) * DAY * 1000);
  const start = Date.UTC(end.getUTCFullYear() - years, end.getUTCMonth(), end.getUTCDate()) / 1000;
  return start > first ? start : null;
}

/** State of the index at the last `refresh`: it changes whenever other records can be found. */
export async function stateOf(engine: SearchEngine): Promise<string> {
  const { post, comment } = await engine.fingerprints();
  return [post, comment].map((one) => (one instanceof IndexDamage ? '-' : one.fingerprint)).join(' ');
}
