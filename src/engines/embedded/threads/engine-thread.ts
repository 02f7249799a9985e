// What one thread of the engine can do: answer questions, scan, write, merge. Everything here is synchronous; the
// thread is the caller's own or a worker (worker.ts), and thread-handle.ts makes the two look alike.

import type { MessagePort } from 'node:worker_threads';
import type { CopyRules } from '../../../model/copies.ts';
import type { CommunityCoverage, CoverageStep } from '../../../model/coverage.ts';
import type { DayTable } from '../../../model/day-table.ts';
import type {
  Answer,
  Answers,
  Checkpoint,
  LackingFacts,
  OneOfMany,
  Question,
} from '../../../model/engine.ts';
import type { MovedRecords } from '../../../model/moved-records.ts';
import type { Hash64 } from '../../../model/murmur-hash.ts';
import type { NamedRecords, NamedRequest } from '../../../model/named-records.ts';
import type { Order } from '../../../model/order.ts';
import type { PrintRecords } from '../../../model/printed-records.ts';
import type { Query } from '../../../model/query.ts';
import { kindOfAll } from '../../../model/questions.ts';
import { type Kind, otherKind, type StoredRecord } from '../../../model/record.ts';
import type { Hidden } from '../../../model/removals.ts';
import { timesOf } from '../answering/community-times.ts';
import { Deadline, type GoneFlag } from '../answering/deadline.ts';
import { namedIn } from '../answering/named.ts';
import { ALONE, Peers } from '../answering/peers.ts';
import { Searcher, type TimesOf } from '../answering/searcher.ts';
import { BatchRecords, type Lane } from '../building/batch-records.ts';
import type { NewArrivals } from '../building/given-arrivals.ts';
import type { ColumnMemory } from '../index/column-memory.ts';
import { dayChange } from '../index/day-counts.ts';
import { lackingFacts } from '../index/lacking-facts.ts';
import { Manifest } from '../index/manifest.ts';
import { Segment, type SegmentData } from '../index/segment.ts';
import { sumChange } from '../index/segment-sums.ts';
import {
  type DeadDocs,
  emptyView,
  findLive,
  lastArrival,
  openView,
  type View,
  type ViewData,
} from '../index/view.ts';
import type { KernelChoice } from '../kernels/choice.ts';
import { commitMerge } from '../writing/merge-commit.ts';
import { buriedRecords, type FoundDocs, findDocs, hideDocs, restoreDocs } from '../writing/removing.ts';
import {
  type BatchCounts,
  commitAt,
  commitBatch,
  discardBatch,
  type MergePlan,
  type MergeResult,
  type PreparedBatch,
  prepareBatch,
  prepareMerge,
} from '../writing/writer.ts';

export interface ThreadOptions {
  readonly folder: string;
  readonly rules: CopyRules;
  /** See EngineOptions. */
  readonly isReadOnly?: boolean | undefined;
  /** What the columns of segments are read into; absent: each segment brings all of its own. */
  readonly memory?: ColumnMemory | undefined;
  /** See EmbeddedOptions. */
  readonly shareFromMs?: number | undefined;
  readonly kernels?: KernelChoice | undefined;
  /** See EngineOptions. */
  readonly printer?: string | undefined;
  /**
   * Of a thread that answers questions beside others: the calls of all of them (peers.ts), its own number, and whether
   * it takes what the others are too busy for, and helps none.
   */
  readonly reader?: { readonly states: Int32Array; readonly number: number; readonly isSpare: boolean };
}

export class EngineThread {
  readonly #rules: CopyRules;
  readonly #manifests: Record<Kind, Manifest>;
  readonly #views: Record<Kind, View> = { post: emptyView('post'), comment: emptyView('comment') };
  readonly #peers: Peers | null;
  readonly #timesOf: TimesOf = (kind, arrivals) => this.#manifests[kind].arrivalTimes(arrivals);
  readonly #makeSearcher: () => Searcher;
  /** null: nothing has been asked here. */
  #madeSearcher: Searcher | null = null;
  readonly #scans = new Map<number, Generator<readonly StoredRecord[]>>();
  readonly #print: PrintRecords | null;

  /** `print`: of the printer; null: what is asked for as text is given as records. */
  constructor(
    { folder, rules, isReadOnly, reader, shareFromMs, kernels }: ThreadOptions,
    print: PrintRecords | null = null,
  ) {
    this.#print = print;
    this.#rules = rules;
    this.#peers = reader === undefined ? null : new Peers(reader.states, reader.number);
    const manifest = (kind: Kind) => new Manifest(folder, kind, isReadOnly);
    this.#manifests = { post: manifest('post'), comment: manifest('comment') };
    this.#makeSearcher = () => new Searcher(this.#peers ?? ALONE, shareFromMs, this.#timesOf, kernels);
  }

