// What a thread of the engine that reads is called for: questions, records by their ids, scans, and removals, which are
// rows of the manifest. Everything here is synchronous; the thread is a worker (worker.ts) or the caller's own.

import type { MessagePort } from 'node:worker_threads';
import type { CommunityCoverage, CoverageStep } from '../../../model/coverage.ts';
import {
  type Answer,
  type Answers,
  kindOfAll,
  type LackingFacts,
  type NamedRecords,
  type NamedRequest,
  namesOf,
  type OneOfMany,
  type Question,
} from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import type { PrintRecords } from '../../../model/export.ts';
import type { Hash64 } from '../../../model/hash.ts';
import { type Order, PageBudget } from '../../../model/pages.ts';
import type { Query } from '../../../model/query.ts';
import { type Kind, otherKind, type StoredRecord } from '../../../model/record.ts';
import type { Hidden, MovedRecords } from '../../../model/removals.ts';
import type { DayTable } from '../../shared/day-table.ts';
import { Searcher, type TimesOf } from '../answering/searcher.ts';
import { Peers } from '../answering/sharing.ts';
import { evidenceOf } from '../counting/column-counts.ts';
import { type DeadDocs, Segment, type SegmentData } from '../index/segment.ts';
import { daysOfLive, lackingFacts, sumOfLive } from '../index/segment-sums.ts';
import { arrivalOf, findLive, lastArrival, type ThreadState, type View } from '../index/view.ts';
import { Deadline, type GoneFlag } from '../matching/deadline.ts';
import { buriedRecords, type FoundDocs, findDocs, hideDocs, restoreDocs } from '../writing/removing.ts';
import type { ThreadOptions } from './thread.ts';

/** `from` to before `to`. */
interface DocRange {
  readonly from: number;
  readonly to: number;
}

export class AnsweringCalls {
  readonly #state: ThreadState;
  readonly #peers: Peers | null;
  readonly #timesOf: TimesOf = (kind, arrivals) => this.#state.manifests[kind].arrivalTimes(arrivals);
  readonly #makeSearcher: () => Searcher;
  /** null: nothing has been asked in this thread. */
  #madeSearcher: Searcher | null = null;
  readonly #scans = new Map<number, Generator<readonly StoredRecord[]>>();
  readonly #print: PrintRecords | null;

  /** `print`: the printer's function; null: records come as records. */
  constructor(
    state: ThreadState,
    { reader, shareFromMs, kernels }: ThreadOptions,
    print: PrintRecords | null = null,
  ) {
    this.#state = state;
    this.#print = print;
    this.#peers = reader === undefined ? null : new Peers(reader.states, reader.number);
    this.#makeSearcher = () => new Searcher(this.#peers, shareFromMs, this.#timesOf, kernels);
  }

