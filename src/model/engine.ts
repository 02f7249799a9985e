// What an engine is: the one interface behind which records are kept and found.
// The contract in full is test/engine-conformance.ts: an engine is what passes it.

import type {
  Compared,
  ComparedRequest,
  CopiesFound,
  SamplePage,
  ScaleField,
  WordCounts,
  WordsRequest,
} from './analyses.ts';
import type { CommunityEvidence } from './community.ts';
import type { Coverage, CoverageRequest } from './coverage.ts';
import type { IndexDamage } from './engine-errors.ts';
import type { ExportRequest, ExportRun, PrintedRecords, PrintOptions } from './export.ts';
import type { IndexFingerprint } from './hash.ts';
import type { News, NewsRequest, Order, PagePosition, PageRequest } from './pages.ts';
import type { Query } from './query.ts';
import type { Kind, RecordBatch, StoredRecord } from './record.ts';
import type { NamedRecords, NamedRequest } from './record-link.ts';
import type { Hidden, MovedRecords } from './removals.ts';
import type { ThreadPart, ThreadRequest } from './thread.ts';
import type { ArrivalTime, TimelineStep } from './time.ts';

/**
 * Kinds are independent: if one cannot be read, calls for it throw an IndexDamage. A call for several kinds handles the
 * readable ones, then throws. Any call throws an EngineUnavailable if the engine is out of reach; repeat it.
 */
export interface SearchEngine extends AsyncDisposable {
  /**
   * Adds records of one kind; they are synced to disk when it resolves. Copies of an id that is in the index,
   * or twice in the batch, are ranked and merged by `mergeCopies` (copies.ts). Records that the list of
   * removals refuses are left out and counted.
   *
   * If it rejects, any part of the batch may be in the index. The same call again leads to the same index as
   * a call that succeeds at once. `checkpoint` never takes effect before all records of the batch are in.
   *
   * `arrived`: when each record of the batch came in, as another engine tells it; absent: now.
   */
  index(
    kind: Kind,
    batch: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport>;

  /**
   * Hides records from every answer at once, for good or until `restore`; works while another process writes. `removal`
   * is a number that the caller chooses, from 1; more can be hidden under it later. Returns which live records it hid,
   * by number. Synced when it resolves. If it rejects, part may be hidden, and the same call again hides the rest.
   *
   * Once it has resolved, even if it found nothing, no batch of any process brings in a record that the list of
   * removals refused when it was called: a batch that had begun before is checked against the list again. A later batch
   * may bring back what the list does not refuse.
   */
  hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords>;

  /**
   * Shows again what was hidden under this number, of these kinds (absent: of both), unless it is erased or another
   * removal hides it. `purge` and `maintain` erase; `index` does not, save where an engine would keep too much of what
   * is hidden. If another copy has come in meanwhile, the one that ranks higher (copies.ts) stays. Returns the numbers
   * of records that are back. If it rejects, part may be back, and the same call again brings back the rest.
   */
  restore(removal: number, kinds?: readonly Kind[]): Promise<MovedRecords>;

  /**
   * Every copy of a record that no answer contains but whose text is still in the index: copies that removals
   * hide, and copies replaced by others as far as the engine knows them. In batches, in no order, from the
   * view at the call. Errors are thrown by the iteration; files of the view stay until it ends.
   */
  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]>;

  /** How many of these ids (at most NAMED_AT_ONCE) are found; an id that is given twice counts once. */
  present(kind: Kind, ids: readonly string[]): Promise<number>;

  /** Hidden records of these kinds (absent: both) that may still be in a file; each copy counts. */
  hiddenCount(kinds?: readonly Kind[]): Promise<number>;

  /** The largest number under which anything of this kind is hidden and not erased; 0: nothing is. */
  lastRemoval(kind: Kind): Promise<number>;

  /**
   * Erases what is hidden of these kinds (absent: of both) from every file of the index, or makes the engine
   * do so later. If another process is writing, asks that process and waits.
   */
  purge(kinds?: readonly Kind[]): Promise<PurgeReport>;

  /**
   * Merges, and erases records hidden longer than KEPT_AFTER_HIDING. Does nothing while another process writes, and
   * skips an unreadable kind. Servers call it every few minutes, imports at their end.
   */
  maintain(options?: MaintainOptions): Promise<void>;

