// Answers questions from a view, in the thread that calls it: the whole answer from one set of matches. Long work
// is shared with idle threads, a segment at a time.

import type { WordsRequest } from '../../../model/analyses.ts';
import type { CommunityCoverage, CoverageStep } from '../../../model/coverage.ts';
import {
  asksCountAlone,
  isName,
  type NameField,
  namesOn,
  type OneAnswer,
  type OneOfMany,
  type Timeline,
} from '../../../model/engine.ts';
import type { Order } from '../../../model/pages.ts';
import type { Query } from '../../../model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../../model/record.ts';
import type { ArrivalTime } from '../../../model/time.ts';
import { breakdownOf } from '../counting/breakdown.ts';
import { countMatches, evidenceOf } from '../counting/column-counts.ts';
import { communitiesPer, timesOf } from '../counting/community-times.ts';
import { timelinesOf } from '../counting/timeline.ts';
import { comparedOf, countShared, shareParts } from '../counting/together.ts';
import { wordCountsOf } from '../counting/word-counts.ts';
import { NameTable } from '../index/names.ts';
import type { View } from '../index/view.ts';
import { Deadline } from '../matching/deadline.ts';
import {
  type Matching,
  matchQuery,
  QueryBinding,
  type SegmentMatches,
  totalOf,
} from '../matching/matching.ts';
import { beginQuestion, isReadingNew } from '../matching/plan.ts';
import { narrowedSince, Unders } from '../matching/under.ts';
import { nextRecords, WalkedRecords, walkMatches } from '../paging/match-walk.ts';
import { newsOf } from '../paging/news.ts';
import { type CountingMeans, samplePage, samplesOfAll } from '../paging/sample.ts';
import { arrivalsAt, NOWHERE, type PlacedPage, threadOf, timePage } from '../paging/time-walk.ts';
import { topPage } from '../paging/top-page.ts';
import { WordPool } from '../sets/chunk.ts';
import { chooseKernels, giveBackKernels, type KernelChoice } from '../sets/kernels.ts';
import { MAX_PARTS, type PeerThreads, SharedParts, type Task } from './sharing.ts';

const SCAN_BATCH = 1000;

/** Questions with a higher estimate are shared; shorter ones gained nothing (bench/sharing.ts). */
const SHARE_FROM_MS = 6;

interface Asked {
  readonly view: View;
  readonly other: View | null;
  /** null: the question asks nothing of posts. */
  readonly unders: Unders;
  readonly deadline: Deadline;
}

interface Found {
  readonly question: OneOfMany;
  readonly matching: Matching;
  /** The matches of the question's `of`; null: it has none. */
  readonly of: Matching | null;
  /** The matches of the question's `compared`, its own first; null: it has none. */
  readonly compared: readonly Matching[] | null;
}

/** Whether the question asks for more than a total and a page by time. */
function looksAtAll({ page, breakdowns, timeline, thread, words, of, compared, news }: OneOfMany): boolean {
  const isOfTime = page === undefined || page.order === 'newest' || page.order === 'oldest';
  return !isOfTime || [breakdowns, timeline, thread, words, of, compared, news].some(Boolean);
}

/** Unix seconds of these commits, by number; unknown ones are absent. */
export type TimesOf = (kind: Kind, arrivals: readonly number[]) => ReadonlyMap<number, number>;

