// The reference engine: a linear scan over records in memory. It is the specification of what an engine answers: every
// other engine must agree with it, on every corpus and every query.

import { recordsOf } from '../../src/engines/packing/packed-records.ts';
import { MoveCount } from '../../src/engines/shared/day-table.ts';
import { type CopyRules, mergeCopies } from '../../src/model/copies.ts';
import type { Coverage, CoverageRequest } from '../../src/model/coverage.ts';
import {
  type Answer,
  type Answers,
  type AskOptions,
  type Checkpoint,
  type IndexReport,
  type KindStats,
  kindOfAll,
  type LastArrival,
  type NamedRecords,
  type NamedRequest,
  namesOf,
  namesOn,
  type OneAnswer,
  type OneOfMany,
  type PurgeReport,
  type Question,
  type SearchEngine,
} from '../../src/model/engine.ts';
import { EngineLimit, EngineUnavailable, inUnder, untilAborted } from '../../src/model/engine-errors.ts';
import type { ExportRequest, ExportRun } from '../../src/model/export.ts';
import type { IndexFingerprint } from '../../src/model/hash.ts';
import { countedBytes, isNews, type Order } from '../../src/model/pages.ts';
import { conditionsOf, MAX_POSTS_UNDER, type Query } from '../../src/model/query.ts';
import { KINDS, type Kind, type RecordBatch, type StoredRecord } from '../../src/model/record.ts';
import {
  type Hidden,
  hiddenOf,
  KEPT_AFTER_HIDING,
  type MovedRecords,
  NO_REMOVALS,
  type RemovalList,
} from '../../src/model/removals.ts';
import { type ArrivalTime, toldTime, UNCOUNTED } from '../../src/model/time.ts';
import { pageOf, threadOf, timelinesOf } from './answer.ts';
import { breakdownOf, comparedOf, evidenceOf } from './breakdown.ts';
import { coverageOf, fingerprintOf, statsOf } from './coverage.ts';
import { openExport } from './export.ts';
import { emptyState, hideIn, type KindState, newsOf, restoreIn } from './kind-state.ts';
import { matchingOf, tooLate, wordsOf } from './matching.ts';
import { comparator } from './order.ts';

const SCAN_BATCH = 1000;

interface ReferenceOptions {
  readonly rules: CopyRules;
  /** Default: nothing is refused. */
  readonly removals?: RemovalList;
}

type State = Readonly<Record<Kind, KindState>>;

/** What is at each place, for all engines that are opened there. */
const places = new Map<string, State>();

/** Opens the index of this place, made where there is none. It lasts as long as the process. */
export async function openReferenceEngine(place: string, options: ReferenceOptions): Promise<SearchEngine> {
  const state = places.get(place) ?? { post: emptyState(), comment: emptyState() };
  places.set(place, state);
  return new ReferenceEngine(state, options);
}

class ReferenceEngine implements SearchEngine {
  readonly #state: State;
  readonly #rules: CopyRules;
  readonly #removals: RemovalList;
  #isClosed = false;

  constructor(state: State, { rules, removals = NO_REMOVALS }: ReferenceOptions) {
    this.#state = state;
    this.#rules = rules;
    this.#removals = removals;
  }