  /**
   * Shows the commits of other processes to the next question. Cheap without changes. Never rejects for damage
   * (`damages`).
   */
  refresh(): Promise<void>;

  /**
   * Answers all that is asked from one view of the index. Throws `query_timeout` where it is worked on for longer than
   * the time budget, `busy` where it waits longer than that behind others, an EngineLimit, an EngineUnavailable. Where
   * `signal` is aborted it rejects with its reason at once: the question leaves the queue, and is worked on no longer.
   */
  ask(question: Question, signal?: AbortSignal): Promise<Answer>;

  records(request: NamedRequest, signal?: AbortSignal): Promise<NamedRecords>;

  /**
   * Answers questions about one kind, in their order, from one view of each kind and within one time budget. Timelines
   * among them share their buckets (timeline.ts). Throws what `ask` throws, and a TypeError where there is no question,
   * or they are of two kinds.
   */
  askAll(questions: readonly OneOfMany[], options?: AskOptions, signal?: AbortSignal): Promise<Answers>;

  /**
   * Every match in the order asked for, in batches, from the view at the call: nothing that is done here
   * later is in it. What is thrown is thrown by the iteration; where an engine has lost the view, an
   * EngineUnavailable, never a part for the whole. Files of the view are kept until the iteration ends, so
   * every caller must iterate. If `signal` is aborted, it throws its reason.
   */
  scan(kind: Kind, query: Query, order: Order, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]>;

