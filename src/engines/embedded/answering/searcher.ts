// Answers questions from a view, in the thread that calls it: the whole answer from one set of matches. Long work
// is shared with idle threads, a segment at a time.

import type { ArrivalTime } from '../../../model/arrival-time.ts';
import { type Answer, type BreakdownRequest, namesOn, type Question } from '../../../model/engine.ts';
import type { Order } from '../../../model/order.ts';
import type { Query } from '../../../model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../../model/record.ts';
import { NameTable } from '../index/name-table.ts';
import type { View } from '../index/view.ts';
import { WordPool } from '../sets/chunk.ts';
import { Deadline } from './deadline.ts';
import { evidenceOf } from './evidence.ts';
import { nextRecords, WalkedRecords, walkMatches } from './match-walk.ts';
import { type Matching, matchQuery, QueryBinding, type SegmentMatches, totalOf } from './matching.ts';
import { breakdownOf, countMatches } from './name-breakdown.ts';
import { pageOf } from './page.ts';
import { ALONE, type PeerThreads, type Task } from './peers.ts';
import { arrivalsAt, type PlacedPage } from './placed-page.ts';
import { MAX_PARTS, SharedParts } from './shared-parts.ts';
import { threadOf } from './thread.ts';
import { timelineOf } from './timeline.ts';
import { narrowedBy } from './under.ts';

/** Records of a batch of a scan. */
export const SCAN_BATCH = 1000;

/** Questions that are estimated to take longer are shared out: shorter ones gained nothing (bench/sharing.ts). */
export const SHARE_FROM_MS = 6;

type Field = BreakdownRequest['field'];
type Asked = Omit<Question, 'timeoutMs'>;

/** When these commits were made, by number; what is not known is absent. */
export type TimesOf = (kind: Kind, arrivals: readonly number[]) => ReadonlyMap<number, number>;

export class Searcher {
  readonly #pool = new WordPool();
  readonly #scratch = new WordPool();
  readonly #tables = new Map<string, NameTable>(
    KINDS.flatMap((kind) => [
      [`${kind} community`, new NameTable('community')] as const,
      [`${kind} domain`, new NameTable('domain')] as const,
    ]),
  );
  readonly #peers: PeerThreads;
  readonly #shareFromMs: number;
  readonly #timesOf: TimesOf;
  /** For the parts of a question; kept from one to the next. */
  #memory = new SharedArrayBuffer(0);
  /** How many have been shared out. */
  #questions = 0;

  constructor(peers: PeerThreads = ALONE, shareFromMs = SHARE_FROM_MS, timesOf: TimesOf = () => new Map()) {
    this.#peers = peers;
    this.#shareFromMs = shareFromMs;
    this.#timesOf = timesOf;
  }

  /**
   * `other`: the other kind, for evidence and for `under`; null: it cannot be read, or neither is asked for. Throws
   * `query_timeout`, an EngineLimit.
   */
  ask(view: View, question: Asked, deadline: Deadline, other: View | null = null): Answer {
    try {
      const matching = matchQuery(
        view,
        question.query,
        this.#pool,
        deadline,
        narrowedBy(question.under, other, this.#pool, deadline),
      );
      // What stands under the posts is found by this thread alone.
      if (question.under === undefined) this.#findBeside(view, matching, question, deadline);
      else matching.check();
      const threaded = question.thread && threadOf(matching, question.thread, deadline);
      const placed = threaded ?? (question.page && pageOf(matching, question.page, this.#scratch));
      const page = placed?.page;
      return {
        total: totalOf(matching),
        ...(page && { page }),
        ...(threaded && { thread: threaded.thread }),
        ...(question.breakdowns && {
          breakdowns: question.breakdowns.map((request) =>
            breakdownOf(matching, request, this.#tableFor(view, request.field), this.#scratch),
          ),
        }),
        ...(question.timeline && { timeline: timelineOf(matching, question.timeline, deadline) }),
        ...(question.evidence && {
          evidence: evidenceOf(other === null ? [view] : [view, other], namesOn(page)),
        }),
        ...(question.arrived && { arrived: this.#arrived(view, placed) }),
      };
    } finally {
      this.#release();
    }
  }

  /** Works on the segments of another thread's question that this one can claim; on `most` of them at most. */
  help(view: View, task: Task, most = Infinity): void {
    if (view.version !== task.version) return;
    const deadline = new Deadline(task.limit.end, task.limit.budgetMs, task.limit.gone);
    const viewSegments = task.segments.map((number) => view.segments[number]!);
    const parts = new SharedParts(
      task.memory,
      task.question,
      viewSegments.map(({ segment }) => segment),
      task.fields,
    );
    const binding = new QueryBinding(task.query, this.#pool, deadline);
    for (let done = 0; done < most && !this.#peers.isWanted; done++) {
      const number = parts.claim();
      if (number < 0) break;
      try {
        const matches = binding.matchesIn(viewSegments[number]!)!;
        this.#findAll(matches, view.kind, task.fields);
        parts.put(number, matches);
      } catch {
        // uncovered: a fault of a helping thread alone, such as a disk that fails under it
        // The thread that was asked does it again, and meets the same error where it is not this thread's alone.
        parts.giveUp(number);
      }
    }
    this.#release();
  }

  /** Every match in the order asked for; memory of its own, so that questions may come in between. */
  *scan(view: View, query: Query, order: Order, deadline: Deadline): Generator<readonly StoredRecord[]> {
    const matching = matchQuery(view, query, new WordPool(), deadline);
    matching.check();
    const walk = walkMatches(matching, order, null, deadline);
    const walked = new WalkedRecords();
    for (;;) {
      const { records } = nextRecords(walk, walked, SCAN_BATCH, deadline);
      if (records.length === 0) return;
      yield records;
    }
  }

  /** Checks the query. If it pays and another thread is idle, threads find all matches and counts side by side. */
  #findBeside(view: View, matching: Matching, question: Asked, deadline: Deadline): void {
    const fields = [...new Set(question.breakdowns?.map(({ field }) => field))];
    const shared = this.#worthSharing(matching, fields.length);
    const helpers = this.#peers.idle().slice(0, Math.max(0, shared.length - 1));
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
      query: question.query,
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
        this.#findAll(shared[number]!, view.kind, fields);
      }
    } finally {
      const isComplete = parts.finish(own, () => helpers.some(({ isAlive }) => !isAlive));
      // A thread that is still at work may write there.
      if (!isComplete) this.#memory = new SharedArrayBuffer(0);
    }
    for (const [number, matches] of shared.entries()) if (!own.has(number)) parts.give(number, matches);
  }

  /** The segments that take time, the longest first, where all of them together take enough of it. */
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

  /** The matches of a segment, and what they count to. */
  #findAll(matches: SegmentMatches, kind: Kind, fields: readonly Field[]): void {
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) matches.chunk(chunk);
    for (const field of fields) {
      const counts = countMatches(matches, field, this.#table(kind, field), this.#scratch);
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

  #memoryOf(bytes: number): SharedArrayBuffer {
    if (this.#memory.byteLength < bytes) this.#memory = new SharedArrayBuffer(Math.ceil(bytes / 6) * 8);
    return this.#memory;
  }

  #release(): void {
    this.#pool.releaseAll();
    this.#scratch.releaseAll();
  }

  /** For a question of this view. */
  #tableFor(view: View, field: Field): NameTable {
    const table = this.#table(view.kind, field);
    table.forgetDropped(view.segments.map(({ segment }) => segment));
    return table;
  }

  #table(kind: Kind, field: string): NameTable {
    return this.#tables.get(`${kind} ${field}`)!;
  }
}