export class Searcher {
  readonly #pool: WordPool;
  readonly #scratch: WordPool;
  /** Lends memory for all questions that are asked together. */
  readonly #lists: WordPool;
  readonly #tables = new Map<string, NameTable>(
    KINDS.flatMap((kind) => [
      [`${kind} community`, new NameTable('community')] as const,
      [`${kind} domain`, new NameTable('domain')] as const,
    ]),
  );
  /** null: this thread has no peers. */
  readonly #peers: PeerThreads | null;
  readonly #shareFromMs: number;
  readonly #timesOf: TimesOf;
  /** One for each part of a question; the first is kept between questions. */
  readonly #memories = new Set<SharedArrayBuffer>();
  readonly #lent = new Set<SharedArrayBuffer>();
  /** How many questions were shared. */
  #questions = 0;

  constructor(
    peers: PeerThreads | null = null,
    shareFromMs = SHARE_FROM_MS,
    timesOf: TimesOf = () => new Map(),
    kernels: KernelChoice = 'webassembly',
  ) {
    const chosen = chooseKernels(kernels);
    this.#pool = new WordPool(chosen);
    this.#scratch = new WordPool(chosen);
    this.#lists = new WordPool(chosen);
    this.#peers = peers;
    this.#shareFromMs = shareFromMs;
    this.#timesOf = timesOf;
  }

  /**
   * `other`: the other kind, for evidence and `under`; null: unreadable, or not needed. Throws `query_timeout` or an
   * EngineLimit.
   */
  ask(view: View, question: OneOfMany, deadline: Deadline, other: View | null = null): OneAnswer {
    return this.askAll(view, [question], deadline, other)[0]!;
  }

  /** Answers in their order; timelines share their buckets. Throws as `ask` does. */
  askAll(
    view: View,
    questions: readonly OneOfMany[],
    deadline: Deadline,
    other: View | null = null,
  ): OneAnswer[] {
    beginQuestion();
    const counts = this.#counts(view, questions, deadline);
    if (counts !== null) return counts;
    const unders = new Unders(other, { free: this.#scratch, lists: this.#lists }, deadline);
    const asked: Asked = { view, other, unders, deadline };
    // Shared buckets are known only after all timelines; other questions free their memory one by one.
    const isTimed = questions.some(({ timeline }) => timeline !== undefined);
    const groups = isTimed ? [questions] : questions.map((question) => [question]);
    try {
      return groups.flatMap((group) => this.#answers(asked, group));
    } finally {
      this.#lists.releaseAll();
    }
  }

  /** Answers questions that ask for nothing but totals and have common parts; null: they are others. */
  #counts(view: View, questions: readonly OneOfMany[], deadline: Deadline): OneAnswer[] | null {
    if (questions.length < 2 || !questions.every(asksCountAlone)) return null;
    const shared = shareParts(questions.map(({ query }) => query));
    if (shared === null) return null;
    try {
      const pools = { pool: this.#pool, scratch: this.#scratch };
      return countShared(view, shared, pools, deadline).map((total) => ({ total }));
    } finally {
      this.#release();
    }
  }

  #answers(asked: Asked, questions: readonly OneOfMany[]): OneAnswer[] {
    try {
      const isAlone = questions.length === 1 && !questions[0]!.of && !questions[0]!.compared;
      const known = isAlone ? null : new Map<string, Matching>();
      const found = questions.map((question) => {
        const matching = this.#find(asked, question, known);
        // Breakdowns count only matches.
        const { breakdowns: _, ...counted } = question;
        const also = (query: Query) => this.#find(asked, { ...counted, query }, known);
        const of = question.of === undefined ? null : also(question.of);
        const compared = question.compared ? [matching, ...question.compared.with.map(also)] : null;
        return { question, matching, of, compared };
      });
      const timed = found.flatMap(({ question: { timeline: request }, ...parts }) =>
        request ? { ...parts, request } : [],
      );
      const timelines = timed.length === 0 ? [] : timelinesOf(timed, asked.deadline);
      return found.map((one) => this.#answer(asked, one, () => timelines.shift()!));
    } finally {
      this.#release();
    }
  }

  #answer(asked: Asked, { question, matching, of, compared }: Found, timeline: () => Timeline): OneAnswer {
    const { view, other, deadline } = asked;
    const means = {
      tableFor: (field: NameField) => this.#tableFor(view, field),
      ...{ scratch: this.#scratch, deadline },
    };
    const threaded = question.thread && threadOf(matching, question.thread, deadline);
    const placed = threaded ?? (question.page && pageOf(matching, question.page, means));
    const page = placed?.page;
    return {
      total: totalOf(matching),
      ...(of !== null && { ofTotal: totalOf(of) }),
      ...(page && { page }),
      ...(threaded && { thread: threaded.thread }),
      ...(question.breakdowns && {
        breakdowns: question.breakdowns.map((request) => breakdownOf(matching, of, request, means)),
      }),
      ...(question.timeline && { timeline: timeline() }),
      ...(question.words && { words: wordsOf(matching, of, question.words, means) }),
      ...(compared && { compared: comparedOf(view, compared, question.compared!, means) }),
      ...(question.evidence && {
        evidence: evidenceOf(other === null ? [view] : [view, other], namesOn(page)),
      }),
      ...(question.arrived && { arrived: this.#arrived(view, placed) }),
      ...(question.news && {
        news: newsOf(matching, question.news, (numbers) => this.#timesOf(view.kind, numbers), deadline),
      }),
    };
  }

  /**
   * Finds the matches of a question once for all questions with the same matches. `known` null: there are no others.
   */
  #find(
    { view, unders, deadline }: Asked,
    question: OneOfMany,
    known: Map<string, Matching> | null,
  ): Matching {
    const { query, under, since, breakdowns = [] } = question;
    const name = known === null ? '' : JSON.stringify([query, under, since]);
    const found = known?.get(name);
    if (found !== undefined) return found;
    const narrowing = narrowedSince(since, unders.narrowing(under));
    const matching = matchQuery(view, query, this.#pool, deadline, narrowing);
    if (isReadingNew()) {
      const isWhole = looksAtAll(question);
      for (const matches of matching.segments) matches.readAhead(isWhole);
      for (const field of breakdowns.map((request) => request.field).filter(isName)) {
        const table = this.#tableFor(view, field);
        for (const { segment } of matching.segments) table.readAhead(segment);
      }
    }
    // Only this thread finds the comments under posts.
    if (under === undefined) this.#findBeside(view, matching, question, deadline);
    else matching.check();
    known?.set(name, matching);
    return matching;
  }

  /** Works on segments of another thread's question that nobody has claimed, at most `most` of them. */
  help(view: View, task: Task, most = Infinity): void {
    if (view.version !== task.version) return;
    const deadline = new Deadline(task.limit);
    const viewSegments = task.segments.map((number) => view.segments[number]!);
    const parts = new SharedParts(
      task.memory,
      task.question,
      viewSegments.map(({ segment }) => segment),
      task.fields,
    );
    const binding = new QueryBinding(task.query, this.#pool, deadline, narrowedSince(task.since));
    for (let done = 0; done < most && this.#peers?.isWanted !== true; done++) {
      const number = parts.claim();
      if (number < 0) break;
      try {
        const matches = binding.matchesIn(viewSegments[number]!)!;
        this.#findAll(matches, task.fields);
        parts.put(number, matches);
      } catch {
        // uncovered: a fault of a helping thread alone, such as a disk that fails under it
        // The thread that was asked does it again, and meets the same error where it is not this thread's alone.
        parts.giveUp(number);
      }
    }
    this.#release();
  }

  /** The searcher must not be asked any more: the next engine of this thread uses its memory. */
  close(): void {
    giveBackKernels(this.#pool.kernels);
  }

  communityTimes(
    view: View,
    names: readonly string[],
    step: CoverageStep,
    deadline: Deadline,
  ): CommunityCoverage[] {
    try {
      return timesOf(view, names, step, this.#pool, deadline);
    } finally {
      this.#release();
    }
  }

  communitiesPer(view: View, step: CoverageStep): Map<number, number> {
    return communitiesPer(view, step, this.#tableFor(view, 'community'));
  }

  /** Gives every match in the order asked for. Has its own memory, so questions may come in between. */
  *scan(view: View, query: Query, order: Order, deadline: Deadline): Generator<readonly StoredRecord[]> {
    const matching = matchQuery(view, query, new WordPool(), deadline);
    matching.check();
    const walk = walkMatches(matching, order, null, deadline);
    const walked = new WalkedRecords();
    for (;;) {
      const found = nextRecords(walk, walked, SCAN_BATCH, deadline);
      if (found.length === 0) return;
      yield found.map(({ record }) => record);
    }
  }

  /** Checks the query. If it pays and another thread is idle, threads find all matches and counts side by side. */
  #findBeside(
    view: View,
    matching: Matching,
    { query, since, breakdowns = [] }: OneOfMany,
    deadline: Deadline,
  ): void {
    const fields = [...new Set(breakdowns.map(({ field }) => field).filter(isName))];
    const idle = this.#peers?.idle() ?? [];
    const shared = idle.length === 0 ? [] : this.#worthSharing(matching, fields.length);
    const helpers = idle.slice(0, Math.max(0, shared.length - 1));
    if (helpers.length === 0) {
      matching.check();
      return;
    }
    const segments = shared.map(({ segment }) => segment);
    const memory = this.#memoryOf(SharedParts.bytesFor(segments, fields));
    const parts = new SharedParts(memory, ++this.#questions, segments, fields);
    parts.begin();
    const places = new Map(view.segments.map((viewSegment, i) => [viewSegment, i]));
    const task: Task = {
      kind: view.kind,
      version: view.version,
      question: this.#questions,
      query,
      since,
      fields,
      segments: shared.map(({ viewSegment }) => places.get(viewSegment)!),
      limit: deadline.limit,
      memory,
    };
    for (const helper of helpers) helper.invite(task);
    const own = new Set<number>();
    try {
      matching.check();
      for (let number = parts.claim(); number >= 0; number = parts.claim()) {
        own.add(number);
        this.#findAll(shared[number]!, fields);
      }
    } finally {
      const isComplete = parts.finish(own, () => helpers.some(({ isAlive }) => !isAlive));
      // A thread may still be writing there.
      if (!isComplete) this.#memories.delete(memory);
    }
    for (const [number, matches] of shared.entries()) if (!own.has(number)) parts.give(number, matches);
  }

  /** The segments that take time, longest first, if all of them together take enough. */
  #worthSharing(matching: Matching, fields: number): SegmentMatches[] {
    const costs = new Map<SegmentMatches, number>();
    for (const matches of matching.segments) {
      const cost = matches.cost + matches.breakdownCost * fields;
      if (cost > 0) costs.set(matches, cost);
    }
    const costMs = [...costs.values()].reduce((sum, cost) => sum + cost, 0) / 1000;
    if (costMs < this.#shareFromMs || costs.size >= MAX_PARTS) return [];
    return [...costs.keys()].sort((a, b) => costs.get(b)! - costs.get(a)!);
  }

  #findAll(matches: SegmentMatches, fields: readonly NameField[]): void {
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) matches.chunk(chunk);
    for (const field of fields) {
      const counts = countMatches(matches, field, this.#scratch);
      const kept = this.#pool.roomForWords(counts.length);
      kept.set(counts);
      matches.giveCounts(field, kept);
    }
  }

  #arrived(view: View, placed: PlacedPage | undefined): readonly ArrivalTime[] {
    if (placed === undefined) return [];
    const arrivals = arrivalsAt(view, placed.places);
    const times = this.#timesOf(view.kind, arrivals);
    return arrivals.map((number) => times.get(number) ?? null);
  }

  /** Its content stays until `#release`. */
  #memoryOf(bytes: number): SharedArrayBuffer {
    let free = [...this.#memories].find((memory) => !this.#lent.has(memory));
    if (free === undefined || free.byteLength < bytes) {
      if (free !== undefined) this.#memories.delete(free);
      free = new SharedArrayBuffer(Math.ceil(bytes / 6) * 8);
      this.#memories.add(free);
    }
    this.#lent.add(free);
    return free;
  }

  #release(): void {
    this.#pool.releaseAll();
    this.#scratch.releaseAll();
    this.#lent.clear();
    for (const memory of [...this.#memories].slice(1)) this.#memories.delete(memory);
  }

  #tableFor(view: View, field: NameField): NameTable {
    const table = this.#tables.get(`${view.kind} ${field}`)!;
    table.forgetDropped(view.segments.map(({ segment }) => segment));
    return table;
  }
}

function pageOf(
  matching: Matching,
  request: NonNullable<OneOfMany['page']>,
  means: CountingMeans,
): PlacedPage {
  if (request.order === 'sample') return samplePage(matching, request, means);
  if (request.limit === 0) return NOWHERE;
  return request.order === 'top' ? topPage(matching, request, means.scratch) : timePage(matching, request);
}

function wordsOf(matching: Matching, of: Matching | null, request: WordsRequest, means: CountingMeans) {
  const sides = of === null ? [matching] : [matching, of];
  const [places, ofPlaces = null] = samplesOfAll(sides, request, means);
  return wordCountsOf(places!, ofPlaces, request.least, means.deadline);
}