  /**
   * Every match as bytes, which a shaper makes in the engine's thread (export.ts). Resolves when the matches are
   * counted and the shaper is open. From the view at the call; there is no time budget. Throws what `ask` throws, a
   * TypeError where `after` does not belong to the order, and whatever the shaper throws. If `signal` is aborted, it
   * throws its reason, and the export ends. Closing the engine ends every export with an EngineUnavailable.
   */
  export(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun>;

  /** The last state committed under this name for this kind; null where there is none, or the import is through. */
  checkpoint(kind: Kind, source: string): Promise<string | null>;

  /**
   * Whether there is no record of either kind; a kind that cannot be read has some. Cheap. Never rejects for damage.
   */
  isEmpty(): Promise<boolean>;

  /** The state of every import of this kind that is not complete, by source, in no order. */
  checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>>;

  /** In place of the figures of a kind, why it cannot be read. */
  stats(): Promise<Record<Kind, KindStats | IndexDamage>>;

  /**
   * Of the records of one view of each kind, as the last `refresh` found it: equal for equal records, whatever order or
   * parts they came in. In place of that of a kind, why it cannot be read.
   */
  fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>>;

  /**
   * Of one view of each kind, as the last `refresh` found it; in place of that of a kind, why it cannot be read. Cheap.
   */
  lastArrivals(): Promise<Record<Kind, LastArrival | IndexDamage>>;

  /**
   * What one view of a kind covers. Throws the IndexDamage of the kind, `query_timeout`, an EngineLimit where the
   * engine cannot tell. If `signal` is aborted, it throws its reason.
   */
  coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage>;

  /** Why a kind cannot be read; null: it can. As the last `refresh` found it. Never rejects for damage. */
  damages(): Promise<Record<Kind, IndexDamage | null>>;

  /** What the process keeps of the index in memory. Absent, or null: nothing that is counted. */
  memoryUse?(): MemoryUse | null;

  /**
   * Starts the answering threads; resolves after a first answer. Rejects if questions cannot be answered. Cheap later.
   */
  warm(): Promise<void>;

  /** Large batches will come soon: starts what takes them, where that takes a while, also in a brief engine. */
  expectBatches?(): void;

  [Symbol.asyncDispose](): Promise<void>;
}

export interface MemoryUse {
  readonly held: number;
  readonly budget: number;
  readonly wanted: number;
  /** How it is divided: for threads that answer, tables that are always in memory, columns as they are asked for. */
  readonly parts: { readonly threads: number; readonly tables: number; readonly columns: number };
  /** How often something had to give way to something else since the index was opened. */
  readonly evictions: number;
}

/**
 * How far an import has come. `state` is the importer's own text; null: it is complete, and the checkpoint is deleted.
 */
export interface Checkpoint {
  readonly source: string;
  readonly state: string | null;
}

export interface IndexReport {
  readonly added: number;
  readonly replaced: number;
  readonly unchanged: number;
  /** Records that the list of removals refuses. The four add up to the batch. */
  readonly removed: number;
}

export interface PurgeReport {
  /** `now`: no file contains it. `scheduled`: it is erased later; where by the engine, `hiddenCount` is 0 then. */
  readonly erased: 'now' | 'scheduled';
}

/** What is asked, of one kind, in one call, so that one pass over the matches can answer it. */
export interface Question {
  readonly kind: Kind;
  readonly query: Query;
  /**
   * Of comments alone: only those of posts that match it, in one view of posts. A comment whose post is not there never
   * matches. An EngineLimit over MAX_POSTS_UNDER posts; absent: no such condition. Where posts cannot be read, their
   * IndexDamage is thrown.
   */
  readonly under?: Query;
  /**
   * Only records that came in behind this arrival, a number that an `arrival` of an answer told; absent or 0: all. It
   * costs what came in, not what is there. A record of which it is not known when it came in is behind none but 0.
   */
  readonly since?: number;
  /**
   * A second query of the same kind, which shares are of: its matches are counted too. `under` and `since` hold for
   * both.
   */
  readonly of?: Query;
  readonly page?: PageRequest | SamplePage;
  /** Of comments of one post alone, in place of `page`: a page of them as a thread. */
  readonly thread?: ThreadRequest;
  readonly breakdowns?: readonly BreakdownRequest[];
  readonly timeline?: TimelineRequest;
  /** The words of a sample; where the question has an `of`, beside those of one of what matches that. */
  readonly words?: WordsRequest;
  readonly compared?: ComparedRequest;
  readonly evidence?: boolean;
  readonly arrived?: boolean;
  /**
   * The records on the page may come as text (`printed`), by an engine that was opened with a printer and answers in
   * another thread. Absent: they never do. Only of `ask`.
   */
  readonly print?: PrintOptions;
  readonly news?: NewsRequest;
  /**
   * Time budget in milliseconds, from when a thread takes the question (0: none is left, always too late),
   * and how long it may wait behind others for one; absent: no limit.
   */
  readonly timeoutMs?: number;
}

/** A question beside others, whose budget is that of all. */
export type OneOfMany = Omit<Question, 'timeoutMs'>;

export interface AskOptions {
  readonly timeoutMs?: number;
}

/** Names that a breakdown counts by. Domains: a post's own, or each that a comment links to. */
export type NameField = 'community' | 'domain';

export function isName(field: BreakdownField): field is NameField {
  return field === 'community' || field === 'domain';
}

/**
 * What a breakdown counts by. `copies`: texts that stand at least twice, in whatever spelling (`foldedText`); withdrawn
 * texts and those too short for a `textHash` are in no row.
 */
export type BreakdownField = NameField | ScaleField | 'copies';

export interface BreakdownRequest {
  readonly field: BreakdownField;
  /** How many rows at the most. A scale always has all of its rows, those of no record too. */
  readonly size: number;
  /** How many rows to leave out first, from the highest count down; absent: none. Not of a scale. */
  readonly skip?: number;
  /** In lower case. Counts only names that start with it, in any case; `distinct` too. Absent: all. Of names alone. */
  readonly prefix?: string;
  /** How many different values there are is wanted too: what an engine of several machines pays most for. */
  readonly distinct?: boolean;
  /** What is summed up beside the count, by an engine that keeps it apart; absent: nothing. */
  readonly measure?: 'sentiment';
  /**
   * The rows are counted by time too, in buckets of this step. More than MAX_CELLS buckets with a record, in all rows
   * given, are an EngineLimit. Absent, as with `copies` always: they are not.
   */
  readonly by?: TimelineStep;
}

export interface TimelineRequest {
  /**
   * Absent: the finest with at most MAX_BUCKETS buckets. If given, more than MAX_GIVEN_BUCKETS buckets throw an
   * EngineLimit.
   */
  readonly step?: TimelineStep;
  readonly measure?: TimelineMeasure;
  /**
   * Where nothing matches at all, there are still the buckets between the bounds of the queries, where those have both.
   * Absent: there are none.
   */
  readonly keepsBounds?: boolean;
}

/** `fingerprint`: what tells whether the matches of a bucket are the same; it takes a pass over all of them. */
export type TimelineMeasure = 'score' | 'sentiment' | 'fingerprint';

export function beginsWith(name: string, prefix: string): boolean {
  return name.slice(0, prefix.length).toLowerCase() === prefix;
}

export interface Answer extends OneAnswer {
  readonly arrival: LastArrival;
}

/**
 * The greatest arrival of the view that answered, of the kind that was asked about: as `since` it asks for what comes
 * in later. Goes up with every commit that brings records in; never down while the index lasts. 0: nothing ever came
 * in.
 */
export type LastArrival = number;

export interface OneAnswer {
  readonly total: number;
  readonly ofTotal?: number;
  readonly page?: Page;
  readonly thread?: ThreadPart;
  /** In the order asked for. */
  readonly breakdowns?: readonly Breakdown[];
  readonly timeline?: Timeline;
  readonly words?: WordCounts;
  readonly compared?: Compared;
  /** What records of both kinds say of the page's communities, or those of this kind if the other is unreadable. */
  readonly evidence?: ReadonlyMap<string, CommunityEvidence>;
  /** Of each record on the page, in its order, unless they are printed; none without a page. */
  readonly arrived?: readonly ArrivalTime[];
  /** The records on the page, which has none then. */
  readonly printed?: PrintedRecords;
  readonly news?: News;
}

export interface Answers {
  /** In the order of the questions. */
  readonly answers: readonly OneAnswer[];
  /** Of their kind, in the view that answered. */
  readonly index: IndexFingerprint;
  readonly arrival: LastArrival;
}

export interface Page {
  /** In the order asked for; more than `limit` where the page would otherwise end inside a tie it may not split. */
  readonly records: readonly StoredRecord[];
  /** Where the next page goes on; null on a page without records. */
  readonly next: PagePosition | null;
  readonly hasMore: boolean;
  readonly isShort: boolean;
}

export function namesOn(page: Page | undefined): Set<string> {
  return namesOf(page?.records ?? []);
}

export function namesOf(records: readonly StoredRecord[]): Set<string> {
  return new Set(records.map(({ community }) => community));
}

export const EMPTY_PAGE: Page = { records: [], next: null, hasMore: false, isShort: false };

export interface Breakdown {
  readonly field: BreakdownField;
  /** Count down, then name by code unit, then (of copies) example by time and id. Of a scale: in its own order. */
  readonly rows: readonly BreakdownRow[];
  /** How many different values records have, in `rows` or not; absent where it was not asked for. */
  readonly distinct?: number;
}

export interface BreakdownRow {
  readonly name: string;
  readonly count: number;
  readonly of?: number;
  /** Of the ratings of the row (copies.ts), and how many there are: exact. Absent where they are not summed up. */
  readonly sum?: number;
  readonly rated?: number;
  /** Buckets that are not empty, up; absent where it was not asked for. */
  readonly by?: readonly BreakdownBucket[];
  readonly copies?: CopiesFound;
}

export interface BreakdownBucket {
  /** Unix seconds. */
  readonly start: number;
  readonly count: number;
  readonly of?: number;
}

export interface Timeline {
  readonly step: TimelineStep;
  /** Up, without holes; empty without matches. */
  readonly buckets: readonly TimelineBucket[];
}

export interface TimelineBucket {
  /** Unix seconds; of the first one this may lie before the bound. */
  readonly start: number;
  readonly count: number;
  readonly of?: number;
  /**
   * Of the scores or ratings, over the matches of the bucket: exact, sentiment in ten-thousandths (copies.ts). Absent
   * where neither was to be measured.
   */
  readonly sum?: number;
  /** How many of the matches have a sentiment: only where that was to be measured. */
  readonly rated?: number;
  /** As an IndexFingerprint, over the matches of the bucket: only where that was to be measured. */
  readonly fingerprint?: string;
}

export interface KindStats {
  readonly records: number;
  readonly communities: number;
  /** Unix seconds of the first and last record; null where there is none. */
  readonly first: number | null;
  readonly last: number | null;
  /** Parts that the index is made of: fewer are faster. 0: there are no records. */
  readonly segments: number;
  readonly bytes: number;
  readonly lacking: LackingFacts;
}

/** How many records lack what came to be kept only after they were imported, or what their source did not say. */
export interface LackingFacts {
  readonly parents: number;
  readonly arrivals: number;
}

export interface MaintainOptions {
  /** Aborted: merging is broken off, and what was merged so far stays. */
  readonly signal?: AbortSignal;
  readonly onMerge?: (merge: MergeStep) => void;
}

export interface MergeStep {
  readonly kind: Kind;
  readonly segments: number;
  readonly records: number;
}