  /** Made on demand: its kernels have memory that a thread which only counts or hides does not need. */
  get #searcher(): Searcher {
    this.#madeSearcher ??= this.#makeSearcher();
    return this.#madeSearcher;
  }

  /** Connects another reader, so that each can help the other. */
  meet(number: number, port: MessagePort): void {
    this.#peers?.add(number, port, (task) => this.#searcher.help(this.#state.views[task.kind], task));
  }

  /** The time budget counts from now. `hasOther`: the other kind can be read. `gone`: see Deadline. */
  ask({ timeoutMs = Infinity, ...question }: Question, hasOther: boolean, gone: GoneFlag | null): Answer {
    const other = hasOther ? this.#state.views[otherKind(question.kind)] : null;
    const view = this.#state.views[question.kind];
    const answer = this.#searcher.ask(view, question, Deadline.in(timeoutMs, gone), other);
    const arrival = lastArrival(view);
    const { page, arrived, evidence, ...rest } = answer;
    if (question.print === undefined || this.#print === null || page === undefined)
      return { ...answer, arrival };
    const printed = this.#print(
      { ...page, ...(arrived && { arrived }), ...(evidence && { evidence }) },
      question.print,
    );
    return { ...rest, page: { ...page, records: [] }, printed, arrival };
  }

  /** As `ask`. */
  records(
    { timeoutMs = Infinity, ...request }: NamedRequest,
    hasOther: boolean,
    gone: GoneFlag | null,
  ): Omit<NamedRecords, 'index'> {
    const other = hasOther ? this.#state.views[otherKind(request.kind)] : null;
    const deadline = Deadline.in(timeoutMs, gone);
    return namedIn(this.#state.views[request.kind], other, request, deadline, this.#timesOf);
  }

  /** The same for questions about one kind, which share one budget. */
  askAll(
    questions: readonly OneOfMany[],
    timeoutMs: number,
    hasOther: boolean,
    gone: GoneFlag | null,
  ): Omit<Answers, 'index'> {
    const kind = kindOfAll(questions);
    const view = this.#state.views[kind];
    const other = hasOther ? this.#state.views[otherKind(kind)] : null;
    const answers = this.#searcher.askAll(view, questions, Deadline.in(timeoutMs, gone), other);
    return { answers, arrival: lastArrival(view) };
  }

  /** The number of communities with a live record of this kind. */
  communityCount(kind: Kind): number {
    const breakdowns = [{ field: 'community', size: 0, distinct: true }] as const;
    const question = { kind, query: { items: [] }, breakdowns };
    return this.#searcher.ask(this.#state.views[kind], question, Deadline.never()).breakdowns![0]!.distinct!;
  }

  lackingFacts(kind: Kind): LackingFacts {
    return lackingFacts(this.#state.views[kind]);
  }

  /** The number of communities with live records of this kind in each bucket, by its start. */
  communitiesPer(kind: Kind, step: CoverageStep): ReadonlyMap<number, number> {
    return this.#searcher.communitiesPer(this.#state.views[kind], step);
  }

  /** Times of live records of this kind. The time budget in milliseconds counts from now. */
  communityTimes(
    kind: Kind,
    names: readonly string[],
    step: CoverageStep,
    timeoutMs: number,
  ): readonly CommunityCoverage[] {
    return this.#searcher.communityTimes(this.#state.views[kind], names, step, Deadline.in(timeoutMs));
  }

  /**
   * See index/segment-sums.ts. The segment need not be in the view, but its file must be open. Columns are not cached,
   * since nothing else reads them.
   */
  daysOfDocs(data: SegmentData, dead: DeadDocs, { from, to }: DocRange): DayTable {
    return daysOfLive(new Segment(data), dead, from, to);
  }

  /** The caller chooses the number `scan`. */
  openScan(scan: number, kind: Kind, query: Query, order: Order, gone: GoneFlag | null): void {
    const deadline = Deadline.in(Infinity, gone);
    this.#scans.set(scan, this.#searcher.scan(this.#state.views[kind], query, order, deadline));
  }

  openBuried(scan: number, kind: Kind): void {
    this.#scans.set(scan, buriedRecords(this.#state.views[kind]));
  }

  /** null: the scan is over. */
  nextBatch(scan: number): readonly StoredRecord[] | null {
    const { value } = this.#scans.get(scan)!.next();
    return value ?? null;
  }

  closeScan(scan: number): void {
    this.#scans.delete(scan);
  }

  findDocs(kind: Kind, names: readonly string[], what: Hidden): FoundDocs {
    return findDocs(this.#state.views[kind], names, what);
  }

  hideDocs(kind: Kind, removal: number, found: FoundDocs, version: number): MovedRecords | null {
    return hideDocs(this.#state.manifests[kind], this.#state.views[kind], removal, found, version);
  }

  restoreDocs(kind: Kind, removal: number): MovedRecords | null {
    return restoreDocs(this.#state.manifests[kind], this.#state.views[kind], removal, this.#state.rules);
  }

  /** The same for the fingerprint. */
  sumOfDocs(kind: Kind, data: SegmentData, dead: DeadDocs, { from, to }: DocRange): Hash64 {
    const known = this.#state.views[kind].segments.find(({ segment }) => segment.name === data.name);
    return sumOfLive(known?.segment ?? new Segment(data), dead, from, to);
  }

  close(): void {
    this.#scans.clear();
    this.#madeSearcher?.close();
  }
}

/** Calls that may come from another thread. */
export type Answering = Omit<AnsweringCalls, 'meet' | 'close'>;

/**
 * `other`: the other kind, for evidence; null: it cannot be read, or is not needed. Throws an EngineLimit or
 * `query_timeout`.
 */
export function namedIn(
  view: View,
  other: View | null,
  { kind, ids, evidence, arrived, maxBytes = Infinity }: Omit<NamedRequest, 'timeoutMs'>,
  deadline: Deadline,
  timesOf: TimesOf,
): Omit<NamedRecords, 'index'> {
  deadline.check();
  const places = [...new Set(ids)].flatMap((id) => {
    deadline.step();
    return findLive(view.segments, id) ?? [];
  });
  const budget = new PageBudget(maxBytes);
  const records = places.map(({ source, doc }) => {
    deadline.step();
    const record = source.segment.record(doc);
    if (!budget.fits(record)) throw new EngineLimit({ limit: 'named_bytes', maxBytes });
    return record;
  });
  const arrivals = arrived ? places.map(({ source, doc }) => arrivalOf(source, doc)) : [];
  const times = timesOf(kind, arrivals);
  return {
    records,
    ...(evidence && { evidence: evidenceOf(other === null ? [view] : [view, other], namesOf(records)) }),
    ...(arrived && { arrived: arrivals.map((number) => times.get(number) ?? null) }),
  };
}
