// The reference engine: a linear scan over records held in memory, written through to disk. It is the specification
// of what an engine answers: every other engine must agree with it, on every corpus and every query.

import { StorageError } from '../../src/errors.ts';
import { type CopyRules, mergeCopies } from '../../src/model/copies.ts';
import type { Coverage, CoverageRequest } from '../../src/model/coverage.ts';
import { MoveCount } from '../../src/model/day-table.ts';
import {
  type Answer,
  type Answers,
  type AskOptions,
  type Checkpoint,
  type IndexReport,
  type KindStats,
  type LastArrival,
  namesOf,
  namesOn,
  type OneAnswer,
  type OneOfMany,
  type PurgeReport,
  type Question,
  type SearchEngine,
} from '../../src/model/engine.ts';
import {
  EngineLimit,
  EngineUnavailable,
  eachOf,
  IndexDamage,
  inUnder,
  untilAborted,
} from '../../src/model/engine-errors.ts';
import { kindOfAll } from '../../src/model/engine-module.ts';
import type { ExportRequest, ExportRun } from '../../src/model/export.ts';
import type { IndexFingerprint } from '../../src/model/hash.ts';
import { comparator, countedBytes, isNews, type Order } from '../../src/model/pages.ts';
import { conditionsOf, MAX_POSTS_UNDER, type Query } from '../../src/model/query.ts';
import { KINDS, type Kind, type RecordBatch, type StoredRecord } from '../../src/model/record.ts';
import type { NamedRecords, NamedRequest } from '../../src/model/record-link.ts';
import {
  type Hidden,
  hiddenOf,
  KEPT_AFTER_HIDING,
  type MovedRecords,
  NO_REMOVALS,
  type RemovalList,
} from '../../src/model/removals.ts';
import { type ArrivalTime, toldTime, UNCOUNTED } from '../../src/model/time.ts';
import { recordsOf } from '../../src/packing/packed-records.ts';
import { pageOf, threadOf, timelinesOf } from './answer.ts';
import { breakdownOf, comparedOf, evidenceOf } from './breakdown.ts';
import { coverageOf, fingerprintOf, statsOf } from './coverage.ts';
import { openExport } from './export.ts';
import { type Commit, Journal } from './journal.ts';
import { applyCommit, emptyState, type KindState, newsOf } from './kind-state.ts';
import { matchingOf, tooLate, wordsOf } from './matching.ts';

const SCAN_BATCH = 1000;

interface ReferenceOptions {
  readonly rules: CopyRules;
  /** Default: nothing is refused. */
  readonly removals?: RemovalList;
}

/** Opens the index in this folder, made where there is none. */
export async function openReferenceEngine(folder: string, options: ReferenceOptions): Promise<SearchEngine> {
  const journals = {
    post: await Journal.open(folder, 'post'),
    comment: await Journal.open(folder, 'comment'),
  };
  const engine = new ReferenceEngine(journals, options);
  await engine.refresh();
  return engine;
}