  /** Its kernels come with memory, which threads that only write do without. */
  get #searcher(): Searcher {
    this.#madeSearcher ??= this.#makeSearcher();
    return this.#madeSearcher;
  }

  /** Later calls see this view. */
  show(data: ViewData): void {
    this.#views[data.kind] = openView(data, this.#views[data.kind]);
  }

  /** Another reader: either may help the other with its questions. */
  meet(number: number, port: MessagePort): void {
    this.#peers?.add(number, port, (task) => this.#searcher.help(this.#views[task.kind], task));
  }

  /** Its time budget counts from now. `hasOther`: the other kind can be read. `gone`: see Deadline. */
  ask({ timeoutMs = Infinity, ...question }: Question, hasOther: boolean, gone: GoneFlag | null): Answer {
    const other = hasOther ? this.#views[otherKind(question.kind)] : null;
    const view = this.#views[question.kind];
    const answer = this.#searcher.ask(view, question, Deadline.in(timeoutMs, gone), other);
    const { page, arrived } = answer;
    const arrival = lastArrival(view);
    if (question.print === undefined || this.#print === null || page === undefined)
      return { ...answer, arrival };
    const printed = this.#print(page.records, arrived, question.print);
    return { ...answer, page: { ...page, records: [] }, printed, arrival };
  }

  /** As `ask`. */
  records(
    { timeoutMs = Infinity, ...request }: NamedRequest,
    hasOther: boolean,
    gone: GoneFlag | null,
  ): Omit<NamedRecords, 'index'> {
    const other = hasOther ? this.#views[otherKind(request.kind)] : null;
    const deadline = Deadline.in(timeoutMs, gone);
    return namedIn(this.#views[request.kind], other, request, deadline, this.#timesOf);
  }

  /** The same of questions about one kind, whose budget is that of all. */
  askAll(
    questions: readonly OneOfMany[],
    timeoutMs: number,
    hasOther: boolean,
    gone: GoneFlag | null,
  ): Omit<Answers, 'index'> {
    const kind = kindOfAll(questions);
    const view = this.#views[kind];
    const other = hasOther ? this.#views[otherKind(kind)] : null;
    const answers = this.#searcher.askAll(view, questions, Deadline.in(timeoutMs, gone), other);
    return { answers, arrival: lastArrival(view) };
  }

  /** How many communities have a live record of this kind. */
  communityCount(kind: Kind): number {
    const breakdowns = [{ field: 'community', size: 0, distinct: true }] as const;
    const question = { kind, query: { items: [] }, breakdowns };
    return this.#searcher.ask(this.#views[kind], question, Deadline.never()).breakdowns![0]!.distinct!;
  }

  /** Of the live records of this kind. */
  lackingFacts(kind: Kind): LackingFacts {
    return lackingFacts(this.#views[kind]);
  }

  /** How many communities have live records of this kind in each bucket, by its start. */
  communitiesPer(kind: Kind, step: CoverageStep): ReadonlyMap<number, number> {
    return this.#searcher.communitiesPer(this.#views[kind], step);
  }

  /** Of the live records of this kind. Its time budget, in milliseconds, counts from now. */
  communityTimes(
    kind: Kind,
    names: readonly string[],
    step: CoverageStep,
    timeoutMs: number,
  ): readonly CommunityCoverage[] {
    return timesOf(this.#views[kind], names, step, Deadline.in(timeoutMs));
  }

  /**
   * See index/day-counts.ts. The segment need not be in the view, but its file must be open. What is read of it is not
   * kept: columns that nobody else reads would take memory in every thread.
   */
  dayChange(
    data: SegmentData,
    before: DeadDocs | null,
    now: DeadDocs,
    range: { readonly from: number; readonly to: number },
  ): DayTable {
    return dayChange(new Segment(data), before, now, range);
  }

  /** `scan` is a number of the caller's. */
  openScan(scan: number, kind: Kind, query: Query, order: Order, gone: GoneFlag | null): void {
    const deadline = Deadline.in(Infinity, gone);
    this.#scans.set(scan, this.#searcher.scan(this.#views[kind], query, order, deadline));
  }

  /** A scan of its own: of what is buried. */
  openBuried(scan: number, kind: Kind): void {
    this.#scans.set(scan, buriedRecords(this.#views[kind]));
  }

  /** null: there are no more. */
  nextBatch(scan: number): readonly StoredRecord[] | null {
    const { value } = this.#scans.get(scan)!.next();
    return value ?? null;
  }

  closeScan(scan: number): void {
    this.#scans.delete(scan);
  }

  /** `packs` are of packed-records.ts; `arrivals`: see BatchRecords. */
  prepareBatch(
    kind: Kind,
    packs: readonly Uint8Array[],
    lane: Lane,
    arrivals: Uint32Array | null = null,
  ): PreparedBatch {
    const records = new BatchRecords(kind, packs, lane, arrivals);
    return prepareBatch(this.#manifests[kind], this.#views[kind], records, this.#rules);
  }

  commitBatch(
    kind: Kind,
    parts: readonly PreparedBatch[],
    checkpoint: Checkpoint | null,
    version: number,
    arrivals: NewArrivals | null = null,
  ): BatchCounts | 'conflict' | 'stale' {
    return commitBatch(this.#manifests[kind], this.#views[kind], { parts, checkpoint, version, arrivals });
  }

  discardBatch(kind: Kind, parts: readonly PreparedBatch[]): void {
    discardBatch(this.#manifests[kind], parts);
  }

  /** How many of these ids are found. */
  present(kind: Kind, ids: readonly string[]): number {
    const { segments } = this.#views[kind];
    return [...new Set(ids)].filter((id) => findLive(segments, id) !== null).length;
  }

  findDocs(kind: Kind, names: readonly string[], what: Hidden): FoundDocs {
    return findDocs(this.#views[kind], names, what);
  }

  hideDocs(kind: Kind, removal: number, found: FoundDocs, version: number): MovedRecords | null {
    return hideDocs(this.#manifests[kind], this.#views[kind], removal, found, version);
  }

  restoreDocs(kind: Kind, removal: number): MovedRecords | null {
    return restoreDocs(this.#manifests[kind], this.#views[kind], removal, this.#rules);
  }

  /** See index/segment-sums.ts. The segment need not be in the view, but its file must be open. */
  sumChange(
    kind: Kind,
    data: SegmentData,
    before: DeadDocs | null,
    now: DeadDocs,
    range: { readonly from: number; readonly to: number },
  ): Hash64 {
    const known = this.#views[kind].segments.find(({ segment }) => segment.name === data.name);
    return sumChange(known?.segment ?? new Segment(data), before, now, range);
  }

  /** False: the manifest is no longer at this version. */
  storeSums(kind: Kind, sums: ReadonlyMap<string, Hash64>, version: number): boolean {
    return commitAt(this.#manifests[kind], { sums }, version);
  }

  /**
   * Merges these segments of the view, into one that is not committed yet, or several cut at these seconds. No
   * sources: `gone` was set meanwhile.
   */
  prepareMerge(kind: Kind, { names, ...plan }: MergePlan, gone: GoneFlag | null = null): MergeResult {
    const sources = this.#views[kind].segments.filter(({ segment }) => names.includes(segment.name));
    sources.sort((a, b) => a.segment.created.at(0) - b.segment.created.at(0));
    return prepareMerge(this.#manifests[kind], sources, plan, () => gone !== null && gone[0] !== 0);
  }

  commitMerge(kind: Kind, result: MergeResult): boolean {
    return commitMerge(this.#manifests[kind], this.#views[kind], result);
  }

  /** See Manifest.scrub. */
  scrub(kind: Kind): boolean {
    return this.#manifests[kind].scrub();
  }

  close(): void {
    this.#scans.clear();
    this.#madeSearcher?.close();
    for (const manifest of Object.values(this.#manifests)) manifest.close();
  }
}

type Methods =
  | 'ask'
  | 'records'
  | 'askAll'
  | 'communityCount'
  | 'lackingFacts'
  | 'communitiesPer'
  | 'communityTimes'
  | 'dayChange'
  | 'openScan'
  | 'openBuried'
  | 'nextBatch'
  | 'closeScan'
  | 'prepareBatch'
  | 'commitBatch'
  | 'discardBatch'
  | 'present'
  | 'findDocs'
  | 'hideDocs'
  | 'restoreDocs'
  | 'sumChange'
  | 'storeSums'
  | 'prepareMerge'
  | 'commitMerge'
  | 'scrub';

/** The calls that may come from another thread. */
export type ThreadCalls = Pick<EngineThread, Methods>;