  async index(
    kind: Kind,
    batch: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport> {
    const { records: current, arrivals, checkpoints } = this.#state[kind];
    const records = recordsOf(kind, batch);
    const refused = this.#removals.refused(records);
    const kept = records.filter((_, i) => !refused[i]);
    const time = unixNow();
    const times = arrived?.filter((_, i) => !refused[i]);
    const put = new Map<string, StoredRecord>();
    const news = new Map<string, ArrivalTime>();
    for (const [i, record] of kept.entries()) {
      const known = put.get(record.id) ?? current.get(record.id);
      const merged = known === undefined ? record : mergeCopies(known, record, this.#rules);
      if (merged === known) continue;
      put.set(record.id, merged);
      if (known === undefined || isNews(known, merged))
        news.set(record.id, times === undefined ? time : times[i]!);
    }
    const added = [...put.keys()].filter((id) => !current.has(id)).length;
    for (const [id, record] of put) current.set(id, record);
    const given = [...new Set((times ?? []).filter((one) => one !== null))].sort((a, b) => a - b);
    if (put.size > 0) arrivals.add(news, given, time);
    if (checkpoint?.state === null) checkpoints.delete(checkpoint.source);
    else if (checkpoint !== undefined) checkpoints.set(checkpoint.source, checkpoint.state);
    return {
      added,
      replaced: put.size - added,
      unchanged: kept.length - put.size,
      removed: records.length - kept.length,
    };
  }

  async hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords> {
    const { records, hidden } = this.#state[kind];
    const live = [...records.values()];
    const isMeant = hiddenOf(live, what);
    const meant = live.filter((_, i) => isMeant[i]);
    const copies = hidden.map(({ record }) => record);
    const isMeantToo = hiddenOf(copies, what);
    hideIn(this.#state[kind], removal, {
      ids: meant.map(({ id }) => id),
      again: new Set(hidden.filter((_, i) => isMeantToo[i])),
      time: unixNow(),
    });
    return countOf(meant);
  }

  async restore(removal: number, kinds: readonly Kind[] = KINDS): Promise<MovedRecords> {
    const back = kinds.flatMap((kind) => {
      const before = new Set(this.#state[kind].records.values());
      restoreIn(this.#state[kind], removal, this.#rules);
      return [...this.#state[kind].records.values()].filter((record) => !before.has(record));
    });
    return countOf(back);
  }

  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    const records = this.#state[kind].hidden.map(({ record }) => record);
    return (async function* () {
      for (let at = 0; at < records.length; at += SCAN_BATCH) yield records.slice(at, at + SCAN_BATCH);
    })();
  }

  async hiddenCount(kinds: readonly Kind[] = KINDS): Promise<number> {
    return kinds.reduce((sum, kind) => sum + this.#state[kind].hidden.length, 0);
  }

  async lastRemoval(kind: Kind): Promise<number> {
    return Math.max(0, ...this.#state[kind].hidden.flatMap(({ by }) => [...by.keys()]));
  }

  async purge(kinds: readonly Kind[] = KINDS): Promise<PurgeReport> {
    for (const kind of kinds) this.#erase(kind, unixNow());
    return { erased: 'now' };
  }

  async maintain(): Promise<void> {
    for (const kind of KINDS) this.#erase(kind, unixNow() - KEPT_AFTER_HIDING);
  }

  /** All engines of a place see what is there. */
  async refresh(): Promise<void> {}

  ask({ timeoutMs = Infinity, ...question }: Question, signal?: AbortSignal): Promise<Answer> {
    return untilAborted(signal, async () => ({
      ...this.#answers([question], timeoutMs)[0]!,
      arrival: this.#arrival(question.kind),
    }));
  }

  askAll(
    questions: readonly OneOfMany[],
    { timeoutMs = Infinity }: AskOptions = {},
    signal?: AbortSignal,
  ): Promise<Answers> {
    return untilAborted(signal, async () => {
      const [answers, kind] = [this.#answers(questions, timeoutMs), kindOfAll(questions)];
      return { answers, index: this.#fingerprint(kind), arrival: this.#arrival(kind) };
    });
  }

  #answers(questions: readonly OneOfMany[], timeoutMs: number): OneAnswer[] {
    const kind = kindOfAll(questions);
    const end = performance.now() + timeoutMs;
    const found = questions.map(({ of, ...question }) => {
      const also = (query: Query) =>
        this.#matching({ ...question, query, timeoutMs: Math.max(0, end - performance.now()) });
      const matching = also(question.query);
      return {
        ...{ question, conditions: conditionsOf(question.query), matching },
        ...{ of: (of && also(of)) ?? null, others: question.compared?.with.map(also) },
      };
    });
    const timelines = timelinesOf(
      found.flatMap(({ question: { timeline: request }, ...parts }) =>
        request ? { ...parts, request } : [],
      ),
    );
    return found.map(({ question, matching, of, others }): OneAnswer => {
      const threaded = question.thread && threadOf(matching, question.thread);
      const page = threaded?.page ?? (question.page && pageOf(matching, question.page));
      return {
        total: matching.length,
        ...(of && { ofTotal: of.length }),
        ...(page && { page }),
        ...(threaded && { thread: threaded.thread }),
        ...(question.breakdowns && {
          breakdowns: question.breakdowns.map((request) => breakdownOf(matching, of, request)),
        }),
        ...(question.timeline && { timeline: timelines.shift()! }),
        ...(question.words && { words: wordsOf(matching, of, question.words) }),
        ...(others && { compared: comparedOf([matching, ...others], question.compared!) }),
        ...(question.evidence && { evidence: evidenceOf(this.#all(), namesOn(page)) }),
        ...(question.arrived && { arrived: (page?.records ?? []).map(this.#telling(kind)) }),
        ...(question.news && {
          news: newsOf(matching, this.#state[kind].arrivals, question.news, unixNow()),
        }),
      };
    });
  }

  records(request: NamedRequest, signal?: AbortSignal): Promise<NamedRecords> {
    return untilAborted(signal, async () => this.#named(request));
  }

  #named({ kind, ids, evidence, arrived, maxBytes, timeoutMs = Infinity }: NamedRequest): NamedRecords {
    if (timeoutMs <= 0) throw tooLate(timeoutMs);
    const records = [...new Set(ids)].flatMap((id) => this.#state[kind].records.get(id) ?? []);
    const bytes = records.reduce((sum, record) => sum + countedBytes(record), 0);
    if (maxBytes !== undefined && bytes > maxBytes) throw new EngineLimit({ limit: 'named_bytes', maxBytes });
    return {
      records,
      ...(evidence && { evidence: evidenceOf(this.#all(), namesOf(records)) }),
      ...(arrived && { arrived: records.map(this.#telling(kind)) }),
      index: this.#fingerprint(kind),
    };
  }

  #matching({ kind, query, under, since = 0, timeoutMs = Infinity }: Question): StoredRecord[] {
    const posts = under && this.#postsUnder(under, timeoutMs);
    const isUnder = (record: StoredRecord) =>
      posts === undefined || (record.kind === 'comment' && posts.has(record.post));
    const records = [...this.#state[kind].records.values()];
    const { arrivals } = this.#state[kind];
    const isNew = ({ id }: StoredRecord) => arrivals.of(id) > since;
    return matchingOf(records, conditionsOf(query), timeoutMs).filter(isUnder).filter(isNew);
  }

  /** Tells when records came in, all as at this second. */
  #telling(kind: Kind): (record: StoredRecord) => ArrivalTime {
    const { arrivals } = this.#state[kind];
    const numbers = new Map(arrivals.numbers);
    const now = unixNow();
    return ({ id }) => {
      const time = arrivals.timeOf(numbers.get(id) ?? UNCOUNTED);
      return time === null ? null : toldTime(time, now);
    };
  }

  #arrival(kind: Kind): LastArrival {
    const { arrivals, records } = this.#state[kind];
    return arrivals.last === UNCOUNTED && records.size === 0 ? 0 : arrivals.last;
  }

  /** Ids of the posts that match. */
  #postsUnder(under: Query, timeoutMs: number): ReadonlySet<string> {
    try {
      const matching = matchingOf([...this.#state.post.records.values()], conditionsOf(under), timeoutMs);
      const posts = matching.length;
      if (posts > MAX_POSTS_UNDER) throw new EngineLimit({ limit: 'posts_under', posts });
      return new Set(matching.map(({ id }) => id));
    } catch (error) {
      throw inUnder(error);
    }
  }

  scan(kind: Kind, query: Query, order: Order, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    const records = [...this.#state[kind].records.values()];
    return (async function* () {
      signal?.throwIfAborted();
      const matching = matchingOf(records, conditionsOf(query), Infinity).sort(comparator(order));
      for (let at = 0; at < matching.length; at += SCAN_BATCH) {
        signal?.throwIfAborted();
        yield matching.slice(at, at + SCAN_BATCH);
      }
    })();
  }

  async export(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    signal?.throwIfAborted();
    const { kind, query, under, since = 0 } = request;
    const matching = this.#matching({ kind, query, since, ...(under && { under }) });
    const arrival = this.#arrival(kind);
    const telling = request.arrived === true ? this.#telling(kind) : null;
    const all = this.#all();
    const view = { evidence: async (names: Iterable<string>) => evidenceOf(all, new Set(names)) };
    const look = async () => {
      if (this.#isClosed) throw new EngineUnavailable('the index was closed');
      return (id: string) => this.#state[kind].records.has(id);
    };
    const fingerprints = await this.fingerprints();
    return await openExport({ request, matching, arrival, view, look, fingerprints, telling }, signal);
  }

  async isEmpty(): Promise<boolean> {
    return KINDS.every((kind) => this.#state[kind].records.size === 0);
  }

  async checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>> {
    return new Map(this.#state[kind].checkpoints);
  }

  async stats(): Promise<Record<Kind, KindStats>> {
    return { post: statsOf(this.#state.post), comment: statsOf(this.#state.comment) };
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint>> {
    return { post: this.#fingerprint('post'), comment: this.#fingerprint('comment') };
  }

  async lastArrivals(): Promise<Record<Kind, LastArrival>> {
    return { post: this.#arrival('post'), comment: this.#arrival('comment') };
  }

  coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage> {
    return untilAborted(signal, async () => {
      const { kind } = request;
      return {
        index: this.#fingerprint(kind),
        ...coverageOf([...this.#state[kind].records.values()], request),
      };
    });
  }

  async damages(): Promise<Record<Kind, null>> {
    return { post: null, comment: null };
  }

  async warm(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
  }

  #fingerprint(kind: Kind): IndexFingerprint {
    return fingerprintOf(this.#state[kind]);
  }

  /** `until`: Unix seconds of hiding. */
  #erase(kind: Kind, until: number): void {
    this.#state[kind].hidden = this.#state[kind].hidden.filter(({ time }) => time > until);
  }

  #all(): StoredRecord[] {
    return KINDS.flatMap((kind) => [...this.#state[kind].records.values()]);
  }
}

function countOf(records: readonly StoredRecord[]): MovedRecords {
  const moved = new MoveCount();
  for (const { created } of records) moved.add(created);
  return moved.value();
}

function unixNow(): number {
  return Math.floor(Date.now() / 1000);
}