class ReferenceEngine implements SearchEngine {
  readonly #journals: Record<Kind, Journal>;
  readonly #damages: Record<Kind, IndexDamage | null> = { post: null, comment: null };
  readonly #rules: CopyRules;
  readonly #removals: RemovalList;
  readonly #state: Record<Kind, KindState> = {
    post: emptyState(),
    comment: emptyState(),
  };
  /** Reads and writes of the journals, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(journals: Record<Kind, Journal>, { rules, removals = NO_REMOVALS }: ReferenceOptions) {
    this.#journals = journals;
    this.#rules = rules;
    this.#removals = removals;
  }

  index(
    kind: Kind,
    batch: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport> {
    return this.#inTurn(async () => {
      await this.#beginWrite(kind);
      const current = this.#state[kind].records;
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
      const report = {
        added,
        replaced: put.size - added,
        unchanged: kept.length - put.size,
        removed: records.length - kept.length,
      };
      if (put.size > 0 || checkpoint !== undefined) {
        const given = [...new Set((times ?? []).filter((one) => one !== null))].sort((a, b) => a - b);
        const arrivals = { news: Object.fromEntries(news), given, time };
        const commit = { kind, put: [...put.values()], arrived: arrivals };
        await this.#commit({ ...commit, ...(checkpoint && { checkpoint }) });
      }
      return report;
    });
  }

  hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords> {
    return this.#inTurn(async () => {
      await this.#readWhole(kind);
      const { records, hidden } = this.#state[kind];
      const live = [...records.values()];
      const isMeant = hiddenOf(live, what);
      const meant = live.filter((_, i) => isMeant[i]);
      const ids = meant.map(({ id }) => id);
      const copies = hiddenOf(
        hidden.map(({ record }) => record),
        what,
      ).flatMap((isMeantToo, i) => (isMeantToo ? [i] : []));
      await this.#commit({ kind, hide: { removal, time: unixNow(), ids, copies } });
      return countOf(meant);
    });
  }

  restore(removal: number, kinds: readonly Kind[] = KINDS): Promise<MovedRecords> {
    return this.#inTurn(async () => {
      const back: StoredRecord[] = [];
      await eachOf(kinds, async (kind) => {
        await this.#readWhole(kind);
        const before = new Set(this.#state[kind].records.values());
        await this.#commit({ kind, restore: removal });
        for (const record of this.#state[kind].records.values()) if (!before.has(record)) back.push(record);
      });
      return countOf(back);
    });
  }

  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    const damage = this.#damages[kind];
    const records = this.#state[kind].hidden.map(({ record }) => record);
    return (async function* () {
      if (damage !== null) throw damage;
      for (let at = 0; at < records.length; at += SCAN_BATCH) yield records.slice(at, at + SCAN_BATCH);
    })();
  }

  async present(kind: Kind, ids: readonly string[]): Promise<number> {
    this.#expectWhole(kind);
    return [...new Set(ids)].filter((id) => this.#state[kind].records.has(id)).length;
  }

  async hiddenCount(kinds: readonly Kind[] = KINDS): Promise<number> {
    for (const kind of kinds) this.#expectWhole(kind);
    return kinds.reduce((sum, kind) => sum + this.#state[kind].hidden.length, 0);
  }

  /** The journal, a line a commit, goes on holding the text: it is no index that serves. */
  purge(kinds: readonly Kind[] = KINDS): Promise<PurgeReport> {
    return this.#inTurn(async () => {
      await eachOf(kinds, (kind) => this.#erase(kind, unixNow()));
      return { erased: 'now' };
    });
  }

  maintain(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#readNews();
      const whole = KINDS.filter((kind) => this.#damages[kind] === null);
      await eachOf(whole, (kind) => this.#erase(kind, unixNow() - KEPT_AFTER_HIDING));
    });
  }

  refresh(): Promise<void> {
    return this.#inTurn(() => this.#readNews());
  }

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
    this.#expectWhole(kind);
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
        ...(question.evidence && { evidence: evidenceOf(this.#readable(), namesOn(page)) }),
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
    this.#expectWhole(kind);
    if (timeoutMs <= 0) throw tooLate(timeoutMs);
    const records = [...new Set(ids)].flatMap((id) => this.#state[kind].records.get(id) ?? []);
    const bytes = records.reduce((sum, record) => sum + countedBytes(record), 0);
    if (maxBytes !== undefined && bytes > maxBytes) throw new EngineLimit({ limit: 'named_bytes', maxBytes });
    return {
      records,
      ...(evidence && { evidence: evidenceOf(this.#readable(), namesOf(records)) }),
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
    this.#expectWhole('post');
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
    const damage = this.#damages[kind];
    const records = [...this.#state[kind].records.values()];
    return (async function* () {
      signal?.throwIfAborted();
      if (damage !== null) throw damage;
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
    this.#expectWhole(kind);
    const matching = this.#matching({ kind, query, since, ...(under && { under }) });
    const arrival = this.#arrival(kind);
    const telling = request.arrived === true ? this.#telling(kind) : null;
    const whole = this.#readable();
    const view = { evidence: async (names: Iterable<string>) => evidenceOf(whole, new Set(names)) };
    const look = async () => {
      if (this.#closed !== undefined) throw new EngineUnavailable('the index was closed');
      await this.#inTurn(() => this.#readWhole(kind));
      return (id: string) => this.#state[kind].records.has(id);
    };
    const fingerprints = await this.fingerprints();
    return await openExport({ request, matching, arrival, view, look, fingerprints, telling }, signal);
  }

  async isEmpty(): Promise<boolean> {
    return KINDS.every((kind) => this.#damages[kind] === null && this.#state[kind].records.size === 0);
  }

  async checkpoint(kind: Kind, source: string): Promise<string | null> {
    this.#expectWhole(kind);
    return this.#state[kind].checkpoints.get(source) ?? null;
  }

  async checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>> {
    this.#expectWhole(kind);
    return new Map(this.#state[kind].checkpoints);
  }

  async stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    return { post: this.#kindStats('post'), comment: this.#kindStats('comment') };
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    const of = (kind: Kind) => this.#damages[kind] ?? this.#fingerprint(kind);
    return { post: of('post'), comment: of('comment') };
  }

  async lastArrivals(): Promise<Record<Kind, LastArrival | IndexDamage>> {
    const of = (kind: Kind) => this.#damages[kind] ?? this.#arrival(kind);
    return { post: of('post'), comment: of('comment') };
  }

  coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage> {
    return untilAborted(signal, async () => {
      const { kind } = request;
      this.#expectWhole(kind);
      const index = this.#fingerprint(kind);
      // uncovered: what is whole has a fingerprint; the type allows otherwise
      if (index instanceof IndexDamage) throw index;
      return { index, ...coverageOf([...this.#state[kind].records.values()], request) };
    });
  }

  async damages(): Promise<Record<Kind, IndexDamage | null>> {
    return { ...this.#damages };
  }

  async warm(): Promise<void> {}

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#inTurn(async () => {
      for (const journal of Object.values(this.#journals)) await journal[Symbol.asyncDispose]();
    });
    return this.#closed;
  }

  #fingerprint(kind: Kind): IndexFingerprint {
    return fingerprintOf(this.#state[kind]);
  }

  #kindStats(kind: Kind): KindStats | IndexDamage {
    return this.#damages[kind] ?? statsOf(this.#state[kind], this.#journals[kind].bytes);
  }

  async #beginWrite(kind: Kind): Promise<void> {
    for (const journal of Object.values(this.#journals)) journal.lock();
    await this.#readWhole(kind);
    await this.#journals[kind].trim();
  }

  async #erase(kind: Kind, until: number): Promise<void> {
    await this.#readWhole(kind);
    await this.#commit({ kind, erase: until });
  }

  async #commit(commit: Commit): Promise<void> {
    await this.#journals[commit.kind].append(commit);
    await this.#readNews();
  }

  async #readNews(): Promise<void> {
    for (const kind of KINDS) {
      try {
        for await (const commit of this.#journals[kind].news())
          applyCommit(this.#state[kind], commit, this.#rules);
        this.#damages[kind] = null;
      } catch (error) {
        // uncovered: a fault of ours: damage is noted
        if (!(error instanceof StorageError)) throw error;
        this.#damages[kind] = new IndexDamage(kind, error.message, { cause: error });
      }
    }
  }

  async #readWhole(kind: Kind): Promise<void> {
    await this.#readNews();
    this.#expectWhole(kind);
  }

  /** Records of the kinds that can be read. */
  #readable(): StoredRecord[] {
    const whole = KINDS.filter((kind) => this.#damages[kind] === null);
    return whole.flatMap((kind) => [...this.#state[kind].records.values()]);
  }

  #expectWhole(kind: Kind): void {
    const damage = this.#damages[kind];
    if (damage !== null) throw damage;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
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
